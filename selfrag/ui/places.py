"""Places on a page that hold nothing of what stood there before.

Streamlit keeps what stood in a container until the script has ended, which is late where a run is
followed to its end. Two places take turns, and the one that is left is emptied at once.
"""

import streamlit as st

_SIDE = "place-{}"  #: (identity, 0 or 1): which of two places holds it


def fresh_place(name: str, identity: str | None) -> st.delta_generator.DeltaGenerator:
    """Where ``identity`` is drawn; another place than for what was drawn there before it."""
    key = _SIDE.format(name)
    last, side = st.session_state.get(key, (None, 0))
    if identity != last:
        side = 1 - side
        st.session_state[key] = (identity, side)
    places = [st.container() if number == side else st.empty() for number in range(2)]
    return places[side]
