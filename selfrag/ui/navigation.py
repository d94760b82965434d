"""The pages, and what surrounds them: the sidebar, and one place for every error.

This is the script of the application (see ``app.py``); it runs at each visit and each click.
"""

import logging
from pathlib import Path

import streamlit as st

from selfrag import process
from selfrag.errors import UserError
from selfrag.models.whereabouts import asks_models, who_answers
from selfrag.service import SelfRag
from selfrag.ui import choices, page_list
from selfrag.ui.dialogs import none_open
from selfrag.ui.guarded import draw_said
from selfrag.ui.links import asked_run
from selfrag.ui.literal import literal
from selfrag.ui.person import draw_login
from selfrag.ui.settings_panel import TRACED
from selfrag.wording import count

logger = logging.getLogger(__name__)

_HERE = Path(__file__).parent
_SIDEBAR = 250  #: pixels; what it holds is short, and the evidence needs the room


def main() -> None:
    """Draw the page that is asked for."""
    st.set_page_config(
        page_title="Self-RAG",
        page_icon=str(_HERE / "mark.svg"),
        layout="wide",
        initial_sidebar_state=_SIDEBAR,
    )
    none_open()
    st.logo(_HERE / "logo.svg", size="large")
    presenting = asked_run() is not None
    page = st.navigation(
        [
            page_list.chat(),
            page_list.documents(),
            page_list.compare(),
            page_list.runs(),
            page_list.evaluate(),
        ],
        position="hidden" if presenting else "sidebar",
    )
    try:
        if not presenting:
            _draw_sidebar(process.current())
        draw_said()
        page.run()
    except UserError as error:
        st.error(str(error))
    except Exception:
        logger.exception("the page %s failed", page.title)
        st.error(
            "Something went wrong on this page. Load it again; if that does not help, the log of "
            "the application says what happened."
        )


def _draw_sidebar(rag: SelfRag) -> None:
    settings = choices.casting(rag).settings  # as it was chosen in this tab
    with st.sidebar:
        st.space("small")
        ready = len(rag.ready())
        holds = f"{count(ready, 'document')} to ask" if ready else "No documents yet"
        st.caption(f":material/library_books: {holds}")
        draw_login()
        if asks_models(settings):
            st.caption(f":material/edit_note: {literal(who_answers(settings))}")
        elif settings.llm_configured:
            st.caption(":material/format_quote: Set to quotes: no language model is asked")
        else:
            st.caption(":material/format_quote: No language model: answers are quotes")
        if rag.tracing.on:
            st.caption(
                f":material/share_reviews: {TRACED}",
                help="Questions, prompts, passages and answers are sent to "
                f"{literal(rag.tracing.endpoint)}, project {literal(rag.tracing.project)}.",
            )


main()
