"""Where a quote stands in a document, page by page: it may begin on one page and end on the next.

A quote that one page holds whole is found in that page's text, heads and feet included. Any other
is looked for in the bodies of a few pages in a row, joined as chunks are cut from them, so that a
word that is broken at a page's end is whole.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from selfrag.documents.joining import join_pages
from selfrag.documents.normalise import ends_hyphenated
from selfrag.pages import Page, Reading, Span
from selfrag.quotes import find_quote

_REACH = 3  #: pages that a quote may touch

#: number of a page -> the page; None where the document has none of that number
PageOf = Callable[[int], Page | None]


def place(quote: str, first: int, page_of: PageOf) -> tuple[Span, ...]:
    """The stretches of the pages that a quote takes in which begins on page ``first``.

    In reading order; empty where no such quote begins there.
    """
    page = page_of(first)
    if page is None:
        return ()
    whole = find_quote(quote, page.text)
    if whole is not None:
        return (Span(first, *whole),)
    following = (page_of(number) for number in range(first + 1, first + _REACH))
    spans = _joined(quote, [page, *(it for it in following if it is not None)])
    return spans if spans and spans[0].page == first else ()


def place_in(quote: str, within: Sequence[Span], page_of: PageOf) -> tuple[Span, ...]:
    """The stretches of the pages that a quote takes in which stands in these stretches."""
    pages = []
    for number in dict.fromkeys(span.page for span in within):
        page = page_of(number)
        if page is not None:
            body = [_with_hyphen(page.text, span) for span in within if span.page == number]
            pages.append(replace(page, body=tuple(body)))
    return _joined(quote, pages)


def _with_hyphen(text: str, span: Span) -> tuple[int, int]:
    """The stretch with the hyphen that was left off where a word goes on elsewhere."""
    goes_on = span.end < len(text) and ends_hyphenated(text[span.start : span.end + 1])
    return span.start, span.end + goes_on


def _joined(quote: str, pages: Sequence[Page]) -> tuple[Span, ...]:
    body = join_pages(Reading(tuple(pages)))
    found = find_quote(quote, body.text)
    return body.spans(*found) if found else ()


def parts_on(quote: str, number: int, page_of: PageOf) -> Sequence[Span]:
    """The stretches of page ``number`` that are of a quote, wherever the quote begins."""
    for first in range(number, max(number - _REACH, 0), -1):
        here = [span for span in place(quote, first, page_of) if span.page == number]
        if here:
            return here
    return ()
