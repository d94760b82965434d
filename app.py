"""The application: ``streamlit run app.py``.

One ASGI process serves the pages and, beside them, the routes for programs, all over the one
library that the lifespan opens and warms up before the first visitor.
"""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from anyio import to_thread

from selfrag import process
from selfrag.diagnosis import examine
from selfrag.errors import UserError
from selfrag.interfaces.rest import routes
from selfrag.interfaces.startup import announce
from selfrag.settings import load_settings

SCRIPT = Path(__file__).parent / "selfrag" / "ui" / "navigation.py"


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open and warm the library; whatever the person must mend stops the start with a sentence."""
    try:
        rag = await to_thread.run_sync(lambda: process.open_once(load_settings()))
        await to_thread.run_sync(rag.warm_up)
    except UserError as error:
        print(f"\nSelf-RAG cannot start. {error}\n", file=sys.stderr, flush=True)
        # The server would print a traceback over the sentence and keep its threads.
        os._exit(1)
    announce(examine(rag))
    try:
        yield
    finally:
        await to_thread.run_sync(process.close)


app = st.App(SCRIPT, lifespan=lifespan, routes=routes())
