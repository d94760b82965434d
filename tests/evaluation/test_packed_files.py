"""Zips of labels and sets that cost more than they hold, and those that are packed otherwise."""

import io
import os
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.evaluation.label_files import of_trec, of_zip
from selfrag.evaluation.uploaded import Sets

CORPUS = '{"_id": "d1", "text": "Tides"}\n'
QUERIES = '{"_id": "q1", "text": "What tides?"}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\n"
MB = 1_000_000


def packed(how: int = zipfile.ZIP_DEFLATED, **other: str) -> bytes:
    files = {"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES, "qrels/test.tsv": QRELS}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as made:
        for name, text in {**files, **{_name(key): text for key, text in other.items()}}.items():
            made.writestr(f"a/{name}", text)
    return out.getvalue()


def _name(key: str) -> str:
    return {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels/test.tsv"}.get(
        key, key
    )


@pytest.fixture(params=["labels", "set"])
def take(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[bytes], object]:
    if request.param == "labels":
        return of_zip
    return lambda content: Sets(tmp_path / "sets").add(content, "a.zip")


@pytest.mark.parametrize(
    ("how", "size", "said"),
    [
        (zipfile.ZIP_DEFLATED, 190 * MB, "200 times its size"),
        (zipfile.ZIP_STORED, 20 * MB, "blank for the most part"),
    ],
)
@pytest.mark.parametrize("member", ["queries", "qrels"])
def test_zip_of_blank_lines_is_refused_without_filling_the_memory(
    take: Callable[[bytes], object], member: str, how: int, size: int, said: str
) -> None:
    content = packed(how, **{member: "\n" * size})
    tracemalloc.start()
    try:
        with pytest.raises(UserError, match=said):
            take(content)
        assert tracemalloc.get_traced_memory()[1] < 3 * MB
    finally:
        tracemalloc.stop()


def test_more_lines_of_labels_than_anybody_makes_are_refused() -> None:
    with pytest.raises(UserError, match="more than 1,000,000 lines"):
        of_trec(b"q 0 d 1\n" * 1_000_001)
    with pytest.raises(UserError, match="more than 1,000,000 lines"):
        of_zip(packed(zipfile.ZIP_STORED, qrels="q1\td1\t1\n" * 1_000_001))


def test_line_without_an_end_is_refused(take: Callable[[bytes], object]) -> None:
    with pytest.raises(UserError, match=r"Line 1 of .*queries.jsonl has more than 8,000,000"):
        take(packed(zipfile.ZIP_STORED, queries="a" * 9 * MB))


def test_blank_lines_between_the_others_are_taken(take: Callable[[bytes], object]) -> None:
    spaced = packed(queries="\n \n" + QUERIES + "\n\n", qrels=QRELS.replace("\n", "\n\n"))
    assert take(spaced) == take(packed())


def test_labels_without_a_line_of_heads_keep_their_first() -> None:
    assert of_zip(packed(qrels="q1\td1\t1\nq1\td2\t0\n"))[1] == {"q1": {"d1": 1, "d2": 0}}
    assert of_zip(packed())[1] == {"q1": {"d1": 1}}


def test_mark_of_the_byte_order_is_no_part_of_an_id() -> None:
    assert of_trec("\ufeffq1 0 d1 1\r\nq2 0 d1 2\r\n".encode()) == {
        "q1": {"d1": 1},
        "q2": {"d1": 2},
    }
    assert of_zip(packed(qrels="\ufeffq1\td1\t1\n"))[1] == {"q1": {"d1": 1}}


def test_qrels_that_are_a_file_and_a_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    out = io.BytesIO(packed())
    with zipfile.ZipFile(out, "a") as made:
        made.writestr("a/qrels", QRELS)
    with pytest.raises(UserError, match="qrels is a file"):
        Sets(tmp_path).add(out.getvalue(), "a.zip")
    assert list(tmp_path.iterdir()) == []


def test_what_an_ended_upload_left_is_removed_and_never_listed(tmp_path: Path) -> None:
    old, running = tmp_path / ".old.part", tmp_path / ".running.part"
    for part in (old, running):
        part.mkdir()
        (part / "corpus.jsonl").write_text(CORPUS)
    long_ago = time.time() - 2 * 3600
    os.utime(old, (long_ago, long_ago))
    sets = Sets(tmp_path)
    assert not old.exists() and running.exists(), "another process may be at a young one"
    assert sets.all() == []
