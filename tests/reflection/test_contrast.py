"""What is said of several answers to one question, from logs that are made up."""

import pytest

from selfrag.reflection import contrast
from selfrag.reflection.contrast import Side, differences, headline, outcome
from selfrag.reflection.events import (
    Citation,
    ClaimGrade,
    Generated,
    PassageGrade,
    RelevanceGraded,
    RunFinished,
    RunStarted,
    StepUsage,
)
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support, Verdict


def claim(support: Support, text: str = "It costs four euros.") -> ClaimGrade:
    return ClaimGrade(text=text, support=support)


def cite(page: int) -> Citation:
    return Citation(
        number=1, chunk_id="c", document_id="d", document="rules.pdf", page=page, quote="q"
    )


def side(strategy: str = "selfrag", *, usage: StepUsage | None = None, **end) -> Side:
    values = {
        "status": "answered",
        "answer": "Four euros.",
        "support": Support.UNKNOWN,
        "useful": None,
        "retries": 0,
        "elapsed_s": 1.0,
        "usage": usage,
    } | end
    started = RunStarted(
        run_id="r",
        question="What does it cost?",
        strategy=strategy,
        writer="w",
        judge="j",
        language_model=True,
        max_retries=3,
        mode="full",
    )
    return Side(strategy, RunView.of([started, RunFinished(**values)]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (side("plain"), "answered without checking any claim"),
        (side("critique"), "answered after one look over the whole"),
        (side("critique", status="unsupported"), "its own critique was not content"),
        (
            side(claims=[claim(Support.FULLY)] * 2, support=Support.FULLY),
            "found every claim backed",
        ),
        (
            side(claims=[claim(Support.FULLY), claim(Support.NOT)], support=Support.PARTIALLY),
            "found 1 of 2 claims backed",
        ),
        (side(status="abstained"), "gave no answer"),
        (side(status="unsupported", support=Support.NOT), "your documents do not back it"),
        (side(status="unsupported"), "could not check its claims"),
        (side(status="failed"), "failed"),
        (side(status="stopped"), "was stopped"),
        (side("plain", support=Support.NOT_APPLICABLE), "without your documents"),
        (side(verdict=Verdict.REFUTED), "speak against the statement"),
    ],
)
def test_each_outcome_has_its_words(given: Side, said: str) -> None:
    assert said in outcome(given)


def test_those_that_came_to_the_same_are_told_together() -> None:
    both = [side("plain"), side("plain"), side(status="abstained")]
    assert headline(both) == (
        "plain and plain answered without checking any claim; selfrag gave no answer, since "
        "nothing that was found answers the question."
    )
    assert headline([side(status="stopped")] * 3) == "All 3 were stopped."
    assert headline([side("plain"), side("plain")]) == "Both answered without checking any claim."


def test_same_answer_is_told_and_another_one_too() -> None:
    plain, critique = side("plain"), side("critique", answer="Four  euros.")
    other = side(answer="It costs four euros a month.")
    assert "The answers are the same, word for word." in differences([plain, critique])
    assert "plain and critique both give the same answer, word for word." in differences(
        [plain, critique, other]
    )
    assert "Each worded its answer differently." in differences([plain, other])


def test_answers_that_were_not_given_are_not_compared() -> None:
    said = differences([side("plain"), side(status="abstained", answer="Four euros.")])
    assert not [it for it in said if "answer" in it]


def test_only_one_cites_a_page() -> None:
    said = differences([side("plain", citations=[cite(1)]), side(citations=[cite(1), cite(2)])])
    assert "Only selfrag cites rules.pdf, page 2." in said
    same = differences([side("plain", citations=[cite(1)]), side(citations=[cite(1)])])
    assert "They cite the same pages." in same


def test_work_is_counted_from_the_log() -> None:
    busy = side()
    grades = [
        PassageGrade(chunk_id=str(n), document="d", page=1, relevant=n == 0) for n in range(3)
    ]
    busy.view.add(RelevanceGraded(grades=grades))
    for attempt in (1, 2):
        busy.view.add(Generated(attempt=attempt, answer="x", context=[]))
    (said,) = (it for it in differences([side("plain"), busy]) if it.startswith("selfrag"))
    assert said == "selfrag put 2 of 3 passages aside and wrote 2 times."


def used(calls: int, tokens: int, cost: float | None = None) -> StepUsage:
    return StepUsage(llm_calls=calls, input_tokens=tokens, cost_usd=cost)


def test_calls_tokens_time_and_cost_are_compared() -> None:
    sides = [
        side("plain", usage=used(1, 500, 0.0002), elapsed_s=1.0),
        side(usage=used(8, 2000, 0.0011), elapsed_s=3.0),
    ]
    assert contrast.calls(sides) == "How often the model was asked: plain once, selfrag 8 times."
    assert contrast.tokens(sides).startswith("selfrag took 4 times as many tokens as plain.")
    assert contrast.time(sides).startswith("selfrag took 3 times as long as plain.")
    assert contrast.cost(sides) == (
        "A thousand such questions would cost $0.20 by plain and $1.10 by selfrag."
    )
    assert "selfrag asked the model 8 times, plain once." in " ".join(differences(sides))


def test_what_is_not_known_is_not_taken_for_nothing() -> None:
    unknown = [side("plain", usage=used(1, 500)), side(usage=used(2, 500, 0.1))]
    assert "What plain cost is not known" in contrast.cost(unknown)
    assert contrast.cost([side("plain"), side()]) == "None of them cost anything."
    assert "no claim" in contrast.claims([side("plain")])
    assert contrast.claims([side(claims=[claim(Support.FULLY)])]) == (
        "selfrag: 1 of 1 claim backed by a source."
    )


def test_broken_off_ones_are_named_and_not_compared() -> None:
    sides = [side("plain", answer="Four"), side("critique", status="failed", answer="Four")]
    assert "critique failed" in headline(sides)
    assert not [it for it in differences(sides) if "word for word" in it]
    plain = side("plain", usage=used(1, 500), elapsed_s=1.0)
    cut = side("selfrag", status="stopped", usage=used(1, 121), elapsed_s=9.0)
    assert "times" not in contrast.tokens([plain, cut])
    assert "times as long" not in contrast.time([plain, cut])
    done = side("critique", usage=used(2, 1000), elapsed_s=2.0)
    assert contrast.tokens([plain, cut, done]).startswith("critique took 2 times as many")
