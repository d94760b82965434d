"""The proof beside an answer: its page as an image, the sentence highlighted, what is near it."""

import io
from collections.abc import Sequence

import streamlit as st
from PIL import Image, ImageChops, ImageOps

from selfrag.errors import UserError
from selfrag.reflection.folding import RunView
from selfrag.reflection.sources import Source, sources
from selfrag.service import SelfRag
from selfrag.ui import page_list
from selfrag.ui.conversation import current_id
from selfrag.ui.links import to_quote
from selfrag.ui.literal import literal
from selfrag.ui.quoted import in_context, shortened

_EDGE = "#CED4DA"
_BAND = 0.55  #: height of a part of a page, in widths
_QUOTE = 320  #: characters of a quote above the page that shows it whole


def source_key(run_id: str) -> str:
    """Where the session keeps the number of the source that is open."""
    return f"source-{run_id}"


def evidence_key(run_id: str) -> str:
    """Key of the container that holds the sources, for whoever wants to bring it into view."""
    return f"evidence-{run_id}"


def draw_evidence(rag: SelfRag, run_id: str, view: RunView) -> None:
    """Draw the sources of a finished run: a choice of all, and the open one on its page."""
    found = sources(view)
    if not found:
        return
    end = view.finished
    cited = bool(end and end.citations)
    backed = end is not None and end.status != "unsupported"
    title = ("Evidence" if backed else "What it cites") if cited else "The nearest passages"
    with st.container(key=evidence_key(run_id)):
        st.markdown(f"**{title}**")
        number = _choose(found, source_key(run_id), cited)
        source = next(source for source in found if source.number == number)
        _draw_source(rag, run_id, source, cited)


def _choose(found: Sequence[Source], key: str, cited: bool) -> int:
    numbers = [source.number for source in found]
    if st.session_state.get(key) not in numbers:
        st.session_state[key] = numbers[0]
    if len(found) == 1:
        return numbers[0]
    several = len({source.document_id for source in found}) > 1
    names = {source.number: _pill(source, cited, several) for source in found}
    chosen = st.pills(
        "Sources",
        numbers,
        key=key,
        required=True,
        format_func=names.__getitem__,
        label_visibility="collapsed",
        wrap=True,
    )
    return chosen if chosen in numbers else numbers[0]


def _pill(source: Source, cited: bool, several: bool) -> str:
    number = f"{source.number} · " if cited else ""
    page = literal(source.label or str(source.page))
    return (
        f"{number}{literal(source.document, 26)}, p. {page}" if several else f"{number}page {page}"
    )


def _draw_source(rag: SelfRag, run_id: str, source: Source, cited: bool) -> None:
    if rag.library.find(source.document_id) is None:
        _draw_gone(source, cited)
        return
    mark = f":primary-badge[{source.number}] " if cited else ""
    st.markdown(f"{mark}**{literal(source.document, 60)}**, {literal(source.page_name)}")
    if cited:
        for quote in (it for it in source.quotes if it not in source.told):
            st.markdown(f":small[“{literal(shortened(quote, _QUOTE))}”]")
    shift_key = f"shift-{run_id}-{source.number}"
    shift = st.session_state.get(shift_key, 0)
    page = source.page + shift
    try:
        pages = rag.document(source.document_id).page_count
        last = _last_page(rag, source.document_id, source.page, source.quotes)
        here = source.page <= page <= last
        image = page_png(rag, source.document_id, page, source.quotes if here else (), source.page)
    except UserError as error:
        st.warning(str(error), icon=":material/error:")
        return
    st.image(
        image,
        width="stretch",
        alt=f"Page {page} of {source.document}" + (", the quote highlighted" if here else ""),
    )
    if here and last > source.page:
        other = f"goes on on page {page + 1}" if page < last else f"begins on page {source.page}"
        st.caption(f":material/format_quote: The quote {other}.")
    _turn(shift_key, page, pages, source, quoted=here)
    if source.passage and source.passage.strip() != source.quotes[0].strip():
        with st.expander("Before and after it in the passage", type="compact"):
            st.markdown(f":small[{in_context(source.passage, source.quotes)}]")


def _draw_gone(source: Source, cited: bool) -> None:
    """The words alone, of a document that was deleted after the question."""
    what = "the sentence that was quoted" if cited else "the passage that was found"
    st.warning(
        f"{literal(source.document, 60)} was deleted from your library; this is {what}, on "
        f"{literal(source.page_name)}.",
        icon=":material/delete:",
    )
    for quote in source.quotes:
        st.markdown(f"> {literal(quote)}")


def _turn(shift_key: str, page: int, pages: int, source: Source, *, quoted: bool) -> None:
    """The row under the image: the neighbouring pages, and the document at this page."""

    def turn(by: int) -> None:
        st.session_state[shift_key] = st.session_state.get(shift_key, 0) + by

    def step(name: str, icon: str, by: int) -> None:
        st.button(
            name,
            key=f"{shift_key}-{by}",
            icon=icon,
            icon_position="left" if by < 0 else "right",
            type="tertiary",
            disabled=not 1 <= page + by <= pages,
            on_click=turn,
            args=(by,),
        )

    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        step("Before", ":material/chevron_left:", -1)
        st.caption(f"page {page} of {pages}", width="content")
        step("After", ":material/chevron_right:", 1)
    st.page_link(
        page_list.documents(),
        label="Open the document at this page",
        icon=":material/open_in_new:",
        query_params=to_quote(
            source.document_id,
            page,
            source.quotes[0] if quoted else "",
            current_id(),
        ),
    )


@st.cache_data(max_entries=64, show_spinner="Drawing the page")
def quote_png(
    _rag: SelfRag, document_id: str, page: int, quotes: tuple[str, ...], band: float = _BAND
) -> bytes:
    """The part of a page around the highlighted quotes as framed PNG; for a screen, not a sheet.

    Args:
        band: its height, in widths of the page.
    """
    marked = Image.open(io.BytesIO(_rag.page_image(document_id, page, quotes))).convert("RGB")
    plain = Image.open(io.BytesIO(_rag.page_image(document_id, page))).convert("RGB")
    box = ImageChops.difference(marked, plain).getbbox()
    width, height = marked.size
    tall = min(height, round(width * band))
    middle = (box[1] + box[3]) // 2 if box else tall // 2
    top = min(max(middle - tall // 2, 0), height - tall)
    return _framed(marked.crop((0, top, width, top + tall)))


@st.cache_data(max_entries=128, show_spinner="Drawing the page")
def page_png(
    _rag: SelfRag, document_id: str, page: int, quotes: tuple[str, ...], begins: int
) -> bytes:
    """A page as framed PNG, with what it has of the quotes that begin on page ``begins``
    highlighted (a document's id names its content)."""
    image = Image.open(io.BytesIO(_rag.page_image(document_id, page, quotes, begins)))
    return _framed(image)


@st.cache_data(max_entries=128, show_spinner=False)
def _last_page(_rag: SelfRag, document_id: str, begins: int, quotes: tuple[str, ...]) -> int:
    return _rag.last_page(document_id, begins, quotes)


def _framed(image: Image.Image) -> bytes:
    # White paper on a white page needs an edge.
    framed = ImageOps.expand(image.convert("RGB"), border=2, fill=_EDGE)
    out = io.BytesIO()
    framed.save(out, "PNG", compress_level=3)
    return out.getvalue()
