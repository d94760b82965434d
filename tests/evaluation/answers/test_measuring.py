"""Studies of answers end to end: over a real connection and without a language model."""

import csv
import io
import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.evaluation.answers.choice import AnswerChoice
from selfrag.evaluation.answers.folder import must_take_results
from selfrag.evaluation.answers.measures import CLAIMS_BACKED, DECIDED, RAGAS, VERDICT
from selfrag.evaluation.answers.measuring import ORACLE_ALONE
from selfrag.evaluation.answers.questions import QuestionSet
from selfrag.evaluation.answers.spending import StudyBudget
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.answers.text import as_csv, as_html, round_csv, sentences, tables
from selfrag.evaluation.retrieval_study import Cancelled
from selfrag.service import SelfRag
from tests.support.llm_answers import failure, structured, text
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

TWICE = AnswerChoice(rounds=2)
PLAIN = AnswerChoice(strategies=("plain",), rounds=1)


def without_rows(study: AnswerStudy) -> dict:
    return {name: value for name, value in study.to_json().items() if name != "rows"}


def test_without_a_language_model_it_is_said_what_can_be_had(
    library: Callable[..., SelfRag], questions: QuestionSet
) -> None:
    rag = library()
    made = rag.answers.measure(questions, TWICE)
    study = made.study
    assert len(study.rows) == 4 * 3 * 2
    assert study.measures[:2] == (CLAIMS_BACKED, VERDICT)
    assert set(study.unavailable) == set(RAGAS)
    said = sentences(study)
    assert "Not measured: faithfulness" in "\n".join(said)
    assert "Correctness was not compared" in "\n".join(said)
    assert said[0].startswith("Asked what the documents cannot answer, selfrag abstained on 1 of 1")
    assert said[0] in as_html(study).replace("&#x27;", "'")
    assert study.figures["selfrag"].values[DECIDED] == dict.fromkeys(
        [each.id for each in questions.questions[:3]], 1.0
    ), "of the statement it is not known whether the documents answer it"
    assert study.figures["plain"].means[DECIDED].mean == pytest.approx(2 / 3)
    assert made.spent.llm_calls == 0
    begin = [study.rows[place].system for place in range(0, len(study.rows), 3)]
    assert begin[:4] == ["plain", "critique", "selfrag", "plain"]
    assert begin[4] == "critique", "in the next round another one is the first"
    selfrag = study.figures["selfrag"]
    assert selfrag.means[VERDICT].mean == 1.0 and selfrag.means[VERDICT].count == 1
    assert selfrag.by_round[CLAIMS_BACKED] == [1.0, 1.0]
    cells = study.abstention
    assert (cells["selfrag"].right, cells["selfrag"].declined) == (4, 2)
    assert cells["plain"].over_confident == 1.0, "it answers what cannot be answered"
    assert cells["selfrag"].unknown == 2, "no gold passage of the statement is known"


