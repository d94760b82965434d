"""What can be done with an answer besides reading it: take it along, or watch it come about."""

import streamlit as st

from selfrag.reflection.folding import RunView
from selfrag.service import SelfRag
from selfrag.sharing.shared import file_name
from selfrag.ui.dialogs import dialog
from selfrag.ui.links import present
from selfrag.ui.stepper import replay, scene_key


def present_from_start(run_id: str) -> None:
    """Show a run in presenter mode, from its question on; a callback."""
    st.session_state[scene_key(run_id)] = 0
    present(run_id)


def draw_share(rag: SelfRag, run_id: str, view: RunView, *, presented: bool = True) -> None:
    """Draw the row under an answer: share, replay, present; on one line with what stands there.

    Args:
        presented: whether this page can present it.
    """
    with st.container(horizontal=True, width="content", gap="small"):
        _draw(rag, run_id, view, presented)


def _draw(rag: SelfRag, run_id: str, view: RunView, presented: bool) -> None:
    if st.button("Share", key=f"share-{run_id}", icon=":material/ios_share:", type="tertiary"):
        _take_along(rag, run_id, view)
    if not view.nodes:
        return
    if st.button("Replay", key=f"replay-{run_id}", icon=":material/replay:", type="tertiary"):
        st.session_state[scene_key(run_id)] = 0
        replay(rag, run_id)
    if not presented:
        return
    st.button(
        "Present",
        key=f"present-{run_id}",
        icon=":material/present_to_all:",
        type="tertiary",
        on_click=present_from_start,
        args=(run_id,),
    )


@dialog("Take this answer along", icon=":material/ios_share:")
def _take_along(rag: SelfRag, run_id: str, view: RunView) -> None:
    st.markdown(
        "The report is one file with the pages it cites in it. Whoever gets it sees the words of "
        "your documents that stand there."
    )
    # Built when it is clicked: drawing pages takes a moment.
    st.download_button(
        "Report to read",
        lambda: rag.sharing.html(run_id),
        file_name(view.question, ".html"),
        "text/html",
        key=f"html-{run_id}",
        icon=":material/description:",
        on_click="ignore",
        width="stretch",
    )
    st.download_button(
        "Events as JSON",
        lambda: rag.sharing.json_text(run_id),
        file_name(view.question, ".json"),
        "application/json",
        key=f"json-{run_id}",
        icon=":material/data_object:",
        on_click="ignore",
        width="stretch",
    )
