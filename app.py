"""The application: ``streamlit run app.py``.

One ASGI process serves the pages and, beside them, the routes for programs, all over the one
library that the lifespan opens and warms up before the first visitor.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

# Whole before the first page: plotly takes pandas as it stands among the loaded modules, and
# breaks where another page has only begun to load it.
import pandas  # noqa: F401
import streamlit as st

from selfrag.interfaces import note
from selfrag.interfaces.serving import Programs

SCRIPT = Path(__file__).parent / "selfrag" / "ui" / "navigation.py"

programs = Programs()


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Everything is open and warm while this is entered."""
    host = st.get_option("server.address")
    url = note.address(
        host,
        st.get_option("server.port"),
        tls=bool(st.get_option("server.sslCertFile")),
        base=st.get_option("server.baseUrlPath") or "",
    )
    async with programs.running(url, host):
        yield


app = st.App(SCRIPT, lifespan=lifespan, routes=programs.routes, middleware=programs.middleware)
