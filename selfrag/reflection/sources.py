"""What an answer stands on: the places in documents that it cites, or that came nearest."""

from dataclasses import dataclass

from selfrag.reflection.events import Citation, ContextPassage, RunFinished
from selfrag.reflection.folding import RunView
from selfrag.reflection.marks import squeeze
from selfrag.reflection.nearness import near

_NEAREST = 4  #: passages shown where nothing is cited


@dataclass(frozen=True, slots=True)
class Source:
    """One place in a document.

    Attributes:
        number: as it is marked in the answer, from 1.
        quotes: the words there, one or more; ``passage`` is the text around them, or empty.
        label: the page's printed number where it has one.
        told: the answer; a quote that stands there already is not repeated.
    """

    number: int
    document_id: str
    document: str
    page: int
    quotes: tuple[str, ...]
    passage: str = ""
    label: str | None = None
    told: str = ""

    @property
    def page_name(self) -> str:
        """``page 12``, or ``page xii (14)`` where the printed number is another."""
        if self.label and self.label != str(self.page):
            return f"page {self.label} ({self.page})"
        return f"page {self.page}"


def sources(view: RunView) -> list[Source]:
    """What the answer cites; the nearest passages where it cites nothing."""
    end = view.finished
    if end is None:
        return []
    written = view.generated.get(end.attempt or 0)
    given = {passage.chunk_id: passage for passage in written.context} if written else {}
    if end.citations:
        return [_cited(citation, given.get(citation.chunk_id), end) for citation in end.citations]
    if end.status not in ("abstained", "unsupported"):
        return []
    return [
        Source(number, hit.document_id, hit.document, hit.page, (hit.text,))
        for number, hit in enumerate(near(view)[:_NEAREST], start=1)
    ]


def _cited(citation: Citation, passage: ContextPassage | None, end: RunFinished) -> Source:
    """A citation with what it quotes.

    Quotes of its passage that no citation has (logs of earlier versions hold one citation for a
    passage, whatever it backs) are shown with the passage's first one.
    """
    of_passage = [it for it in end.citations if it.chunk_id == citation.chunk_id]
    rest: list[str] = []
    if passage and citation == of_passage[0]:
        known = {squeeze(it.quote) for it in of_passage}
        backed = [it.quote for it in end.claims if it.document == passage.number and it.quote]
        rest = [quote for quote in backed if squeeze(quote) not in known]
    return Source(
        citation.number,
        citation.document_id,
        citation.document,
        citation.page,
        tuple(dict.fromkeys([citation.quote, *rest])),
        passage.text if passage else "",
        citation.label,
        end.answer,
    )
