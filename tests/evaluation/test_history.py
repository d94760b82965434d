"""Results are kept with their time, compared with the one before, and deleted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from selfrag.errors import UserError
from selfrag.evaluation.beir import LeftOut
from selfrag.evaluation.changes import changed
from selfrag.evaluation.history import History, record_of
from selfrag.evaluation.study import Searched, Study, make_study
from selfrag.records.database import open_database
from selfrag.records.results import ResultRecord, Results

QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}}


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    engine = open_database(None, tmp_path)
    yield History(Results(engine))
    engine.dispose()


def damage(folder: Path, result_id: str, **columns: str) -> None:
    """Overwrite columns of a row with what they cannot hold."""
    engine = open_database(None, folder)
    with engine.begin() as connection:
        for name, value in columns.items():
            statement = text(f"UPDATE results SET {name} = :value WHERE id = :id")
            assert connection.execute(statement, {"value": value, "id": result_id}).rowcount == 1
    engine.dispose()


def study(name: str = "dam") -> Study:
    found = {
        "bm25": {"q1": Searched(("d1", "d2"), 0.1), "q2": Searched(("d1",), 0.1)},
        "dense": {"q1": Searched(("d2", "d1"), 0.1), "q2": Searched(("d2",), 0.1)},
    }
    left_out = [LeftOut("q3", "", "no text")]
    return make_study(name, {"q1": "one", "q2": "two"}, QRELS, found, left_out=left_out)


def record(ended_at: float, name: str = "dam", **parts: str) -> ResultRecord:
    made = record_of(study(name), parts, str(sorted(parts.items())), "bm25|dense")
    return replace(made, ended_at=ended_at)


def test_study_is_read_as_it_was_kept(history: History) -> None:
    kept = history.keep(record(1.0, fusion="rrf"), study().to_json())
    (found,) = history.all()
    assert found == kept == history.get(kept.id)
    assert (found.questions, found.undefined) == (2, 1)
    assert found.means["bm25"]["RR@10"]["mean"] == 0.5
    assert Study.from_json(history.payload(found.id)) == study()


def test_the_same_is_kept_once_and_other_modes_apart(history: History) -> None:
    first = history.keep(record(1.0, fusion="rrf"), study().to_json())
    assert history.keep(record(2.0, fusion="rrf"), study().to_json()) == first
    history.keep(replace(record(3.0, fusion="rrf"), asked="bm25"), study().to_json())
    history.keep(record(4.0, "other", fusion="rrf"), study().to_json())
    assert [(each.name, each.ended_at) for each in history.all()] == [
        ("dam", 1.0),
        ("dam", 3.0),
        ("other", 4.0),
    ]


def test_changes_are_those_since_the_result_before(history: History) -> None:
    first = history.keep(record(1.0, fusion="rrf", data="a"), {})
    second = history.keep(record(2.0, fusion="convex", data="a"), {})
    third = history.keep(record(3.0, fusion="convex", data="b"), {})
    history.keep(record(2.5, "other", fusion="rrf"), {})
    assert history.changes(first) == ()
    assert history.changes(second) == ("fusion: rrf before, convex now",)
    assert history.changes(third) == ("texts or labels of the set: not the same as before",)
    history.delete(second.id)
    assert len(history.changes(third)) == 2


def test_results_of_another_person_are_not_there(history: History) -> None:
    theirs = history.keep(record(1.0), study().to_json(), owner="a")
    assert history.all() == [] and len(history.all(owner="a")) == 1
    for act in (history.get, history.payload, history.delete):
        with pytest.raises(UserError, match="no longer kept"):
            act(theirs.id, None)
    history.delete(theirs.id, "a")
    assert history.all(owner="a") == []


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("means", "{broken"),
        ("means", "[]"),
        ("means", '{"bm25": 1}'),
        ("means", '{"bm25": {"RR@10": {}}}'),
        ("means", '{"bm25": {"RR@10": {"mean": "high"}}}'),
        ("means", "[" * 100_000),
        ("made_of", ""),
        ("ended_at", "yesterday"),
        ("questions", "many"),
    ],
)
def test_damaged_row_is_listed_as_such_and_takes_no_other_with_it(
    history: History, tmp_path: Path, column: str, value: str
) -> None:
    bad = history.keep(record(1.0, fusion="rrf"), study().to_json())
    good = history.keep(record(2.0, fusion="convex"), study().to_json())
    damage(tmp_path, bad.id, **{column: value})
    assert {it.id: it.damaged for it in history.all()} == {bad.id: True, good.id: False}
    assert history.get(bad.id).damaged and not history.get(bad.id).means
    third = history.keep(record(3.0, fusion="rrf"), study().to_json())
    assert third.id not in (bad.id, good.id), "what is damaged is measured once more"
    assert history.changes(good) == (), "and nothing is compared with it"
    history.delete(bad.id)
    assert [it.id for it in history.all()] == [good.id, third.id]


@pytest.mark.parametrize("payload", ["{broken", "null", "[1]"])
def test_damaged_values_are_told_in_a_sentence(
    history: History, tmp_path: Path, payload: str
) -> None:
    kept = history.keep(record(1.0), study().to_json())
    damage(tmp_path, kept.id, payload=payload)
    assert history.all() == [kept]
    with pytest.raises(UserError, match="cannot be read any more: delete it"):
        history.payload(kept.id)


def test_changes_are_told_in_words_counts_before_digests() -> None:
    before = {"data": "1", "questions": "3", "k_initial": "20", "fastembed": "0.9.0", "code": "x"}
    now = {"data": "2", "questions": "14", "k_initial": "30", "fastembed": "0.9.1", "code": "y"}
    assert changed(before, now) == [
        "questions: 3 before, 14 now",
        "passages kept after fusion: 20 before, 30 now",
        "fastembed: 0.9.0 before, 0.9.1 now",
        "the code of the application: not the same as before",
    ]
    assert changed({}, {"fusion": "rrf"}) == ["fusion: not known before, rrf now"]
    assert changed(now, dict(now)) == []
