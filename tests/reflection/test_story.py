"""Every step of every graph has its words, wherever they are looked up."""

import itertools

import pytest

from selfrag.reflection.events import RunFinished
from selfrag.reflection.explain import PURPOSE
from selfrag.reflection.grades import Support
from selfrag.reflection.graph import build_graph
from selfrag.reflection.story import DOING, notice, verdict
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy
from selfrag.ui.timeline import ICONS
from tests.reflection.scripted import ScriptedJudge, ScriptedWriter, make_run

SHAPES = [
    Shape(strategy, retrieval, True, True)
    for strategy, retrieval in itertools.product(Strategy, RetrievalPolicy)
]


def ended(status: str, reason: str) -> RunFinished:
    return RunFinished(
        status=status, answer="", support=Support.UNKNOWN, useful=None, retries=0, reason=reason
    )


def test_names_at_the_head_of_an_answer_are_kept_as_they_are():
    refused = "scripted refused to answer. Ask in other words."
    assert verdict(ended("failed", refused)).remark == refused
    assert verdict(ended("stopped", "stopped by eX")).remark == "Stopped by eX."


@pytest.mark.parametrize("configured", [True, False, None])
def test_note_at_quotes_says_whether_there_is_a_language_model(configured: bool | None):
    run = make_run(ScriptedJudge(), ScriptedWriter())
    run.result(20)
    started = run.log.kept()[0].model_copy(update={"model_configured": configured})
    said = {
        True: "the answers quote your documents: the writer is set to quotes",
        False: "no language model configured: sentences quoted from your documents",
        None: "the answers quote your documents: no language model writes them",
    }
    assert notice([started]) == said[configured]
    assert notice([started.model_copy(update={"language_model": True})]) is None


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: f"{s.strategy}-{s.retrieval}")
def test_every_node_has_its_words_and_its_icon(shape: Shape):
    nodes = set(build_graph(2, shape).get_graph().nodes) - {"__start__", "__end__"}
    assert nodes <= set(DOING)
    steps = {node for node in nodes if not node.startswith("increment_")}
    assert steps <= set(PURPOSE)
    assert steps <= set(ICONS)
