"""A page as an image beside the text that was read from it, with its chunks drawn on both.

A component of its own, because what is pointed at on one side must light up on the other.
"""

import base64
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import streamlit as st

from selfrag.documents.errors import PasswordNeeded
from selfrag.errors import UserError
from selfrag.pages import Chunk, Page, PageKind
from selfrag.service import SelfRag
from selfrag.ui.page_segments import Range, on_page, ranges_on, segments

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "selfrag.page_reader",
    html='<div class="reader"></div>',
    css=(_HERE / "page_reader.css").read_text("utf-8"),
    js=(_HERE / "page_reader.js").read_text("utf-8"),
)

_NO_TEXT = {
    PageKind.EMPTY: "Nothing stands on this page.",
    PageKind.SCANNED: (
        "This page is only an image, so searching cannot find it. Read the document again with "
        "text recognition (OCR)."
    ),
    PageKind.FAILED: "This page could not be read.",
}

Box = tuple[float, float, float, float]


def page_reader(
    rag: SelfRag,
    document_id: str,
    page: Page,
    chunks: tuple[Sequence[Chunk], Sequence[Chunk]],
    *,
    borders: bool,
    hits: Sequence[Range] = (),
    chosen: int | None = None,
) -> None:
    """Draw a page.

    Args:
        chunks: parents and children of the document.
        borders: whether to show where chunks begin and end.
        hits: ranges of the page's text that a search found.
        chosen: index of the hit that was chosen.
    """
    parents, children = (on_page(each, page.number) for each in chunks)
    numbers = {parent.id: parent.position for parent in parents}
    image, why_none = _image(rag, document_id, page.number)
    ranges = {child.position: ranges_on(child, page.number) for child in children}
    wanted = [*(place for places in ranges.values() for place in places), *hits]
    found = dict(zip(wanted, _places(rag, document_id, page.number, tuple(wanted)), strict=True))
    data: dict[str, Any] = {
        "image": image,
        "alt": f"Page {page.number} of the document",
        "no_image": why_none,
        "no_text": page.reason or _NO_TEXT.get(page.kind, "No text was read from this page."),
        "borders": borders,
        "segments": [asdict(part) for part in segments(page, parents, children, hits)],
        "parents": {parent.position: parent.heading for parent in parents},
        "chunks": [
            {
                "number": child.position,
                "parent": numbers.get(child.parent_id or ""),
                "boxes": [box for place in ranges[child.position] for box in found[place]],
            }
            for child in children
            if borders
        ],
        "hits": [found[hit] for hit in hits],
        "chosen": chosen,
    }
    _component(key=f"reader_{document_id}", data=data)


@st.cache_data(max_entries=32, show_spinner=False)
def _drawn(_rag: SelfRag, document_id: str, page: int) -> str:
    png = _rag.page_image(document_id, page)
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def _image(rag: SelfRag, document_id: str, page: int) -> tuple[str | None, str]:
    try:
        return _drawn(rag, document_id, page), ""
    except PasswordNeeded:
        return None, (
            "This file is locked, and its password was used once and not kept, so its pages "
            "cannot be shown. The text that was read from it can be found and cited."
        )
    except UserError as error:
        return None, f"This page cannot be shown as an image. {error}"


@st.cache_data(max_entries=128, show_spinner=False)
def _located(
    _rag: SelfRag, document_id: str, page: int, ranges: tuple[Range, ...]
) -> list[list[Box]]:
    return [
        [(box.x0, box.y0, box.x1, box.y1) for box in boxes]
        for boxes in _rag.places(document_id, page, ranges)
    ]


def _places(
    rag: SelfRag, document_id: str, page: int, ranges: tuple[Range, ...]
) -> list[list[Box]]:
    try:
        return _located(rag, document_id, page, ranges)
    except UserError:
        return [[] for _ in ranges]  # the image says why it cannot be shown
