"""What the passages have to say on a question is read once for the judge and the writer."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from selfrag.models.evidence import READ, READ_OTHER, EvidenceReader
from selfrag.reflection.extractive_writer import ExtractiveWriter
from selfrag.reflection.local_judge import LocalJudge
from tests.support.encoder import packaged_encoder
from tests.support.passages import passage

HARBOUR = passage(
    1,
    "The harbour office is open from seven to four. Ships pay a fee of 90 euros a night. "
    "The pilot boards at the outer buoy. Fuel is sold at the southern quay.",
)
MUSEUM = passage(
    2,
    "The museum shows four hundred models of ships. Entry is 12 euros. "
    "Schools pay nothing on weekdays. The cafe is closed in winter.",
)
QUESTION = "How much do ships pay a night?"


class Watched:
    """The packaged embeddings, with what they were asked to embed."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return packaged_encoder().vectors(texts)


@pytest.fixture
def encoder() -> Watched:
    return Watched()


def test_answer_is_written_and_graded_with_what_the_grades_of_relevance_embedded(
    encoder: Watched,
) -> None:
    reader = EvidenceReader(encoder)
    judge, writer = LocalJudge(reader), ExtractiveWriter(reader)
    judge.grade_relevance(QUESTION, [MUSEUM, HARBOUR])
    embedded = len(encoder.asked)
    assert embedded > 1
    answer = "".join(writer.write(QUESTION, [HARBOUR]))
    assert answer == "Ships pay a fee of 90 euros a night. [Doc 1]"
    assert judge.grade_usefulness(QUESTION, answer, [HARBOUR]).useful
    assert len(encoder.asked) == embedded


def test_passage_without_an_embedded_sentence_is_read_by_itself(encoder: Watched) -> None:
    reader = EvidenceReader(encoder)
    crowd = [passage(2 + n, f"Ships pay {n} euros a night in port {n}.") for n in range(4)]
    apart = passage(1, "Mooring is charged at ninety. Cash only.")
    LocalJudge(reader).grade_relevance(QUESTION, [*crowd, apart])
    assert not any("Mooring" in text for text in encoder.asked), "the others fit better"
    answer = "".join(ExtractiveWriter(reader).write(QUESTION, [apart]))
    assert "Mooring is charged at ninety. [Doc 1]" in answer


def test_lists_graded_at_the_same_time_do_not_mix(encoder: Watched) -> None:
    reader = EvidenceReader(encoder)
    mine = reader.grade(QUESTION, [HARBOUR.text])
    reader.grade(QUESTION, [MUSEUM.text])
    assert reader.read_among_graded(QUESTION, [HARBOUR.text]) is mine
    assert reader.read_among_graded(QUESTION, []).passages == (MUSEUM.text,), "the latest"


def test_within_keeps_the_scores_and_numbers_the_passages_anew(encoder: Watched) -> None:
    whole = EvidenceReader(encoder).read(QUESTION, [MUSEUM.text, HARBOUR.text])
    part = whole.within([HARBOUR.text])
    assert {c.passage for c in part.candidates} == {0}

    def scores(evidence, among: str) -> dict[str, float]:  # type: ignore[no-untyped-def]
        told = {
            evidence.candidates[at].sentence.text: float(score)
            for at, score in zip(evidence.chosen, evidence.scores, strict=True)
        }
        return {text: score for text, score in told.items() if text in among}

    assert scores(part, HARBOUR.text) == scores(whole, HARBOUR.text) != {}
    with pytest.raises(KeyError):
        whole.within(["Another text. It was not read."])


@pytest.mark.parametrize(
    ("question", "begins", "goes_on", "most"),
    [
        (QUESTION, "Ships pay a fee of 90 euros a night", ", and so on", READ),
        (
            "Quanto custa a noite no porto?",
            "Uma noite no porto custa 90 euros",
            ", e mais",
            READ_OTHER,
        ),
    ],
)
def test_of_a_long_sentence_the_beginning_is_embedded(
    encoder: Watched, question: str, begins: str, goes_on: str, most: tuple[int, ...]
) -> None:
    long = [f"{begins}{goes_on * 60}{mark * place}." for place, mark in enumerate("aaa")]
    passages = [
        long[0],
        *(" ".join(text.split()[place + 1 :]) for place, text in enumerate(long[1:])),
    ]
    evidence = EvidenceReader(encoder).read(question, passages)
    best_first = sorted(evidence.chosen, key=lambda at: -evidence.word_scores[at])
    heads = [text for text in encoder.asked if text != question]
    for at, length in zip(best_first, most, strict=True):
        (head,) = (head for head in heads if length - 10 < len(head) <= length)
        assert evidence.candidates[at].sentence.text.startswith(head)