def test_every_answer_is_graded_and_everything_spent_is_counted(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    made = with_model.answers.measure(questions, AnswerChoice(rounds=1))
    study = made.study
    assert study.writer == study.judge == "scripted"
    assert "grades its own answers" in study.warnings[0]
    assert made.spent.llm_calls == len(llm_server.requests)
    calls = sum(row.measures["calls"] for row in study.rows)
    assert calls + study.grading["calls"] == made.spent.llm_calls
    plain = study.figures["plain"]
    assert plain.means["faithfulness"].mean == 1.0, "it quotes"
    assert plain.means["context_recall"].mean == 1.0
    assert plain.means["calls"].mean == 1.0
    cost = plain.means["cost_usd"].mean
    tokens = {name: plain.means[name].mean for name in ("input_tokens", "output_tokens", "tokens")}
    assert cost == pytest.approx((tokens["input_tokens"] + 2 * tokens["output_tokens"]) / 1e6)
    assert tokens["tokens"] == tokens["input_tokens"] + tokens["output_tokens"]
    # Of four questions two have a ground truth to be found.
    assert plain.undefined["context_recall"] == 2
    assert plain.means["context_recall"].count == 2
    assert study.figures["selfrag"].means["calls"].mean > 4


def test_the_same_again_asks_nothing_and_is_the_same(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    first = with_model.answers.measure(questions, TWICE)
    asked = len(llm_server.requests)
    second = with_model.answers.measure(questions, TWICE)
    assert len(llm_server.requests) == asked
    assert second.again and not first.again
    assert second.spent.llm_calls == 0
    assert second.study == first.study and second.signature == first.signature


def test_library_that_changes_meanwhile_ends_the_study_and_nothing_false_is_kept(
    library: Callable[..., SelfRag], questions: QuestionSet, tmp_path: Path
) -> None:
    rag = library()
    other = make_pdf(tmp_path / "other.pdf", ["Nobody knows who painted the chapel. " * 20])

    def progress(what: str, done: int, total: int) -> None:
        if what.startswith("answering") and done == 3 and len(rag.ready()) == 1:
            assert [it.status for it in rag.ingest([other])] == ["ready"]

    made = rag.answers.measure(questions, TWICE, progress=progress)
    assert "Documents were added, removed or changed" in str(made.study.stopped)
    assert len(made.study.rows) == 3
    assert rag.answers.keep(made).result_id is None, "it is not in the history"
    (added,) = (each for each in rag.ready() if each.name == "other.pdf")
    rag.delete(added.id)
    again = rag.answers.measure(questions, TWICE)
    assert again.study.stopped is None
    assert not any(name == "other.pdf" for row in again.study.rows for name, *_ in row.contexts)


def test_damaged_lines_are_asked_for_again(
    library: Callable[..., SelfRag], questions: QuestionSet
) -> None:
    rag = library()
    first = rag.answers.measure(questions, PLAIN)
    for path in rag.answers.results.parent.glob("*/*.jsonl"):
        lines = path.read_bytes().split(b"\n")
        whole = json.loads(lines[1])
        field = "answer" if "answer" in whole else "grades"
        lines[1] = json.dumps({"key": whole["key"], field: {"x": 1}}).encode()
        lines[2] = b"\xff\xfe" + lines[2]
        path.write_bytes(b"\n".join(lines))
    second = rag.answers.measure(questions, PLAIN)
    assert not second.again
    assert [row.answer for row in second.study.rows] == [row.answer for row in first.study.rows]


def test_results_folder_that_cannot_be_written_loses_nothing(
    library: Callable[..., SelfRag], questions: QuestionSet, tmp_path: Path
) -> None:
    rag = library()
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be written"):
        must_take_results(blocked)
    made = rag.answers.measure(questions, PLAIN)
    with pytest.raises(UserError, match="cannot be written"):
        rag.answers.keep(made, folder=blocked)
    assert len(rag.history.all(None)) == 1


def test_more_of_anything_costs_only_what_is_new(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    fewer = replace(questions, questions=questions.questions[:2])
    with_model.answers.measure(fewer, PLAIN)
    written = len(llm_server.asked(None))
    with_model.answers.measure(questions, PLAIN)
    assert len(llm_server.asked(None)) == written + 2
    with_model.answers.measure(questions, replace(PLAIN, rounds=2))
    assert len(llm_server.asked(None)) == written + 2 + 4


def test_another_judge_costs_grades_but_no_answer(
    open_rag: Callable[..., SelfRag],
    with_model: SelfRag,
    questions: QuestionSet,
    llm_server: LlmServer,
) -> None:
    first = with_model.answers.measure(questions, PLAIN)
    with_model.close()
    written = len(llm_server.asked(None))
    rag = open_rag(
        llm_base_url=llm_server.url, chat_model="scripted", evaluation_judge_model="other"
    )
    second = rag.answers.measure(questions, PLAIN)
    assert len(llm_server.asked(None)) == written
    assert {r.body["model"] for r in llm_server.requests[-3:]} == {"other"}
    assert second.study.judge == "other" and second.study.warnings == ()
    assert second.signature != first.signature
    different = {name for name in first.made_of if first.made_of[name] != second.made_of[name]}
    assert different == {"evaluation judge"}


def test_cancelled_study_goes_on_where_it_was(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    cancel = threading.Event()

    def progress(what: str, done: int, total: int) -> None:
        if what.startswith("answering") and done == 3:
            cancel.set()

    with pytest.raises(Cancelled, match="is kept"):
        with_model.answers.measure(questions, TWICE, progress=progress, cancel=cancel)
    before = len(llm_server.requests)
    totals = []
    made = with_model.answers.measure(
        questions, TWICE, progress=lambda what, done, total: totals.append((what, total))
    )
    assert dict(totals)["answering"] == 24 - 3
    assert len(made.study.rows) == 24
    asked = len(llm_server.requests) - before
    assert made.spent.llm_calls == asked


def test_study_whose_budget_is_too_small_for_anything_says_that_it_goes_no_further(
    with_model: SelfRag, questions: QuestionSet
) -> None:
    small = AnswerChoice(rounds=1, budget=StudyBudget(calls=3))
    ended = [with_model.answers.measure(questions, small).further for _ in range(3)]
    # An answer may be kept at first; its grades take more than three calls.
    assert ended[-1] is False
    enough = AnswerChoice(rounds=1, budget=StudyBudget(calls=40))
    assert with_model.answers.measure(questions, enough).further


@pytest.mark.parametrize("calls", [1, 7, 20])
def test_budget_of_calls_is_never_exceeded_and_the_study_goes_on(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer, calls: int
) -> None:
    whole = AnswerChoice(rounds=1)
    small = replace(whole, budget=StudyBudget(calls=calls))
    llm_server.delay = 0.05  # so that some are under way when the budget is spent
    made = with_model.answers.measure(questions, small)
    until = time.monotonic() + 5
    while len(llm_server.requests) < made.spent.llm_calls and time.monotonic() < until:
        time.sleep(0.02)
    assert made.spent.llm_calls == len(llm_server.requests) <= calls
    assert f"the budget of {calls} call" in (made.study.stopped or "")
    assert "It was stopped" in sentences(made.study)[0]
    rest = with_model.answers.measure(questions, whole)
    assert rest.study.stopped is None and len(rest.study.rows) == 12


@pytest.mark.parametrize(
    "budget", [StudyBudget(tokens=500), StudyBudget(cost=0.0005), StudyBudget(seconds=0.05)]
)
def test_other_budgets_end_it_with_what_it_has(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer, budget: StudyBudget
) -> None:
    llm_server.delay = 0.02
    made = with_model.answers.measure(questions, AnswerChoice(rounds=5, budget=budget))
    assert "the budget of" in (made.study.stopped or "")
    assert len(made.study.rows) < 60
    assert all(row.status != "stopped" for row in made.study.rows)


def test_budget_in_dollars_needs_a_price(
    library: Callable[..., SelfRag],
    questions: QuestionSet,
    llm_server: LlmServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("selfrag.reflection.casting.is_here", lambda address: False)
    rag = library(llm_base_url=llm_server.url, chat_model="scripted")
    with pytest.raises(UserError, match="price of scripted is not known"):
        rag.answers.measure(questions, replace(PLAIN, budget=StudyBudget(cost=1.0)))
    made = rag.answers.measure(questions, PLAIN)
    figures = made.study.figures["plain"]
    assert figures.means["cost_usd"].mean is None and figures.undefined["cost_usd"] == 4
    assert made.study.grading["cost_usd"] is None


def test_failures_are_listed_with_their_question_and_asked_for_again(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    llm_server.reply(
        failure(400, "too long"), when=lambda r: r.schema is None and "chapel" in r.user
    )
    llm_server.reply(
        text("It is fine."), when=lambda r: r.schema == "AttributedStatements", times=2
    )
    study = with_model.answers.measure(questions, PLAIN).study
    what = {(each.question, each.what) for each in study.failures}
    assert what == {
        ("Who painted the ceiling of the chapel?", "answer"),
        ("How much is the patent royalty?", "context_recall"),
    }
    assert study.figures["plain"].failed == 1
    assert "What could not be had" in {title for title, *_ in tables(study)}
    llm_server.reply(text("Nobody knows."), when=lambda r: r.schema is None and "chapel" in r.user)
    before = len(llm_server.requests)
    again = with_model.answers.measure(questions, PLAIN)
    assert again.study.failures == () and not again.again
    repeated = [r.schema for r in llm_server.requests[before:]]
    assert repeated.count(None) == 1, "only the answer that failed is given again"


def test_endpoint_that_is_gone_ends_the_study_soon(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    llm_server.reply(failure(400, "no such thing"))
    study = with_model.answers.measure(questions, AnswerChoice(rounds=5)).study
    assert "failed one after another" in (study.stopped or "")
    assert len(study.rows) == 4
    assert study.figures["plain"].means["faithfulness"].mean is None


def test_oracle_without_a_language_model_is_shown_with_what_its_judge_cannot(
    library: Callable[..., SelfRag], questions: QuestionSet
) -> None:
    rag = library()
    choice = replace(PLAIN, oracle=True)
    assert ORACLE_ALONE in rag.answers.measure(questions, choice).study.notes
    assert ORACLE_ALONE not in rag.answers.measure(questions, PLAIN).study.notes


def test_oracle_is_given_the_gold_passage_alone(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    choice = AnswerChoice(strategies=("plain", "selfrag"), rounds=1, oracle=True)
    study = with_model.answers.measure(questions, choice).study
    oracle = [row for row in study.rows if row.system == "plain, oracle"]
    assert len(oracle) == 2 and all(row.evidence for row in oracle)
    assert [row.contexts[0][:2] for row in oracle] == [("handbook.pdf", 2), ("handbook.pdf", 1)]
    assert {page for row in oracle for _, page, _ in row.contexts[:1]} == {1, 2}
    assert study.abstention["plain, oracle"].known == 2
    compared = {(pair.a, pair.b) for pair in study.pairs["faithfulness"]}
    assert compared == {
        ("plain", "selfrag"),
        ("plain", "plain, oracle"),
        ("selfrag", "selfrag, oracle"),
    }
    assert any("oracle answers the 2 questions" in note for note in study.notes)


def test_over_cautious_and_over_confident_are_told_apart(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    llm_server.reply(text("The documents do not say."), when=lambda r: r.schema is None)
    llm_server.reply(structured(noncommittal=True, questions=[]), when="QuestionsFromAnswer")
    cautious = with_model.answers.measure(questions, PLAIN).study.abstention["plain"]
    assert (cautious.cautious, cautious.declined) == (2, 1)
    assert cautious.over_cautious == 1.0 and cautious.over_confident == 0.0
    assert cautious.precision == pytest.approx(1 / 3) and cautious.recall == 1.0


def test_verdicts_are_compared_with_the_label(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    choice = AnswerChoice(rounds=1)
    study = with_model.answers.measure(questions, choice).study
    assert study.figures["selfrag"].means[VERDICT].mean == 1.0
    plain = study.figures["plain"]
    assert plain.why[VERDICT] == {"this strategy gives no verdict": 1}
    llm_server.reply(
        structured(thought="No.", evidence=[], verdict="not_enough_evidence"),
        when="VerdictOnClaim",
    )
    wrong = with_model.answers.measure(questions, choice, fresh=True).study
    assert wrong.figures["selfrag"].means[VERDICT].mean == 0.0


def test_study_survives_json_and_is_written_beside_earlier_ones(
    with_model: SelfRag, questions: QuestionSet, tmp_path
) -> None:
    made = with_model.answers.measure(questions, TWICE)
    read = AnswerStudy.from_json(json.loads(json.dumps(made.study.to_json())))
    assert without_rows(read) == without_rows(made.study)
    assert [replace(row, contexts=()) for row in read.rows] == [
        replace(row, contexts=(), grading=type(row.grading)()) for row in made.study.rows
    ]
    first = with_model.answers.keep(made, folder=tmp_path / "results").folder
    assert first is not None
    before = {path.name: path.read_bytes() for path in first.iterdir()}
    second = with_model.answers.keep(made, folder=tmp_path / "results").folder
    assert first != second
    assert {path.name: path.read_bytes() for path in first.iterdir()} == before
    assert set(before) == {
        *("round-1.csv", "round-2.csv", "summary.csv", "study.json", "report.html")
    }
    rows = list(csv.DictReader(io.StringIO(before["round-2.csv"].decode("utf-8-sig"))))
    assert len(rows) == 12 and {row["round"] for row in rows} == {"2"}
    assert json.loads(rows[0]["contexts"])[0]["document"] == "handbook.pdf"
    whole = json.loads(before["study.json"])
    assert whole["signature"] == made.signature and whole["made_of"] == made.made_of


def test_studies_in_the_background_are_followed_kept_and_compared(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    answers = with_model.answers
    answers.start(questions, PLAIN)
    with pytest.raises(UserError, match="is being measured"):
        answers.start(questions, PLAIN)
    assert answers.background("somebody else").view() is None
    assert answers.background().wait(60)
    view = answers.background().view()
    assert view is not None and view.error is None and view.ended is not None
    done = view.ended
    assert not done.again and done.changes == ()
    assert done.folder is not None and (done.folder / "round-1.csv").is_file()
    record = with_model.history.get(done.result_id)
    assert record.kind == "answers" and record.undefined == done.study.undefined
    assert record.means["plain"]["faithfulness"]["mean"] == 1.0
    payload = with_model.history.payload(record.id)
    assert without_rows(AnswerStudy.from_json(payload)) == without_rows(done.study)

    fewer = replace(questions, questions=questions.questions[:2])
    changed = answers.keep(answers.measure(fewer, PLAIN))
    assert changed.changes == ("questions: 4 before, 2 now",)
    stopped = answers.measure(questions, replace(TWICE, budget=StudyBudget(calls=1)))
    assert answers.keep(stopped).result_id is None, "its figures do not compare"


def test_tables_and_files_hold_the_numbers_and_nothing_that_runs(
    with_model: SelfRag, questions: QuestionSet
) -> None:
    tricky = replace(questions.questions[0], id="t", question="=cmd|'/c calc'!A1 <script>")
    data = replace(questions, name="<b>", questions=(*questions.questions[:2], tricky))
    study = with_model.answers.measure(data, AnswerChoice(rounds=1)).study
    title, heads, rows = tables(study)[0]
    assert title == "<b>" and len(rows) == 3
    assert heads[:3] == ["strategy", "faithfulness", "answer relevancy"]
    summary = list(csv.DictReader(io.StringIO(as_csv(study))))
    first = next(r for r in summary if (r["strategy"], r["measure"]) == ("plain", "faithfulness"))
    assert float(first["mean"]) == pytest.approx(study.figures["plain"].means["faithfulness"].mean)
    asked = [row["question"] for row in csv.DictReader(io.StringIO(round_csv(study, 1)))]
    assert "'=cmd|'/c calc'!A1 <script>" in asked
    page = as_html(study)
    assert "<b>" not in page and "<script>" not in page
    assert "faithfulness" in str(study) and "95 % intervals" in str(study)


@pytest.mark.parametrize(
    "choice",
    [
        {"strategies": ()},
        {"strategies": ("plain", "plain")},
        {"strategies": ("best",)},
        {"rounds": 0},
        {"rounds": 101},
    ],
)
def test_choices_that_make_no_study_are_refused(choice: dict) -> None:
    with pytest.raises(UserError):
        AnswerChoice(**choice)


@pytest.mark.parametrize("budget", [{"calls": 0}, {"seconds": -1.0}, {"cost": float("nan")}])
def test_budgets_that_allow_nothing_are_refused(budget: dict) -> None:
    with pytest.raises(UserError):
        StudyBudget(**budget)


def test_empty_library_says_what_to_do(rag: SelfRag, questions: QuestionSet) -> None:
    with pytest.raises(UserError, match="Your library is empty"):
        rag.answers.measure(questions, PLAIN)


def test_plan_says_what_it_will_cost_before_it_starts(
    with_model: SelfRag, questions: QuestionSet, llm_server: LlmServer
) -> None:
    plan = with_model.answers.plan(questions, AnswerChoice(rounds=2))
    assert llm_server.requests == []
    assert plan.answers == 24 and plan.warning
    assert plan.usd is not None and plan.usd > 0
    made = with_model.answers.measure(questions, AnswerChoice(rounds=2))
    assert 0.5 < made.spent.llm_calls / plan.calls < 1.5
