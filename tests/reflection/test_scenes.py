"""A run as scenes: one for the question, each step, each retry, the answer and its proof."""

from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support
from selfrag.reflection.pathway import shape_of, way
from selfrag.reflection.scenes import scenes
from selfrag.reflection.story import tell
from tests.reflection.scripted import ScriptedJudge, make_run


def view_of(judge: ScriptedJudge | None = None) -> RunView:
    run = make_run(judge)
    run.result(20)
    return RunView.of(run.log.snapshot())


def test_scenes_follow_the_run_and_end_with_the_proof():
    view = view_of()
    found = scenes(view)
    steps = [tell(step.event) for step in view.steps if step.event]
    assert [scene.title for scene in found[1:-2]] == steps
    assert [scene.kind for scene in (found[0], *found[-2:])] == ["question", "answer", "evidence"]
    assert found[-1].source is not None and found[-1].title == "handbook.pdf, page 1"
    assert all(scene.words for scene in found)


def test_retry_is_a_scene_of_its_own():
    found = scenes(
        view_of(ScriptedJudge(support=lambda n: Support.NOT if n == 1 else Support.FULLY))
    )
    (retry,) = [scene for scene in found if scene.kind == "retry"]
    assert retry.title.startswith("Trying again")
    assert retry.nodes[-1] == "increment_retry"


def test_way_of_each_scene_is_one_step_longer_and_consists_of_edges_that_exist():
    view = view_of(ScriptedJudge(support=lambda n: Support.NOT if n == 1 else Support.FULLY))
    found = [scene for scene in scenes(view) if scene.kind in ("step", "retry")]
    for number, scene in enumerate(found, start=1):
        assert len(scene.nodes) == number
        assert sum(way(scene.nodes, False, shape_of(view)).values()) == number


def test_run_under_way_has_the_scenes_it_has_come_to():
    run = make_run()
    run.result(20)
    log = run.log.snapshot()
    counts = [len(scenes(RunView.of(log[:until]))) for until in range(len(log) + 1)]
    assert counts == sorted(counts), "a scene that was seen stays where it is"
    assert counts[:2] == [0, 1]
