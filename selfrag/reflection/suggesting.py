"""Questions to begin with, that the library is known to answer.

1. Questions are made from the sentences of each document (`selfrag.reflection.questions`), and
   from its headings where those give too few.
2. Each is asked, without a language model and without a record, of the whole library.
3. Only those are suggested whose answer is found, backed and useful.
4. They come from as many documents as there are questions, and from the languages of the library
   in proportion to how many documents are written in each.

That takes a second or two, in a thread of its own, once for each state of the library.
"""

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from selfrag.pages import Page, PageKind
from selfrag.records.documents import DocumentRecord
from selfrag.reflection.casting import Cast
from selfrag.reflection.citing import Locate
from selfrag.reflection.events import RunFinished
from selfrag.reflection.questions import questions_in
from selfrag.reflection.run import Run, RunPlan
from selfrag.reflection.story import verdict
from selfrag.retrieval.result import Mode, Retrieval

logger = logging.getLogger(__name__)

MOST = 4  #: questions that are suggested
_DOCUMENTS = 20  #: that are looked at, the latest of each language first
_PAGES = 30  #: of each
_KEPT = 4  #: passages that an answer is made from
_TRIED = 6  #: questions of each that are asked
_CLEAR = 7  #: words of a question that says what it is about
_WORDS = range(2, 8)
_NUMBERING = re.compile(
    r"^\s*(?:(?:chapter|section|part|appendix)\s+)?[\dA-Z]{0,3}(?:\.\d+)*[.):]?\s+"
)
_FURNITURE = re.compile(
    r"\b(contents|references|bibliography|index|abstract|introduction|conclusions?|summary|"
    r"acknowledge?ments?|appendix|figures?|tables?|preface|foreword|about|slide|page|untitled)\b",
    re.IGNORECASE,
)
_ABOUT = {
    "en": "What does “{title}” say about {heading}?",
    "pt": "O que diz “{title}” sobre {heading}?",
}


class Suggestions:
    """Keeps what can be suggested for the library as it is.

    Args:
        ready: the documents that can be searched.
        pages: the pages of one.
        cast: writer and judge of one run, neither of them a language model.
        search: searches the whole library.
        locate: where a quote stands.
    """

    def __init__(
        self,
        ready: Callable[[], list[DocumentRecord]],
        pages: Callable[[str], list[Page]],
        cast: Callable[[], Cast],
        search: Callable[[str], Retrieval],
        locate: Locate,
    ) -> None:
        self._ready = ready
        self._pages = pages
        self._cast = cast
        self._search_for = search
        self._locate = locate
        self._lock = threading.Lock()
        self._found: dict[tuple[str, ...], list[str]] = {}
        self._looking: set[tuple[str, ...]] = set()

    def now(self) -> list[str] | None:
        """At most four questions; None while they are being looked for, which this begins."""
        records = self._ready()
        state = tuple(record.id for record in records)
        with self._lock:
            if state in self._found:
                return list(self._found[state])
            if state not in self._looking:
                self._looking.add(state)
                threading.Thread(
                    target=self._look, args=(state, records), name="suggestions", daemon=True
                ).start()
        return None

    def find(self) -> list[str]:
        """The same, waited for."""
        records = self._ready()
        self._look(tuple(record.id for record in records), records)
        return self.now() or []

    def _look(self, state: tuple[str, ...], records: list[DocumentRecord]) -> None:
        try:
            found = self._search(records)
        except Exception:
            # A library that is closed or changed meanwhile: there is nothing to suggest for it.
            logger.debug("no suggestions for %s", state, exc_info=True)
            found = []
        with self._lock:
            self._found = {state: found}
            self._looking.discard(state)

    def _search(self, records: Sequence[DocumentRecord]) -> list[str]:
        documents = {
            language: [(each, self._answered(each)) for each in latest]
            for language, latest in by_language(records, _DOCUMENTS).items()
        }
        shares = Counter(record.language for record in records)
        given: Counter[str | None] = Counter()
        found: list[str] = []
        while documents and len(found) < MOST:
            # The language that is furthest behind its share, and there the next document.
            language = max(
                documents,
                key=lambda it: shares[it] / len(records) * (len(found) + 1) - given[it],
            )
            record, questions = documents[language].pop(0)
            question = next((each for each in questions if each not in found), None)
            if question is not None:
                found.append(question)
                given[language] += 1
                documents[language].append((record, questions))
            elif not documents[language]:
                del documents[language]
        return found

    def _answered(self, record: DocumentRecord) -> Iterator[str]:
        for tried, question in enumerate(candidates(record, self._pages(record.id))):
            if tried == _TRIED:
                return
            end = self._ask(question)
            if verdict(end).tone == "good":
                yield question

    def _ask(self, question: str) -> RunFinished:
        """How a question ends; nothing is kept of it."""
        cast = self._cast()
        plan = RunPlan(
            writer=cast.writer,
            judge=cast.judge,
            search=self._search_for,
            locate=self._locate,
            usage=cast.ledger.total,
            mode=Mode.HYBRID.value,
            max_retries=0,
            keep=_KEPT,
        )
        return Run(question, plan).start().result()


def by_language(
    records: Sequence[DocumentRecord], most: int
) -> dict[str | None, list[DocumentRecord]]:
    """Language -> its documents, the latest first; the language with most of them first.

    Args:
        most: documents in all, of which each language has its share, and at least one.
    """
    latest = sorted(records, key=lambda record: -record.added_at)
    shares = Counter(record.language for record in latest).most_common()
    return {
        language: [it for it in latest if it.language == language][
            : max(1, round(most * number / len(latest)))
        ]
        for language, number in shares
    }


def candidates(record: DocumentRecord, pages: Sequence[Page]) -> Iterator[str]:
    """Questions that a document may answer, the best made first, each once."""
    texts = [
        "\n\n".join(page.text[start:end] for start, end in page.body) or page.text
        for page in pages[:_PAGES]
        if page.kind in (PageKind.TEXT, PageKind.OCR)
    ]
    by_page = [[question for question, _ in questions_in(it, record.language)] for it in texts]
    # The first of every page, then the second of every page: not all from the first one.
    mixed = [question for row in zip_longest(*by_page) for question in row if question]
    # "The solidarity fund" can be understood without having read the document, "the fund" hardly.
    mixed.sort(key=lambda question: -min(len(question.split()), _CLEAR))
    yield from dict.fromkeys([*mixed, *_from_headings(record)])


def _from_headings(record: DocumentRecord) -> Iterator[str]:
    form = _ABOUT.get(record.language or "en")
    if form is None:
        return
    title = record.name.removesuffix(".pdf")
    for heading in record.outline:
        name = _NUMBERING.sub("", heading.title).strip()
        if name == record.title:
            continue
        if len(name.split()) in _WORDS and name[0].isalpha() and not _FURNITURE.search(name):
            yield form.format(title=title, heading=name)
