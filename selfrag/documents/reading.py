"""Reads a PDF: every page accounted for, in reading order, with what the file says of itself.

1. pdfium opens the file (``opening``) and gives each page's characters with their boxes.
2. Each page becomes text on its own (``extraction``); where pdfium has none, pypdf is asked.
3. Pages that are only an image are recognised by tesseract, if that was asked for.
4. Lines that repeat from page to page are left out of the body (``furniture``).
5. The language is detected from the body.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pypdfium2 as pdfium

from selfrag.documents import ocr as recognition
from selfrag.documents.errors import OcrMissing, TooManyPages, UnreadablePdf
from selfrag.documents.extraction import GIBBERISH, Extract, extract
from selfrag.documents.furniture import body_ranges
from selfrag.documents.opening import opened_with_remarks
from selfrag.documents.pagetext import PageText
from selfrag.documents.render import render_png
from selfrag.documents.second_reader import SecondReader
from selfrag.documents.structure import labels, notes, outline, title
from selfrag.models.language import detect_language
from selfrag.pages import Page, PageKind, Reading

Progress = Callable[[int, int], None]

NO_PAGES = "{name} has no pages: make it anew with the program that it comes from, or get it again."

_OCR_SCALE = 300 / 72
_SECOND = "Read by the second reader: places on the page cannot be shown."


def read_pdf(
    path: Path,
    *,
    password: str | None = None,
    ocr: bool = False,
    max_pages: int = 10_000,
    progress: Progress | None = None,
    name: str | None = None,
) -> Reading:
    """Reads all pages of a PDF.

    Args:
        path: the file.
        password: what opens it; an empty one is tried anyway. Never stored.
        ocr: recognise the text of pages that have none (needs tesseract).
        max_pages: a file with more is refused.
        progress: called with the number of pages done and of all pages, after each.
        name: what messages call the file, where its own name means nothing.

    Returns:
        The reading. It may hold no text at all: see ``why_nothing``.

    Raises:
        UnreadablePdf: no PDF, empty, damaged, or without pages.
        PasswordNeeded: a password is needed, or the one given is wrong.
        TooManyPages: more than ``max_pages``.
    """
    name = name or path.name
    try:
        with opened_with_remarks(path, password, name) as (document, remarks):
            if not len(document):
                raise UnreadablePdf(NO_PAGES.format(name=name))
            _limit(name, len(document), max_pages, path)
            reading = _read(document, path, password, ocr, progress, remarks)
        if remarks and not any(page.text.strip() for page in reading.pages):
            raise UnreadablePdf(
                f"{name} breaks off, and no text is left on its pages: get the file again."
            )
        return reading
    except UnreadablePdf:
        second = SecondReader(path, password)
        rescued = _rescued(second, path, max_pages, progress, name)
        if rescued is not None:
            return rescued
        if second.opened and not second.page_count:
            raise UnreadablePdf(NO_PAGES.format(name=name)) from None
        raise


def why_nothing(reading: Reading) -> str:
    """The sentence that says why nothing of a document can be found, and what to do."""
    total = len(reading.pages)
    scanned, failed = reading.count(PageKind.SCANNED), reading.count(PageKind.FAILED)
    gibberish = sum(page.reason == GIBBERISH for page in reading.pages)
    if scanned:
        what = "has" if scanned == 1 else "have"
        image = "is an image" if scanned == 1 else "are images"
        if gibberish:
            cause = f"{_pages(gibberish, total)} {what} letters that the file does not name"
        else:
            cause = f"{_pages(scanned, total)} {image} (scanned?)"
        cure = (
            "Turn on text recognition (OCR) and read it again."
            if recognition.available()
            else recognition.HOW_TO_INSTALL
        )
        return f"No text found: {cause}. {cure}"
    if failed:
        return (
            f"No text found: {_pages(failed, total)} could not be read. "
            "Open the file in a PDF viewer, save it anew and add that."
        )
    if any(page.text.strip() for page in reading.pages):
        return (
            "No text found but page numbers and running heads. Check that this is the right file."
        )
    every = "its only page is" if total == 1 else f"all {total} pages are"
    return f"No text found: {every} empty. Check that this is the right file."


def _pages(count: int, total: int) -> str:
    if count == total:
        return "the only page" if total == 1 else f"all {total} pages"
    return f"{count} of {total} pages"


def _limit(name: str, total: int, max_pages: int, path: Path) -> None:
    if total > max(max_pages, path.stat().st_size):
        raise UnreadablePdf(
            f"{name} says that it has {total:,} pages, which are more than it can hold: it is "
            "damaged. Get the file again."
        )
    if total > max_pages:
        raise TooManyPages(
            f"{name} has {total:,} pages, the limit is {max_pages:,}: "
            "split the file, or raise the limit in the settings."
        )


def _read(
    document: pdfium.PdfDocument,
    path: Path,
    password: str | None,
    ocr: bool,
    progress: Progress | None,
    remarks: Sequence[str],
) -> Reading:
    total = len(document)
    second = SecondReader(path, password)
    remarks = [*remarks, *notes(document)]
    found: list[Extract] = []
    for index in range(total):
        page = extract(document, index)
        if page.glyphs is not None and page.text.sources:
            page.text.sources = []  # hundreds of megabytes in a long file, made again on demand
        page.glyphs = None
        if not page.text.text and page.kind in (PageKind.EMPTY, PageKind.FAILED):
            _ask_second(page, second, index)
        found.append(page)
        if progress and not ocr:
            progress(index + 1, total)
    if ocr:
        remarks += _recognise(document, found, progress)
    printed = labels(document, total)
    bodies = body_ranges([page.text for page in found], printed)
    pages = tuple(
        Page(
            number=index + 1,
            kind=page.kind,
            text=page.text.text,
            body=tuple(body),
            width=page.width,
            height=page.height,
            label=label,
            reason=page.reason,
        )
        for index, (page, body, label) in enumerate(zip(found, bodies, printed, strict=True))
    )
    return Reading(
        pages,
        title=title(document),
        outline=outline(document, total),
        language=_language(pages),
        notes=tuple(remarks),
    )


def _ask_second(page: Extract, second: SecondReader, index: int) -> None:
    text = second.text(index)
    if text.strip():
        page.kind, page.text, page.reason = PageKind.TEXT, PageText(text), _SECOND
    elif page.bare and index in second.damaged:
        page.kind, page.reason = PageKind.FAILED, "The page's content is damaged."


def _recognise(
    document: pdfium.PdfDocument, found: list[Extract], progress: Progress | None
) -> list[str]:
    """Fills in the text of pages without any; returns remarks."""
    language = detect_language("\n".join(page.text.text for page in found)[:20_000])
    remarks: list[str] = []
    for index, page in enumerate(found):
        if page.kind is PageKind.SCANNED and not remarks:
            try:
                png = render_png(document, index, _OCR_SCALE, longest=5_000)
                text = recognition.recognise(png, language)
            except OcrMissing as error:
                remarks.append(str(error))
                continue
            except pdfium.PdfiumError as error:
                page.reason = f"The page's image could not be made ({error})."
                continue
            if text.strip():
                page.kind, page.text, page.reason = PageKind.OCR, PageText(text), None
            else:
                page.reason = "Text recognition found no text on the page's image."
        if progress:
            progress(index + 1, len(found))
    return remarks


def _rescued(
    second: SecondReader, path: Path, max_pages: int, progress: Progress | None, name: str
) -> Reading | None:
    """The file as the second reader has it, where pdfium finds no pages; None if it has none."""
    if not path.is_file() or not path.stat().st_size:
        return None
    total = second.page_count
    _limit(name, total, max_pages, path)
    pages = []
    for index in range(total):
        text = second.text(index)
        kind = PageKind.TEXT if text.strip() else PageKind.FAILED
        reason = _SECOND if text.strip() else "The page is damaged."
        body = ((0, len(text)),) if text.strip() else ()
        pages.append(Page(index + 1, kind, text, body, reason=reason))
        if progress:
            progress(index + 1, total)
    if not any(page.text.strip() for page in pages):
        return None
    return Reading(tuple(pages), language=_language(tuple(pages)))


def _language(pages: tuple[Page, ...]) -> str | None:
    with_text = [page for page in pages if page.body]
    step = max(1, len(with_text) // 12)
    sample = [page.text[a:b] for page in with_text[::step] for a, b in page.body]
    return detect_language("\n".join(sample))
