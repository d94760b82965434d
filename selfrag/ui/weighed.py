"""The sentences that a verdict on a statement rests on: which speaks for it, which against."""

import streamlit as st

from selfrag.reflection.events import RunFinished
from selfrag.reflection.story import side_of
from selfrag.ui import page_list
from selfrag.ui.colours import badge
from selfrag.ui.links import to_quote
from selfrag.ui.literal import literal
from selfrag.ui.quoted import shortened

_QUOTE = 320  #: characters


def draw_weighed(end: RunFinished) -> None:
    """Draw each sentence with its side and a link to where it stands."""
    for item in end.evidence:
        tone, side = side_of(item)
        quote = literal(shortened(" ".join(item.quote.split()), _QUOTE))
        st.markdown(f"{badge(tone, side)} “{quote}”")
        st.page_link(
            page_list.documents(),
            label=f"page {item.page}, {literal(item.document, 50)}",
            icon=":material/open_in_new:",
            query_params=to_quote(item.document_id, item.page, item.quote, None),
        )
