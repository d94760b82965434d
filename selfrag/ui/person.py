"""Who is looking: the person who is logged in, where logging in is set up (``[auth]`` secrets)."""

import hashlib
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from selfrag.ui.literal import literal


def owner() -> str | None:
    """Whom what is asked belongs to; None where nobody is logged in, and it is everybody's.

    It is derived from what the identity provider guarantees to be one person's own (OpenID
    Connect Core 1.0, section 5.7: issuer and subject together), and names nobody.
    """
    user = st.user
    if not user.get("is_logged_in"):
        return None
    person = f"{user.get('iss')}\n{user.get('sub') or user.get('email')}"
    return hashlib.sha256(person.encode()).hexdigest()


def can_log_in() -> bool:
    """Whether logging in is set up."""
    # Streamlit says whether somebody is logged in only where somebody could be.
    return "is_logged_in" in st.user


def draw_login() -> None:
    """Offer to log in or out, where that is set up; nothing where it is not."""
    if not can_log_in():
        return
    if st.user.get("is_logged_in"):
        name = st.user.get("name") or st.user.get("email") or "You are logged in"
        st.caption(f":material/person: {literal(str(name), 40)}")
        st.button("Log out", icon=":material/logout:", type="tertiary", on_click=st.logout)
    else:
        st.caption(":material/group: You see what everybody sees who is not logged in.")
        st.button("Log in", icon=":material/login:", type="tertiary", on_click=st.login)


def time_zone() -> ZoneInfo:
    """The time zone of the browser; UTC where it tells none that is known here."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
