"""The Evaluate page, run as Streamlit runs it: labels and uploaded sets, measured behind it."""

import io
import json
import threading
import zipfile
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from selfrag.errors import UserError
from selfrag.evaluation.answers.choice import AnswerChoice
from selfrag.evaluation.answers.studies import Asked as AnswersAsked
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.background import Background, Done
from selfrag.evaluation.retrieval_study import Cancelled, Progress
from selfrag.evaluation.study import make_study
from selfrag.records.labels import Relevance
from selfrag.retrieval.result import Mode
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.ui.evaluate_place import HISTORY, PART
from tests.evaluation.test_history import damage
from tests.evaluation.test_retrieval_sets import DOCUMENTS, QUERIES
from tests.pages.test_compare import QUESTION, harbour, rag, texts  # noqa: F401  (fixtures)

PAGE = Path(__file__).resolve().parents[2] / "pages" / "evaluate.py"
NAVIGATION = Path(__file__).resolve().parents[2] / "selfrag" / "ui" / "navigation.py"
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td4\t1\n"


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(PAGE, default_timeout=60)


def lines(rows: dict[str, str]) -> str:
    return "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in rows.items())


def zipped(root: str = "dam/", **changed: str | bytes) -> bytes:
    files: dict[str, str | bytes] = {
        "corpus.jsonl": lines(DOCUMENTS),
        "queries.jsonl": lines(QUERIES),
        "qrels/test.tsv": QRELS,
    }
    files |= {name.replace("_tsv", "").replace("_", "."): text for name, text in changed.items()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, text in files.items():
            if text:
                made.writestr(root + name, text)
    return out.getvalue()


def measure(app: AppTest, rag: SelfRag) -> str:  # noqa: F811
    next(button for button in app.button if button.label == "Measure").click().run()
    assert rag.studies.background().wait(60)
    app.run()
    assert not app.exception
    return texts(app)


def test_without_labels_it_says_where_they_come_from(harbour: SelfRag, app: AppTest) -> None:  # noqa: F811
    app.run()
    assert "You have no labels yet" in texts(app)
    assert next(button for button in app.button if button.label == "Measure").disabled


def test_labels_are_measured_and_open_in_compare(harbour: SelfRag, app: AppTest) -> None:  # noqa: F811
    for question in (QUESTION, "Are dogs allowed?", "When is the flood?"):
        hit = harbour.retrieve(question, Mode.DENSE).hits[-1]
        harbour.labels.put(question, hit, Relevance.RELEVANT)
    said = measure(app.run(), harbour)
    assert "3 questions" in said and "better/equal/worse" in said


def test_uploaded_set_is_measured_and_the_same_again_is_told(
    harbour: SelfRag,  # noqa: F811
    app: AppTest,
) -> None:
    assert harbour.studies.sets.add(zipped(), "upload.zip").name == "dam"
    app.run()
    next(box for box in app.selectbox if box.label == "Questions").set_value("dam").run()
    said = measure(app, harbour)
    assert "2 questions, 4 documents" in said and "1 question without qrels" in said
    assert "parameters of fusion" in said
    assert "best at" in said or "no difference" in said
    again = measure(app, harbour)
    assert "All of it was there" in again and "nothing was added to the history" in again


def test_new_session_opens_where_a_study_is_under_way_with_what_it_was_asked_for(
    harbour: SelfRag,  # noqa: F811
    app: AppTest,
) -> None:
    harbour.answers.files.add(b"question,ground_truth\nIs it deep?,Yes.\n", "deep.csv")
    choice = AnswerChoice(("plain",), rounds=3, oracle=True)
    stop = threading.Event()

    def work(progress: Progress, cancel: threading.Event) -> Done[AnswerStudy]:
        stop.wait(60)
        raise Cancelled("Cancelled.")

    background = harbour.answers.background()
    background.start("deep", work, AnswersAsked("deep", choice))
    try:
        app.run()
        assert not app.exception
        assert app.query_params["tab"] == "answers"
        assert app.number_input(key="answers-rounds").value == 3
        assert app.button_group(key="answers-strategies").value == ["plain"]
        assert app.toggle(key="answers-oracle").value is True
        labels = [button.label for button in app.button]
        assert labels.index("Cancel") < labels.index("Measure"), "it is seen without scrolling"
    finally:
        stop.set()
        assert background.wait(60)


def test_address_names_the_tab(harbour: SelfRag, app: AppTest) -> None:  # noqa: F811
    app.query_params["tab"] = "history"
    app.run()
    assert "Nothing has been measured yet" in texts(app)
    app.query_params["tab"] = "no such tab"
    app.run()
    assert not app.exception and "Nothing has been measured yet" in texts(app)


def test_set_is_taken_in_as_soon_as_it_is_chosen(harbour: SelfRag, app: AppTest) -> None:  # noqa: F811
    app.run()
    app.file_uploader[0].set_value(("dam.zip", zipped(), "application/zip")).run()
    assert not app.exception
    assert next(box for box in app.selectbox if box.label == "Questions").value == "dam"
    assert app.toast[0].value.replace("\\", "").startswith("dam is there: 2 questions")
    assert app.success[0].value == app.toast[0].value
    assert not app.file_uploader[0].value
    app.run()
    assert not app.toast, "it is said once"


def show_history(app: AppTest) -> str:
    app.session_state[PART] = HISTORY
    app.run()
    assert not app.exception
    return texts(app)


def test_history_tells_what_changed_opens_a_result_and_deletes_it(
    harbour: SelfRag,  # noqa: F811
    app: AppTest,
) -> None:
    assert "Nothing has been measured yet" in show_history(app)
    hit = harbour.retrieve(QUESTION, Mode.DENSE).hits[0]
    harbour.labels.put(QUESTION, hit, Relevance.RELEVANT)
    variants = [Variant.parse(name) for name in ("bm25", "dense")]
    first = harbour.studies.measure_labels(variants)
    other = harbour.retrieve("Are dogs allowed?", Mode.DENSE).hits[0]
    harbour.labels.put("Are dogs allowed?", other, Relevance.RELEVANT)
    second = harbour.studies.measure_labels(variants)
    assert second.changes == ("questions: 1 before, 2 now", "labels: 1 before, 2 now")

    said = show_history(app)
    assert "2 questions" in said and "1 question" in said
    assert "questions: 1 before, 2 now" in said
    assert "on the two sides of a dotted line" in said
    next(it for it in app.button if it.key == f"open-{first.result_id}").click().run()
    assert "One question is not enough for a test" in texts(app)
    next(it for it in app.button if it.key == "delete-result").click().run()
    next(it for it in app.button if it.key == "delete-for-good").click().run()
    assert not app.exception
    assert [it.id for it in harbour.history.all()] == [second.result_id]
    assert "A second result of this set makes a line" in texts(app)


def test_damaged_result_is_listed_beside_the_others_and_deleted(
    harbour: SelfRag,  # noqa: F811
    app: AppTest,
) -> None:
    hit = harbour.retrieve(QUESTION, Mode.DENSE).hits[0]
    harbour.labels.put(QUESTION, hit, Relevance.RELEVANT)
    bad, good = (harbour.studies.measure_labels([Variant.parse(it)]) for it in ("bm25", "dense"))
    assert bad.result_id
    folder = harbour.settings.storage_dir.expanduser()
    damage(folder, bad.result_id, means="{broken")
    said = show_history(app)
    assert "This result cannot be read any more" in said and "1 question" in said
    next(it for it in app.button if it.key == f"delete-{bad.result_id}").click().run()
    next(it for it in app.button if it.key == "delete-for-good").click().run()
    assert not app.exception
    assert [it.id for it in harbour.history.all()] == [good.result_id]
    assert "cannot be read" not in texts(app)


@pytest.mark.parametrize(
    "columns", [{"payload": "{}"}, {"payload": "{broken"}, {"kind": "tea"}, {"made_of": "x"}]
)
def test_result_that_cannot_be_read_says_so_and_can_be_deleted(
    harbour: SelfRag,  # noqa: F811
    app: AppTest,
    columns: dict[str, str],
) -> None:
    hit = harbour.retrieve(QUESTION, Mode.DENSE).hits[0]
    harbour.labels.put(QUESTION, hit, Relevance.RELEVANT)
    kept = harbour.studies.measure_labels([Variant.parse("bm25")]).result_id
    assert kept
    damage(harbour.settings.storage_dir.expanduser(), kept, **columns)
    app.query_params["result"] = kept
    app.run()
    assert not app.exception
    assert "This result cannot be read any more: delete it." in texts(app)
    next(it for it in app.button if it.key == "delete-result").click().run()
    next(it for it in app.button if it.key == "delete-for-good").click().run()
    assert not app.exception and harbour.history.all() == []


def test_address_of_a_result_that_is_gone_is_a_sentence(harbour: SelfRag) -> None:  # noqa: F811
    app = AppTest.from_file(PAGE, default_timeout=60)
    app.query_params["result"] = "0" * 36
    app.run()
    assert not app.exception
    assert "no longer kept" in texts(app)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no zip", "no zip that can be opened"),
        (zipped()[:-40], "no zip that can be opened"),
        (zipped(corpus_jsonl=""), "no corpus.jsonl"),
        (zipped(queries_jsonl=""), "is not there"),
        (zipped(queries_jsonl='{"_id": "q9", "text": "?"}'), "take qrels that belong"),
        (zipped(queries_jsonl='{"_id": "q1", "text": "água"}'.encode("latin-1")), "UTF-8"),
        (zipped(queries_jsonl=lines({"q1": "a", "q2": "b"}) * 2), "dam/queries.jsonl has the id"),
        (zipped(queries_jsonl=lines({"q1": " ", "q2": ""})), "measured on dam: 'q1', .* no text"),
        (zipped(**{"qrels/test.tsv": "q1\td1\t0\n"}), "no document that is judged relevant"),
        (zipped(**{"qrels/test.tsv": "q1\td1\t1\nq1\td1\t0\n"}), "a second time"),
    ],
)
def test_upload_that_is_no_set_is_refused_and_leaves_nothing(
    rag: SelfRag,  # noqa: F811
    tmp_path: Path,
    content: bytes,
    said: str,
) -> None:
    with pytest.raises(UserError, match=said) as told:
        rag.studies.sets.add(content, "upload.zip")
    assert ".part" not in str(told.value) and str(tmp_path) not in str(told.value)
    assert rag.studies.sets.all() == []


