"""The Chat page, run as Streamlit runs it, over a real library with real or scripted roles."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.proto.Block_pb2 import Block
from streamlit.testing.v1 import AppTest

from selfrag import process
from selfrag.errors import ModelError
from selfrag.models.usage import UsageLedger
from selfrag.reflection.casting import Cast
from selfrag.reflection.grades import RelevanceGrade, RetrievalDecision, Rewrite, Support
from selfrag.service import SelfRag
from selfrag.settings import Settings
from selfrag.ui import turn
from tests.reflection.scripted import ScriptedJudge, ScriptedWriter
from tests.support.full_disk import full_while_set
from tests.support.pdf_factory import make_pdf

SCRIPT = Path(__file__).resolve().parents[2] / "selfrag" / "ui" / "navigation.py"
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUAY = "Dogs are not allowed on the quay of Saint Malo in summer. In winter they are welcome."
FERRY = "The ferry to Saint Malo leaves at noon."
QUESTION = "What is the tidal range of Saint Malo?"
_STEP = Block.Expandable.STEP
STEPS = [
    "Decided to look in your documents",
    "Found",
    "relevant",
    "Wrote an answer",
    "backed by a source",
    "It answers the question",
]


@pytest.fixture
def rag(tmp_path: Path) -> Iterator[SelfRag]:
    process.close()
    settings = Settings(_env_file=None, storage_dir=tmp_path / "storage", reranker_model="none")
    yield process.open_once(settings)
    process.close()


@pytest.fixture
def harbour(rag: SelfRag, tmp_path: Path) -> SelfRag:
    """The library with one document of two pages."""
    (result,) = rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES, QUAY])])
    assert result.error is None
    return rag


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(SCRIPT, default_timeout=60)


def script(
    rag: SelfRag,
    monkeypatch: pytest.MonkeyPatch,
    judge: ScriptedJudge | None = None,
    writer: ScriptedWriter | None = None,
) -> None:
    cast = Cast(writer or ScriptedWriter(), judge or ScriptedJudge(), UsageLedger())
    monkeypatch.setattr(rag.casting, "cast", lambda *_: cast)


def ask(app: AppTest, question: str = QUESTION) -> AppTest:
    app.chat_input[0].set_value(question).run()
    assert not app.exception
    return app


def clean(text: str) -> str:
    return text.replace("\\", "").replace(":gray[]", "").replace("\N{NO-BREAK SPACE}", " ")


def texts(app: AppTest) -> str:
    """Everything that is written on the page."""
    drawn = (*app.markdown, *app.caption, *app.error, *app.warning, *app.info)
    return clean("\n".join(str(element.value) for element in drawn))


def steps(app: AppTest) -> list[str]:
    return [clean(box.label) for box in app.expander if box.proto.type == _STEP]


def answers(app: AppTest) -> list[dict]:
    """What was given to each answer on the page, from top to bottom."""
    return [json.loads(part.proto.json) for part in app.get("bidi_component")]


def words(nodes: list[dict]) -> str:
    return "".join(
        words(node["children"]) if "children" in node else node.get("text", f"[{node.get('cite')}]")
        for node in nodes
    )


def pictures(app: AppTest) -> int:
    return len(app.get("image"))


def button(app: AppTest, label: str):
    return next(it for it in app.button if it.label == label)


def test_empty_library_says_what_this_does_and_leads_to_the_documents(rag: SelfRag, app: AppTest):
    app.run()
    assert not app.exception
    assert "Ask your own PDFs" in texts(app)
    assert not app.chat_input
    button(app, "Add your PDFs").click().run()
    assert not app.exception
    assert app.file_uploader


def test_question_is_answered_with_steps_in_order_and_the_page_beside_it(
    harbour: SelfRag, app: AppTest
):
    ask(app.run())
    assert "Answered and grounded" in texts(app)
    told = [label for label in steps(app) if any(part in label for part in STEPS)]
    assert [next(part for part in STEPS if part in label) for label in told] == STEPS
    (answer,) = answers(app)
    assert "thirteen metres" in words(answer["tree"])
    assert "[1]" in words(answer["tree"])
    assert answer["sources"] == {"1": "harbour.pdf, page 1"}
    assert answer["shown"] == 1
    assert "**harbour.pdf**, page 1" in texts(app)
    assert pictures(app) == 1


def test_every_answer_without_a_language_model_says_so(harbour: SelfRag, app: AppTest):
    ask(ask(app.run()), "Are dogs allowed on the quay in summer?")
    said = "No language model configured: sentences quoted from your documents"
    assert texts(app).count(said) == 2  # each answer; the input says it in other words


def test_earlier_answers_stay_below_the_newest(harbour: SelfRag, app: AppTest):
    ask(ask(app.run()), "Are dogs allowed on the quay in summer?")
    questions = [clean(it.value) for it in app.markdown if it.value.startswith("#### ")]
    assert questions == ["#### Are dogs allowed on the quay in summer?", f"#### {QUESTION}"]
    newest, earlier = answers(app)
    assert "Dogs" in words(newest["tree"])
    assert "thirteen" in words(earlier["tree"])
    assert earlier["shown"] is None
    assert "Step by step" in [box.label for box in app.expander]
    assert pictures(app) == 1


def test_new_chat_begins_with_nothing(harbour: SelfRag, app: AppTest):
    ask(app.run())
    button(app, "New chat").click().run()
    assert not answers(app)
    assert "What do you want to know?" in texts(app)
    assert "chat" not in app.query_params


def test_reload_finds_the_conversation_again(harbour: SelfRag, app: AppTest):
    ask(app.run())
    again = AppTest.from_file(SCRIPT, default_timeout=60)
    again.query_params["chat"] = app.query_params["chat"]
    again.run()
    assert "Answered and grounded" in texts(again)
    assert answers(again)[0]["tree"] == answers(app)[0]["tree"]


def test_two_tabs_do_not_see_each_other(harbour: SelfRag, app: AppTest):
    ask(app.run())
    other = AppTest.from_file(SCRIPT, default_timeout=60).run()
    assert not answers(other)
    assert "What do you want to know?" in texts(other)


def test_page_opened_in_the_middle_of_a_run_follows_it_to_the_end(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    writing = threading.Event()

    def held(number: int) -> str:
        writing.wait(20)
        return "The tidal range is thirteen metres. [Doc 1]"

    script(harbour, monkeypatch, writer=ScriptedWriter(held))
    threading.Timer(0.7, writing.set).start()
    ask(app.run())
    assert writing.is_set()
    assert "Answered and grounded" in texts(app)
    assert not any(it.label == "Stop" for it in app.button)


def test_input_is_free_again_when_the_run_ends_while_the_page_is_drawn(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    ask(app.run())
    go = threading.Event()

    def held(_: int) -> RetrievalDecision:
        go.wait(20)
        return RetrievalDecision(False, "a greeting")

    script(harbour, monkeypatch, ScriptedJudge(decide=held))
    read = turn.events_of

    def ended(rag: SelfRag, run_id: str):
        go.set()
        assert (run := rag.run(run_id)) is not None
        assert run.log.wait(20)
        return read(rag, run_id)

    monkeypatch.setattr(turn, "events_of", ended)
    ask(app, "Hello there!")
    assert not app.chat_input[0].proto.disabled
    assert not button(app, "New chat").proto.disabled


def test_run_that_was_stopped_says_so_and_can_be_asked_again(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    release = threading.Event()
    script(harbour, monkeypatch, ScriptedJudge(support=lambda _: release.wait(20) or Support.FULLY))
    started = []
    start = harbour.start

    def remember(*given, **options):
        run = start(*given, **options)
        started.append(run)
        threading.Timer(0.7, run.stop).start()
        return run

    monkeypatch.setattr(harbour, "start", remember)
    ask(app.run())
    release.set()
    assert "Stopped" in texts(app)
    assert not answers(app), "what was never checked must not look as if it had been"
    monkeypatch.setattr(harbour, "start", start)
    script(harbour, monkeypatch)
    button(app, "Try again").click().run()
    assert "Answered and grounded" in texts(app)
    assert len([it for it in app.markdown if it.value.startswith("#### ")]) == 1


def test_answer_that_could_not_be_kept_says_so_at_once_and_is_kept_when_there_is_room(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    full = full_while_set(harbour)

    def filled(_: int) -> RetrievalDecision:
        full.set()
        return RetrievalDecision(True, "")

    app.run()
    script(harbour, monkeypatch, ScriptedJudge(decide=filled))
    ask(app)
    assert "This answer is not kept yet" in texts(app) and "free some space" in texts(app)
    assert answers(app), "it is shown all the same"
    full.clear()
    button(app, "Keep it now").click().run()
    assert "not kept yet" not in texts(app) and not app.exception
    assert harbour.latest_runs(1)[0].status == "answered"


def test_retry_is_told_between_the_two_attempts(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    judge = ScriptedJudge(support=lambda n: Support.NOT if n == 1 else Support.FULLY)
    script(harbour, monkeypatch, judge)
    ask(app.run())
    assert "Trying again, told which 1 claim had no backing (1 of 3)" in texts(app)
    labels = " ".join(steps(app))
    assert labels.index("not backed") < labels.index("Wrote the answer again")
    assert "1 retry" in texts(app)


def test_answer_that_is_not_backed_is_headed_as_such(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    script(harbour, monkeypatch, ScriptedJudge(support=lambda _: Support.NOT))
    ask(app.run())
    assert ":red[:material/cancel: Not backed by your documents]" in texts(app)
    assert "Treat it as a guess" in texts(app)


def test_answer_that_is_not_backed_can_be_tried_with_more_retries(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    script(harbour, monkeypatch, ScriptedJudge(support=lambda _: Support.NOT))
    ask(app.run())
    script(harbour, monkeypatch)
    button(app, "Try again with 5 retries").click().run()
    assert "Answered and grounded" in texts(app)
    assert app.session_state["ask-retries"] == 5
    assert len([it for it in app.markdown if it.value.startswith("#### ")]) == 1


def test_question_can_be_put_in_other_words(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    script(harbour, monkeypatch, ScriptedJudge(support=lambda _: Support.PARTIALLY))
    ask(app.run())
    button(app, "Ask in other words").click().run()
    assert app.chat_input[0].proto.value == QUESTION


def test_levels_show_more_and_more(harbour: SelfRag, app: AppTest):
    ask(app.run())
    assert not any(box.proto.expanded for box in app.expander if box.proto.type == _STEP)
    app.segmented_control[0].set_value("explain").run()
    explained = texts(app)
    assert "your documents are searched first" in explained
    assert "no language model asked" not in explained
    app.segmented_control[0].set_value("details").run()
    assert "no language model asked" in texts(app)


def test_words_of_a_document_are_no_markup_anywhere(rag: SelfRag, app: AppTest, tmp_path: Path):
    hostile = "The *tidal* range of __Saint Malo__ is $5 and $6 metres, see [it](https://a.test)."
    list(rag.ingest([make_pdf(tmp_path / "a.pdf", [hostile])]))
    ask(app.run())
    (answer,) = answers(app)
    assert hostile in words(answer["tree"]).replace(" [1]", "").replace("[1]", "")


def test_partly_backed_answer_is_amber(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    script(harbour, monkeypatch, ScriptedJudge(support=lambda _: Support.PARTIALLY))
    ask(app.run())
    assert ":orange[:material/error: Partly grounded]" in texts(app)
    assert '"support": "partial"' in json.dumps(answers(app))


def test_nothing_found_shows_what_was_searched_for_and_the_nearest_pages(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    judge = ScriptedJudge(
        relevance=lambda _: RelevanceGrade(False, "off topic"),
        rewriting=lambda n: Rewrite("who won the cup" if n == 1 else None),
    )
    script(harbour, monkeypatch, judge)
    ask(app.run())
    assert "Not found in your documents" in texts(app)
    assert f"- “{QUESTION}”" in texts(app)
    assert "- “who won the cup”" in texts(app)
    assert "The nearest passages" in texts(app)
    assert pictures(app) == 1


def test_nothing_found_says_which_documents_were_not_read_yet(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    script(harbour, monkeypatch, ScriptedJudge(relevance=lambda _: RelevanceGrade(False, "no")))
    ask(app.run())
    assert "Not found in your documents" in texts(app)
    assert "not read yet" not in texts(app)
    release = threading.Event()
    harbour.jobs.submit("late.pdf", lambda *_: release.wait(30))  # type: ignore[arg-type,return-value]
    app.run()
    assert "1 document was not read yet when this was asked. Ask again when it is." in texts(app)
    release.set()
    (result,) = harbour.ingest(
        [make_pdf(tmp_path / "late.pdf", ["The lighthouse is forty metres high."])]
    )
    assert result.error is None, result
    until = time.monotonic() + 60
    while not all(job.finished for job in harbour.jobs.views()) and time.monotonic() < until:
        time.sleep(0.02)
    app.run()
    assert "1 document was not read yet when this was asked. Now it is: ask again." in texts(app)


def test_failed_run_says_what_to_do_and_keeps_the_question(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    def refused(_: int) -> RetrievalDecision:
        raise ModelError("The key was refused: check OPENAI_API_KEY.", fatal=True)

    script(harbour, monkeypatch, ScriptedJudge(decide=refused))
    ask(app.run())
    assert [clean(it.value) for it in app.error] == ["The key was refused: check OPENAI_API_KEY."]
    script(harbour, monkeypatch)
    button(app, "Try again").click().run()
    assert "Answered and grounded" in texts(app)
    assert not app.error


def test_question_that_is_too_long_is_refused_and_kept(harbour: SelfRag, app: AppTest):
    ask(app.run(), "why " * 5_000)
    assert any("Shorten it" in it.value for it in app.error)
    assert app.code[0].value.startswith("why why")
    ask(app)
    assert not app.error


def test_chosen_citation_opens_its_own_page(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    list(harbour.ingest([make_pdf(tmp_path / "ferry.pdf", [FERRY])]))
    script(harbour, monkeypatch, writer=ScriptedWriter(lambda _: "One. [Doc 1] Two. [Doc 2]"))
    ask(app.run(), "What is there at Saint Malo?")
    (answer,) = answers(app)
    assert answer["shown"] == 1
    assert set(answer["sources"].values()) == {"harbour.pdf, page 1", "ferry.pdf, page 1"}
    app.pills[0].set_value(2).run()
    (answer,) = answers(app)
    assert answer["shown"] == 2
    name = answer["sources"]["2"].partition(",")[0]
    assert f":primary-badge[2] **{name}**" in texts(app)
    assert pictures(app) == 1


def test_only_the_chosen_documents_are_asked(harbour: SelfRag, app: AppTest, tmp_path: Path):
    other = make_pdf(tmp_path / "ferry.pdf", [FERRY])
    (result,) = harbour.ingest([other])
    app.run()
    app.multiselect[0].set_value([result.document_id]).run()
    ask(app, "What is said about Saint Malo?")
    (run,) = harbour._runs._live.values()
    assert run.log.snapshot()[0].documents == [result.document_id]
    found = next(event for event in run.log.snapshot() if event.step == "retrieve")
    assert {hit.document for hit in found.hits} == {"ferry.pdf"}


def test_document_that_was_deleted_is_named_and_its_quote_kept(harbour: SelfRag, app: AppTest):
    ask(app.run())
    harbour.delete(harbour.ready()[0].id)
    app.run()
    assert not app.exception
    assert "thirteen metres" in words(answers(app)[0]["tree"])
    (warning,) = app.warning
    assert clean(warning.value).startswith("harbour.pdf was deleted from your library; this is")
    assert "> The harbour of Saint Malo has a tidal range of thirteen metres." in texts(app)
    assert pictures(app) == 0


def test_greeting_without_a_language_model_is_no_answer_and_said_once(
    harbour: SelfRag, app: AppTest
):
    ask(app.run(), "Hello there!")
    assert ":gray[:material/chat_info: Only questions about your documents]" in texts(app)
    assert "Answered without" not in texts(app)
    (answer,) = answers(app)
    assert "only questions about your documents can be answered" in words(answer["tree"])
    assert "No language model configured" not in texts(app)  # the answer is that sentence


def test_passages_that_share_nothing_with_the_question_are_not_shown(
    harbour: SelfRag, app: AppTest
):
    ask(app.run(), "Who won the football world cup in 1998?")
    assert "Not found in your documents" in texts(app)
    assert "The nearest passages" not in texts(app)
    assert pictures(app) == 0


def test_page_that_breaks_shows_a_sentence_and_logs_the_trace(
    harbour: SelfRag,
    app: AppTest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    ask(app.run())
    monkeypatch.setattr(harbour, "run", lambda _: 1 / 0)
    app.run()
    assert not app.exception
    assert app.error[0].value.startswith("Something went wrong on this page")
    assert "ZeroDivisionError" in caplog.text


def test_story_of_a_greeting_says_that_there_is_nothing_to_check(harbour: SelfRag, app: AppTest):
    ask(app.run(), "Hello there!")
    told = texts(app) + " ".join(clean(it.label) for it in app.expander)
    assert "Wrote an answer that rests on no documents" in told
    assert "There is no claim to check against a document" in told
    assert "there are no documents to judge it by" in told
    assert "The reply says what can be asked" in told
    for contradiction in ("Could not check", "0 passages", ":material/error:"):
        assert contradiction not in told
    assert not app.warning


def test_verdict_on_a_statement_names_the_sentence_for_or_against_it(
    harbour: SelfRag, app: AppTest
):
    ask(app.run(), "Dogs are allowed on the quay of Saint Malo in summer.")
    told = texts(app)
    assert "Your documents speak against this" in told
    assert "against] “Dogs are not allowed on the quay of Saint Malo in summer.”" in told
    assert "Refuted: 1 sentence against" in "\n".join(steps(app))
    ask(app, "Dogs are not allowed on the quay of Saint Malo in summer.")
    told = texts(app)
    assert "Your documents support this" in told
    assert "for] “Dogs are not allowed on the quay of Saint Malo in summer.”" in told
