"""What a file says of itself: title, outline, page labels, and what of it is not read.

pdfium has all of these, so a file is opened once and by the hardened reader only.
"""

import re

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from selfrag.pages import Heading

_MOST_HEADINGS = 10_000
_NO_TITLE = re.compile(r"^(?:untitled|unbenannt|sem t[íi]tulo|sin t[íi]tulo|sans titre)\b", re.I)
_PROGRAM = re.compile(
    r"^(?:Microsoft (?:Word|PowerPoint|Excel) - )|\.(?:docx?|pptx?|dvi|tex|indd)$"
)


def _clean(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:500]


def title(document: pdfium.PdfDocument) -> str | None:
    """The title in the metadata, without the names of programs and file types."""
    raw = document.get_metadata_value("Title")
    text = _PROGRAM.sub("", _clean(raw or ""))
    return None if not text or _NO_TITLE.match(text) else text


def outline(document: pdfium.PdfDocument, total: int) -> tuple[Heading, ...]:
    """The bookmarks that lead to a page of the file, in order."""
    headings: list[Heading] = []
    try:
        for bookmark in document.get_toc(max_depth=12):
            target = bookmark.get_dest()
            index = target.get_index() if target else None
            name = _clean(bookmark.get_title())
            if name and index is not None and 0 <= index < total:
                headings.append(Heading(name, index + 1, bookmark.level))
            if len(headings) >= _MOST_HEADINGS:
                break
    except pdfium.PdfiumError:  # a damaged outline: the text does not suffer
        return tuple(headings)
    return tuple(headings)


def labels(document: pdfium.PdfDocument, total: int) -> list[str | None]:
    """The printed page numbers that the file declares, one per page, None where it has none."""
    return [_clean(document.get_page_label(index) or "") or None for index in range(total)]


def notes(document: pdfium.PdfDocument) -> list[str]:
    """What of the file is not read, as sentences."""
    remarks = []
    form = document.get_formtype()
    if form in (pdfium_c.FORMTYPE_XFA_FULL, pdfium_c.FORMTYPE_XFA_FOREGROUND):
        remarks.append(
            "This is an XFA form, whose contents only Adobe Reader shows: "
            "print it to PDF there and add that."
        )
    elif form == pdfium_c.FORMTYPE_ACRO_FORM:
        remarks.append("The file has form fields; what was filled in was not read.")
    attached = document.count_attachments()
    if attached:
        what = "1 attached file was" if attached == 1 else f"{attached} attached files were"
        remarks.append(f"{what} not read: save and add it separately.")
    return remarks
