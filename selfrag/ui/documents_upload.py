"""The drop area: what is dropped becomes a job at once, and the area is empty again.

Any kind of file is let in: the reader says of a wrong one what it is and what to do, in the list
below and beside the others, where the browser would only have turned it away.
"""

import uuid

import streamlit as st

from selfrag.documents.names import sent_name
from selfrag.errors import NO_ROOM, UserError, disk_is_full
from selfrag.service import SelfRag
from selfrag.ui.job_results import forget_settled
from selfrag.ui.literal import literal

_ROUND = "upload_round"


def upload(rag: SelfRag) -> None:
    """Draw the drop area and queue what is dropped."""
    number = st.session_state.setdefault(_ROUND, 0)
    files = st.file_uploader(
        "Drop PDFs here, or choose them",
        accept_multiple_files=True,
        key=f"upload_{number}",
    )
    if not files:
        return
    forget_settled(rag)  # what is counted then is what came of these files
    for file in files:
        waiting = rag.incoming / f"{uuid.uuid4().hex}.pdf"
        try:
            waiting.write_bytes(file.getbuffer())
            rag.submit(waiting, sent_name(file.name))
        except (OSError, UserError) as error:
            waiting.unlink(missing_ok=True)
            if isinstance(error, OSError) and not disk_is_full(error):
                raise
            st.error(literal(NO_ROOM if isinstance(error, OSError) else str(error)))
            return
    # Another key is another, empty widget: the next run does not submit the same files again.
    st.session_state[_ROUND] = number + 1
    st.rerun()