def test_zip_cannot_write_outside_its_folder(rag: SelfRag, tmp_path: Path) -> None:  # noqa: F811
    out = io.BytesIO(zipped(root=""))
    with zipfile.ZipFile(out, "a") as made:
        made.writestr("qrels/../../../outside.tsv", "x")
        made.writestr("../outside.tsv", "x")
    assert rag.studies.sets.add(out.getvalue(), "../up load.zip").name == "up_load"
    assert not list(tmp_path.rglob("outside*")) or all(
        "qrels" in path.parts for path in tmp_path.rglob("outside*")
    )
    rag.studies.sets.remove("up_load")
    with pytest.raises(UserError, match="no set"):
        rag.studies.sets.path("..")


def test_one_study_at_a_time_and_it_can_be_cancelled(rag: SelfRag) -> None:  # noqa: F811
    background = Background()
    begun = threading.Event()

    def work(progress, cancel):
        begun.set()
        progress("searching", 1, 2)
        assert cancel.wait(20)
        from selfrag.evaluation.retrieval_study import Cancelled

        raise Cancelled("Cancelled. What was searched is kept.")

    background.start("first", work)
    assert begun.wait(20)
    with pytest.raises(UserError, match="first is being measured"):
        background.start("second", work)
    background.cancel()
    assert background.wait(20)
    view = background.view()
    assert view is not None and view.cancelled and (view.done, view.total) == (1, 2)
    empty = make_study("set", {}, {}, {})
    background.start("second", lambda *_: Done(empty, again=True))
    assert background.wait(20)
    assert background.view().ended == Done(empty, again=True)


def test_what_one_person_measures_nobody_else_sees(harbour: SelfRag) -> None:  # noqa: F811
    harbour.studies.start_labels([], owner="a")
    assert harbour.studies.background("a").wait(20)
    assert harbour.studies.background("a").view() is not None
    assert harbour.studies.background().view() is None


def test_error_of_a_click_is_a_sentence_at_the_top_of_the_page(
    rag: SelfRag,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def says(error: Exception) -> str:
        def fails() -> None:
            raise error

        monkeypatch.setattr(rag.samples, "load", fails)
        app = AppTest.from_file(NAVIGATION, default_timeout=60).run()
        next(it for it in app.button if it.label == "Load the samples").click().run()
        assert not app.exception
        (said,) = [it.value for it in app.error]
        assert not app.run().error, "it is said once"
        return said.replace("\\", "")

    assert says(UserError("The disk is full: make room.")) == "The disk is full: make room."
    assert "Something went wrong" in says(OSError("secret path"))
    assert "secret path" in caplog.text
