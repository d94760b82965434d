"""A run that is stopped says how far its answer had come, on the page and in the account."""

import threading

import pytest

from selfrag.reflection.account import how_answered
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import UsefulnessGrade
from selfrag.reflection.strategy import USUAL, RetrievalPolicy, Shape, Strategy
from selfrag.ui.verdict import remark_of
from tests.reflection.scripted import ScriptedJudge, ScriptedSearch, ScriptedWriter, make_run

WAIT = 20
PLAIN = Shape(Strategy.PLAIN, RetrievalPolicy.ALWAYS)


@pytest.mark.parametrize(
    ("shape", "at", "reason", "remark"),
    [
        (USUAL, "search", "before anything was written", "Stopped before anything was written."),
        (PLAIN, "search", "before anything was written", "Stopped before anything was written."),
        (USUAL, "words", "before the answer was checked", "by then has not been checked."),
        (PLAIN, "words", "while the answer was being written", "by then has not been checked."),
        (USUAL, "second search", "after the claims of this answer were checked", "was over."),
    ],
)
def test_stopped_run_says_how_far_its_answer_had_come(
    shape: Shape, at: str, reason: str, remark: str
) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def wait_at(place: str) -> None:
        if at == place:
            reached.set()
            go_on.wait(WAIT)

    class Search(ScriptedSearch):
        def __call__(self, query):
            wait_at("second search" if self.queries else "search")
            return super().__call__(query)

    class Writer(ScriptedWriter):
        def write(self, question, passages, feedback=None):
            yield "The first words "
            wait_at("words")
            yield "and the rest. [Doc 1]"

    judge = ScriptedJudge(useful=lambda _: UsefulnessGrade(False, 3))
    run = make_run(judge, Writer(), Search(), shape=shape)
    assert reached.wait(WAIT)
    if at == "words":
        assert any(event.step == "answer_delta" for event in run.follow())
    run.stop()
    end = run.result(1)
    go_on.set()
    assert end.reason.startswith(f"stopped {reason}")
    view = RunView.of(run.log.kept())
    assert remark_of(view).endswith(remark)
    told = how_answered(view)
    assert ("before anything was written" in told) is (at == "search")


def test_run_ends_where_what_it_found_cannot_be_placed() -> None:
    def locate(found, quote):
        raise IndexError("string index out of range")

    end = make_run(locate=locate).result(WAIT)
    assert end.status == "failed"
    assert "IndexError" in end.reason
