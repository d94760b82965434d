"""Two runs side by side: what is told of them, from their logs alone."""

from selfrag.reflection import events
from selfrag.reflection.differences import compare
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support


def view(**changes) -> RunView:
    """A run that was answered from page 1, with one claim; ``changes`` as named below."""
    started = {
        "run_id": "r",
        "question": "Why?",
        "strategy": "selfrag",
        "writer": "w",
        "judge": "j",
        "language_model": True,
        "max_retries": 3,
        "mode": "full",
    }
    ended = {
        "status": "answered",
        "answer": "Because. [1]",
        "support": Support.FULLY,
        "useful": True,
        "retries": 0,
        "elapsed_s": 1.0,
        "claims": [events.ClaimGrade(text="Because.", support=Support.FULLY)],
        "citations": [cited("a.pdf", 1)],
        "usage": events.StepUsage(llm_calls=6, input_tokens=900, output_tokens=100, cost_usd=0.01),
    }
    steps = changes.pop("steps", ("retrieve", "generator"))
    for name, value in changes.items():
        (started if name in started or name == "documents" else ended)[name] = value
    log = [events.RunStarted(**started)]
    log += [events.StepStarted(node=node) for node in steps]
    return RunView.of([*log, events.RunFinished(**ended)])


def cited(document: str, page: int) -> events.Citation:
    return events.Citation(
        number=1, chunk_id="c", document_id="d", document=document, page=page, quote="q"
    )


def test_runs_that_are_alike_have_nothing_to_tell():
    found = compare(view(), view())
    assert found.sentences == []
    assert all(fact.same for fact in found.facts)
    assert not found.only_a | found.only_b
    assert not found.claims_a | found.claims_b


def test_each_difference_is_told_in_words():
    other = view(
        question="How?",
        strategy="plain",
        writer="x",
        status="unsupported",
        support=Support.NOT,
        answer="So. [1]",
        retries=2,
        elapsed_s=4.0,
        claims=[events.ClaimGrade(text="So.", support=Support.NOT)],
        citations=[cited("b.pdf", 7)],
        usage=events.StepUsage(llm_calls=9, input_tokens=2900, output_tokens=100),
        steps=("retrieve", "generator", "query_rewriter"),
    )
    assert compare(view(), other).sentences == [
        "They were asked different questions.",
        "Strategy: selfrag in A, plain in B.",
        "Writer: w in A, x in B.",
        "Verdict: “Answered and grounded” in A, “Not backed by your documents” in B.",
        "Only B has the step “Putting the question in other words”.",
        "B needed more retries: 2 more.",
        "The answers are worded differently.",
        "Claims: 1 of 1 claim backed in A, 0 of 1 claim backed in B.",
        "Only A cites a.pdf, page 1. Only B cites b.pdf, page 7.",
        "B made 3 model calls more.",
        "B took 2,000 tokens more.",
        "B took longer: 4.0 s instead of 1.0 s.",
        "Cost: $0.0100 in A, price not known in B.",
    ]


def test_what_only_one_of_them_has_is_named():
    a = view(citations=[cited("a.pdf", 1), cited("a.pdf", 2)])
    b = view(claims=[events.ClaimGrade(text="Another.", support=Support.FULLY)])
    found = compare(a, b)
    assert (found.only_a, found.only_b) == ({("a.pdf", 2)}, frozenset())
    assert (found.claims_a, found.claims_b) == ({"Because."}, {"Another."})


def test_other_documents_of_the_same_number_are_a_difference():
    said = compare(view(documents=["a"]), view(documents=["b"])).sentences
    assert said == ["They searched in different documents."]


def test_moments_that_nobody_notices_are_not_told():
    assert compare(view(elapsed_s=0.1), view(elapsed_s=0.4)).sentences == []
    assert compare(view(elapsed_s=10.0), view(elapsed_s=11.0)).sentences == []


def test_run_under_way_can_be_looked_at():
    going = RunView.of([events.RunStarted(**view().started.model_dump(exclude={"step"}))])
    said = compare(going, view())
    assert ("Verdict", "Not finished") in [(fact.name, fact.a) for fact in said.facts]
    assert "0" not in [fact.a for fact in said.facts if fact.name == "Model calls"]
