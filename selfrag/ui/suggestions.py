"""Questions to begin with, made from the headings of the documents themselves."""

import re
from collections.abc import Sequence

from selfrag.records.documents import DocumentRecord

_MOST = 4
_WORDS = range(2, 8)
_NUMBERING = re.compile(
    r"^\s*(?:(?:chapter|section|part|appendix)\s+)?[\dA-Z]{0,3}(?:\.\d+)*[.):]?\s+"
)
_FURNITURE = re.compile(
    r"\b(contents|references|bibliography|index|abstract|introduction|conclusions?|summary|"
    r"acknowledge?ments?|appendix|figures?|tables?|preface|foreword|about|slide|page|untitled)\b",
    re.IGNORECASE,
)


def suggestions(documents: Sequence[DocumentRecord]) -> list[str]:
    """At most four questions, one for each document in turn; none where no heading serves.

    Only documents in English are asked in English.
    """
    by_document = [
        [f"What does {_title(record)} say about {heading}?" for heading in _headings(record)]
        for record in documents
        if record.language in (None, "en")
    ]
    found: list[str] = []
    for round_ in range(_MOST):
        for questions in by_document:
            if round_ < len(questions) and len(found) < _MOST:
                found.append(questions[round_])
    return found


def _headings(record: DocumentRecord) -> list[str]:
    titles = (_NUMBERING.sub("", heading.title).strip() for heading in record.outline)
    return [
        title
        for title in dict.fromkeys(titles)
        if len(title.split()) in _WORDS and title[0].isalpha() and not _FURNITURE.search(title)
    ]


def _title(record: DocumentRecord) -> str:
    return f"“{record.name.removesuffix('.pdf')}”"
