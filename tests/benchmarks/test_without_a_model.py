"""What an answer without a language model takes once the passages are there.

Most of it should be embedding three sentences, which can't be had for less: that is the baseline,
measured in the same run. The figure in milliseconds depends on the machine and is told only.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag.models.packaged import PackagedEmbeddings
from selfrag.reflection.events import RelevanceGraded, Retrieved
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

pytestmark = pytest.mark.benchmark

BRIDGES = {
    "Aldern": ("12 May 1931", 214, "slate", "the engineer Maud Ferris"),
    "Brackwater": ("3 July 1948", 655, "granite", "the surveyor Tom Hale"),
    "Corvane": ("21 March 1902", 87, "red brick", "the architect Ida Lund"),
    "Dunmere": ("9 October 1967", 1_340, "concrete", "the contractor Paul Reiss"),
    "Estholm": ("17 August 1889", 46, "limestone", "the mason Agnes Dow"),
    "Farrowgate": ("2 June 1911", 301, "riveted iron", "the smith Karl Overby"),
    "Gildport": ("30 April 1955", 912, "steel", "the designer Ruth Amsel"),
    "Hexley": ("8 January 1876", 63, "oak", "the carpenter John Pell"),
    "Innismoor": ("26 November 1923", 178, "sandstone", "the teacher Nora Quill"),
}
ASKED = (
    "When was the bridge of {} opened?",
    "How long is the bridge of {}?",
    "Who drew the plans of the bridge of {}?",
)


def described(name: str) -> list[str]:
    """Three paragraphs on a bridge, about as long as those of a report."""
    opened, length, stone, builder = BRIDGES[name]
    return [
        f"The bridge of {name} was opened on {opened}. It was the first crossing near {name} for "
        f"twenty miles, and traders of {name} who had paid the ferry for generations were among "
        f"those who gave most for it. The weather in {name} was poor on the day.",
        f"It is {length} metres long and built of {stone}. The piers at {name} stand on oak "
        f"piles, which divers look at every tenth year; so far {name} had to replace none. "
        f"Lorries over twelve tonnes avoid {name} by the road through the valley.",
        f"Its plans were drawn by {builder}, who had no other commission of the size. The county "
        f"keeps the drawings of {name} in its archive, together with letters about the toll that "
        f"{name} asked for in the first years.",
    ]


def test_after_retrieval_it_takes_little_more_than_embedding_three_sentences(
    open_rag: Callable[..., SelfRag], tmp_path: Path, said: Callable[[str], None]
) -> None:
    rag = open_rag(reranker_model="none")
    for name in BRIDGES:
        (result,) = rag.ingest([make_pdf(tmp_path / f"{name}.pdf", described(name))])
        assert result.error is None
    rag.warm_up()
    rag.start("What does the toll cost?").result(60)
    model = PackagedEmbeddings(tmp_path / "models")
    after, graded, baseline = [], [], []
    for number, name in enumerate(BRIDGES):
        # Each of another bridge: vectors of sentences that were read are remembered.
        run = rag.start(ASKED[number % len(ASKED)].format(name), max_retries=0)
        end = run.result(60)
        assert end.status == "answered"
        at = {type(event): event.at_s for event in run.log.snapshot()}
        after.append(end.at_s - at[Retrieved])
        graded.append(at[RelevanceGraded] - at[Retrieved])
        sentences = " ".join(described(name)).split(". ")[2:5]
        began = time.perf_counter()
        model.vectors(sentences)
        baseline.append(time.perf_counter() - began)
    ratio = statistics.median(after) / statistics.median(baseline)
    said(
        f"from the passages to the end: median {statistics.median(after) * 1e3:.0f} ms, longest "
        f"{max(after) * 1e3:.0f} ms, of which grading them {statistics.median(graded) * 1e3:.0f}; "
        f"three sentences embedded: {statistics.median(baseline) * 1e3:.0f} ms; {ratio:.2f} times"
    )
    assert ratio <= 2
