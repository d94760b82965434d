"""Sentences of text as it comes out of PDFs."""

import pytest

from selfrag.models.sentences import LONGEST, split_sentences


def texts(passage: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(passage)]


@pytest.mark.parametrize(
    ("passage", "count"),
    [
        ("Dr. J. Smith came on 3 Dec. 2004. He left.", 2),
        ("Helix v. Hewitt was argued first. It was decided later.", 2),
        ("See Fig. 3 and Art. 5 of the act. It applies.", 2),
        ("He said no. Then he left.", 2),
        ("The U.S. Army was there, e.g. in Rome. Nobody knew.", 2),
        ("A Profa. Silva chegou às 9 h. O Sr. Costa não veio.", 2),
        ("¿Cuándo llegó? Llegó el lunes. ¡Por fin!", 3),
        ("Das gilt z.B. für Kinder. Sonst nicht.", 2),
        ("It costs 3.50 euros. That is all.", 2),
        ("He asked: “Is it so?” Nobody knew.", 2),
        ("It was shown before.[12] It was shown again [3, 4]. So it is.", 3),
        ("会议在北京举行。参加者有三百人。", 2),
        ("यह सच है। वह झूठ है।", 2),
    ],
)
def test_stops_that_end_no_sentence_are_known(passage: str, count: int) -> None:
    assert len(texts(passage)) == count


def test_a_sentence_runs_on_over_line_ends() -> None:
    passage = "Every employee has a right to\ntwenty-five days of leave in each\ncalendar year."
    assert texts(passage) == [
        "Every employee has a right to twenty-five days of leave in each calendar year."
    ]


def test_headings_items_and_rows_are_not_glued_to_prose() -> None:
    passage = (
        "3.2 Leave policy\n"
        "Employees have twenty-five days of leave which the line manager approves.\n"
        "• First item of the list\n"
        "• Second item of the list\n"
        "Region   Sales   Cost\n"
        "North    25      30"
    )
    found = split_sentences(passage)
    assert [s.text for s in found] == [
        "3.2 Leave policy",
        "Employees have twenty-five days of leave which the line manager approves.",
        "• First item of the list",
        "• Second item of the list",
        "Region Sales Cost",
        "North 25 30",
    ]
    assert [s.whole for s in found] == [False, True, False, False, False, False]


def test_a_sentence_cut_off_by_the_passage_is_not_whole() -> None:
    found = split_sentences("and that is why it ended. The treaty was signed. It was then that")
    assert [s.whole for s in found] == [False, True, False]


def test_offsets_point_at_the_sentence_and_no_character_is_lost() -> None:
    passage = "One is here.  Two\nis there.\n\n\nThree; and so on"
    found = split_sentences(passage)
    for sentence in found:
        assert " ".join(passage[sentence.start : sentence.end].split()) == sentence.text
    assert "".join(s.text.replace(" ", "") for s in found) == "".join(passage.split())


def test_text_without_stops_is_cut_where_it_allows_it() -> None:
    found = split_sentences("; ".join(["a clause that goes on for some time"] * 60))
    assert len(found) > 2
    assert max(len(s.text) for s in found) <= LONGEST


@pytest.mark.parametrize("passage", ["", " \n\n ", "...", ". . .", "\n1.\n2.\n", "a" * 5000])
def test_odd_text_does_no_harm(passage: str) -> None:
    assert "".join("".join(texts(passage)).split()) == "".join(passage.split())
