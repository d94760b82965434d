"""Questions files as spreadsheets save them, and what is wrong with others in a sentence."""

from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.evaluation.answers.questions import read_file, read_questions
from selfrag.reflection.grades import Verdict

TEXT = "question,ground_truth\nWie heißt der Fluß?,Die Elbe – “klar”\nÀ quoi ça sert ?,À rien\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_encoding_of_spreadsheets_reads_the_same(encoding: str, line_end: str) -> None:
    content = TEXT.replace("\n", line_end).encode(encoding)
    found = read_questions(content, "rivers.csv")
    assert found.name == "rivers"
    assert [each.question for each in found.questions] == [
        "Wie heißt der Fluß?",
        "À quoi ça sert ?",
    ]
    assert [each.ground_truth for each in found.questions] == ["Die Elbe – “klar”", "À rien"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators_are_told_from_the_header(separator: str) -> None:
    rows = [
        ["Question", "Ground Truth", "answerable", "label", "evidence"],
        ['"How, and why; when?"', '"Because\nof rain"', "no", "", ""],
        ["Rain is wet.", "", "", "Not enough info", '"a.pdf, page 2 | Rain falls."'],
        ["", "", "", "", ""],
    ]
    content = "\n".join(separator.join(row) for row in rows).encode()
    first, second = read_questions(content, "q.csv").questions
    assert (first.question, first.ground_truth) == ("How, and why; when?", "Because\nof rain")
    assert first.answerable is False and first.label is None
    assert second.gold == ("a.pdf, page 2", "Rain falls.")
    assert second.label is Verdict.NOT_ENOUGH
    assert second.answerable is False, "the label says that the documents do not tell"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "q.csv is empty"),
        (b"\n\n", "q.csv is empty"),
        (b"question,answerable\nWhy?,yes\n", "has no column ground_truth"),
        (b"q,a\nWhy?,Because\n", "has no column question and ground_truth"),
        (b"question,ground_truth,question\nWhy?,x,y\n", "has the column question twice"),
        (b"question,ground_truth\n\n,\n", "has no question below its header"),
        (b"question,ground_truth\n,Because\n", "Row 2 of q.csv has no question"),
        (
            b"question,ground_truth\nWhy?,x\nHow?,y\n why? ,z\n",
            "Row 4 of q.csv asks the same as row 2",
        ),
        (
            b"question,ground_truth,answerable\nWhy?,x,perhaps\n",
            "Row 2 of q.csv has 'perhaps' as answerable: write yes, no or nothing",
        ),
        (b"question,ground_truth,label\nIt is so.,x,maybe\n", "'maybe' as label: write supported"),
        (b"question,ground_truth\n" + b"w" * 9000 + b",x\n", "Row 2 of q.csv cannot be asked"),
        (b"question,ground_truth\nWhy?,Rain, and wind\n", "Row 2 of q.csv has more cells"),
        (b"\x00\x01\x00\x02" * 50, "has no column"),
        (b"question,ground_truth\na\x00b,c\n", "Line 2 of q.csv holds a NUL character"),
        (b"question,ground_truth\r\n" + b"a,b\r\n" * 90 + b"\0,c", "Line 92 of q.csv holds a NUL"),
        ("question,ground_truth\na\0b,c\n".encode("utf-16"), "Line 2 of q.csv holds a NUL"),
        (b"PK\x03\x04\x00\x81\x00\x8d\x90" * 20, "q.csv"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(content: bytes, said: str) -> None:
    with pytest.raises(UserError) as raised:
        read_questions(content, "q.csv")
    assert said in str(raised.value)


HEAD = "question,ground_truth\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (HEAD + 'Why?,x\n"How?,y\nWhen?,z\n', "Line 3 of q.csv opens a quotation mark"),
        (HEAD + '"Why?","x\nHow?,y\n', "Line 2 of q.csv opens"),
        (HEAD + '"Why?,x\nHow?,"y"\nWhen?,z\n', "Line 2 of q.csv opens"),
        (HEAD + '"Why\nso?",x\n"How?,y\n"When?",z\n', "Line 4 of q.csv opens"),
        (HEAD.replace("\n", "\r\n") + 'Why?,x\r\nHow?,"y', "Line 3 of q.csv opens"),
        ("\n\n" + HEAD + '"Why?,x', "Line 4 of q.csv opens"),
        ('question,"ground_truth\nWhy?,x\n', "Line 1 of q.csv opens"),
        (HEAD + 'Why?,x\n"How?,y\nWhen?,z"\n', "opens in line 3 of q.csv or below takes in"),
    ],
)
def test_open_quotation_mark_is_refused_with_its_line_and_swallows_no_row(
    content: str, said: str
) -> None:
    with pytest.raises(UserError) as raised:
        read_questions(content.encode(), "q.csv")
    assert said in str(raised.value)


def test_marks_and_line_ends_that_belong_to_the_text_are_read() -> None:
    content = HEAD + '"Why ""so""?\r\nOr not, then?",x"y\n"How?" ,"z"\n"What?",\n'
    found = read_questions(content.encode(), "q.csv").questions
    assert [(each.question, each.ground_truth) for each in found] == [
        ('Why "so"?\r\nOr not, then?', 'x"y'),
        ("How?", "z"),
        ("What?", ""),
    ]


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no file"):
        read_file(tmp_path / "nowhere.csv")
    with pytest.raises(UserError, match="cannot be read"):
        read_file(tmp_path)
