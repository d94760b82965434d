"""One question in several ways at once, over a real library and a scripted endpoint."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.reflection.strategy import RetrievalPolicy, Strategy
from selfrag.reflection.trials import Asked, Trial
from selfrag.reflection.way import Way, without_a_writer
from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from selfrag.settings import Settings
from tests.support.llm_answers import Answer, Request, failure, happy_path
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

PLAIN, CRITIQUE, SELFRAG = (Way(strategy) for strategy in Strategy)
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUESTION = "What is the tidal range of Saint Malo?"


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer() as server:
        yield server


def opened(folder: Path, **settings) -> SelfRag:
    return SelfRag.open(
        Settings(_env_file=None, storage_dir=folder / "storage", reranker_model="none", **settings)
    )


@pytest.fixture
def rag(tmp_path: Path, server: LlmServer) -> Iterator[SelfRag]:
    with opened(tmp_path, llm_base_url=server.url) as rag:
        list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
        yield rag


def start(rag: SelfRag, *ways: Way, **more) -> Trial:
    trial = rag.trials.get(rag.trials.start(QUESTION, ways, casting=rag.casting, **more))
    assert trial is not None
    return trial


def ends(rag: SelfRag, trial: Trial) -> list[str]:
    return [rag.run(run_id).result(30).status for run_id in trial.runs]


def test_ways_are_answered_at_the_same_time_and_found_again(
    rag: SelfRag, server: LlmServer
) -> None:
    together = threading.Barrier(3)

    def all_at_once(request: Request) -> Answer:
        together.wait(20)  # broken unless each of the three writes while the others do
        return happy_path(request)

    server.reply(all_at_once, when=lambda request: request.schema is None)
    trial = start(rag, PLAIN, CRITIQUE, SELFRAG)
    assert ends(rag, trial) == ["answered"] * 3
    assert trial.ways == (PLAIN, CRITIQUE, SELFRAG)
    assert (trial.question, len(set(trial.runs))) == (QUESTION, 3)
    assert [found[:2] for found in rag.trials.latest()] == [(trial.id, QUESTION)]


def test_chat_lists_no_trial_and_no_chat_is_a_trial(rag: SelfRag) -> None:
    trial = start(rag, PLAIN, SELFRAG)
    ends(rag, trial)
    assert rag.conversations.all() == []
    assert rag.conversations.count() == 0
    assert rag.conversations.get(trial.id) is None
    assert not rag.conversations.delete(trial.id)
    assert {turn.run_id for turn, _ in rag.conversations.recent_runs()} == set(trial.runs)
    assert rag.trials.get("0" * 32) is None


def test_ways_are_no_history_of_each_other(rag: SelfRag) -> None:
    trial = start(rag, PLAIN, SELFRAG)
    ends(rag, trial)
    rag.trials.again(trial.id, trial.runs[0], casting=rag.casting)
    again = rag.trials.get(trial.id)
    ends(rag, again)
    for run_id in again.runs:
        assert "question_rewritten" not in {event.step for event in rag.events(run_id)}


def test_runs_of_a_trial_ask_no_more_at_once_than_one_may(
    tmp_path: Path, server: LlmServer
) -> None:
    server.delay = 0.02
    with opened(tmp_path, llm_base_url=server.url, grade_concurrency=2) as rag:
        list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES, *("Sand.", "Salt.") * 2])]))
        always = Way(Strategy.SELFRAG, RetrievalPolicy.ALWAYS)
        trial = start(rag, PLAIN, CRITIQUE, SELFRAG, always)
        assert set(ends(rag, trial)) <= {"answered"}
    assert server.most_at_once == 2


def test_stop_ends_all_of_them_also_those_that_wait_for_their_turn(
    tmp_path: Path, server: LlmServer
) -> None:
    silent = threading.Event()

    def held(request: Request) -> Answer:
        silent.wait(30)
        return happy_path(request)

    server.reply(held)
    with opened(tmp_path, llm_base_url=server.url, grade_concurrency=1) as rag:
        list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
        trial = start(rag, PLAIN, CRITIQUE, SELFRAG)
        assert server.wait_for(lambda: len(server.requests) == 1)
        rag.trials.stop(trial)
        assert [rag.run(run_id).result(1).status for run_id in trial.runs] == ["stopped"] * 3
        silent.set()
        assert list(rag.trials.under_way(trial)) == []
    assert len(server.requests) == 1  # nobody went on to ask


def test_slow_records_of_one_keep_no_other_going(
    rag: SelfRag, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent, slow = threading.Event(), threading.Event()
    written: list[bool] = []  # False where they were waited for

    def held(request: Request) -> Answer:
        silent.wait(30)
        return happy_path(request)

    server.reply(held)
    trial = start(rag, PLAIN, CRITIQUE, SELFRAG)
    monkeypatch.setattr(rag.conversations, "note_answer", lambda *_: written.append(slow.wait(10)))
    rag.trials.stop(trial)
    assert [rag.run(run_id).log.closed for run_id in trial.runs] == [True] * 3
    assert False not in written
    slow.set()
    silent.set()


def test_one_that_fails_leaves_the_others_and_is_answered_again_in_its_place(
    rag: SelfRag, server: LlmServer
) -> None:
    server.reply(failure(401, "no"), when=lambda request: request.schema is None, times=1)
    trial = start(rag, PLAIN, CRITIQUE, SELFRAG)
    ended = ends(rag, trial)
    assert sorted(ended) == ["answered", "answered", "failed"]
    failed = trial.runs[ended.index("failed")]
    rag.trials.again(trial.id, failed, casting=rag.casting)
    again = rag.trials.get(trial.id)
    assert ends(rag, again) == ["answered"] * 3
    assert again.ways == trial.ways
    assert [run for run in trial.runs if run not in again.runs] == [failed]
    assert rag.recorded(failed) is None
    with pytest.raises(UserError, match="no longer there"):
        rag.trials.again(trial.id, failed, casting=rag.casting)


def test_trial_belongs_to_whoever_asked(rag: SelfRag) -> None:
    trial_id = rag.trials.start(QUESTION, [PLAIN, SELFRAG], casting=rag.casting, owner="ana")
    ends(rag, rag.trials.get(trial_id, "ana"))
    assert rag.trials.get(trial_id) is None
    assert rag.trials.latest() == []
    assert not rag.trials.delete(trial_id)
    assert rag.trials.delete(trial_id, "ana")
    assert rag.trials.count("ana") == 0


def test_what_is_asked_whatever_the_way_is_kept(rag: SelfRag) -> None:
    asked = Asked(Mode.BM25, (rag.ready()[0].id,), 1, 2)
    trial = start(rag, PLAIN, SELFRAG, asked=asked)
    ends(rag, trial)
    assert rag.trials.get(trial.id).asked == asked
    started = rag.events(trial.runs[1])[0]
    assert (started.mode, started.documents, started.keep) == ("bm25", list(asked.documents), 2)


def test_deleted_while_it_goes_on_it_is_stopped_and_gone(rag: SelfRag, server: LlmServer) -> None:
    server.delay = 0.2
    trial = start(rag, PLAIN, SELFRAG)
    runs = [rag.run(run_id) for run_id in trial.runs]
    assert rag.trials.delete(trial.id)
    assert [run.result(5).status for run in runs] == ["stopped"] * 2
    assert [rag.recorded(run_id) for run_id in trial.runs] == [None, None]


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        ([PLAIN], "2 to 4 ways"),
        ([PLAIN, PLAIN], "named twice"),
        ([Way(Strategy.PLAIN, RetrievalPolicy.ALWAYS), PLAIN], "named twice"),
    ],
)
def test_what_cannot_be_compared_is_refused(rag: SelfRag, ways: list[Way], said: str) -> None:
    with pytest.raises(UserError, match=said):
        start(rag, *ways)
    assert rag.trials.count() == 0


def test_where_one_cannot_begin_none_goes_on(tmp_path: Path, server: LlmServer) -> None:
    with opened(tmp_path, llm_base_url=server.url) as rag:
        never = Way(Strategy.PLAIN, RetrievalPolicy.NEVER)
        with pytest.raises(UserError, match="library is empty"):
            start(rag, never, SELFRAG)
        assert rag.trials.count() == 0
        assert rag.latest_runs(5) == []


def test_a_way_is_written_and_read_the_same() -> None:
    for strategy in Strategy:
        for policy in (None, *RetrievalPolicy):
            way = Way(strategy, policy)
            assert Way.parse(str(way)) == way
    assert str(Way(Strategy.SELFRAG, RetrievalPolicy.ADAPTIVE)) == "selfrag"
    assert Way(Strategy.PLAIN, RetrievalPolicy.NEVER).label == "plain (retrieval never)"
    for wrong in ("magic", "plain:retrieval=often", "plain:k=3", ""):
        with pytest.raises(UserError, match="There is no way"):
            Way.parse(wrong)


def test_without_a_language_model_plain_and_critique_are_told_to_be_alike_and_are(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as rag:
        list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
        said = " ".join(without_a_writer([PLAIN, CRITIQUE, SELFRAG], local_judge=True))
        assert "plain and critique quote the same sentences" in said
        assert "selfrag can differ" in said
        trial = start(rag, PLAIN, CRITIQUE, SELFRAG)
        plain, critique, _ = (rag.run(run_id).result(60).answer for run_id in trial.runs)
        assert plain == critique != ""


def test_only_what_was_chosen_is_said_of_ways_without_a_model() -> None:
    assert (
        len(
            without_a_writer(
                [PLAIN, Way(Strategy.PLAIN, RetrievalPolicy.ADAPTIVE)], local_judge=False
            )
        )
        == 1
    )
    never = Way(Strategy.CRITIQUE, RetrievalPolicy.NEVER)
    said = " ".join(without_a_writer([PLAIN, never], local_judge=True))
    assert "nothing to quote" in said
    assert "same sentences" not in said
