"""``doctor``: how everything stands, whether the library is here, at a server, or held.

What opens a library, or asks a model, is imported where it is needed: a server that holds the
library has it all loaded, and is only asked.
"""

from typing import Literal

from selfrag.errors import UserError
from selfrag.interfaces import remote
from selfrag.interfaces.schemas import CheckItem, IngestItem
from selfrag.settings import Settings, load_settings


def diagnose(*, repair: bool, quiet: bool) -> list[CheckItem]:
    """Every check.

    Args:
        repair: finish or remove what an interruption left behind, first.
        quiet: print no progress.

    Raises:
        UserError: a setting is wrong; or a repair is to be done on a library that a server holds.
    """
    settings = load_settings()
    held = remote.find(settings)
    if held is not None:
        if repair:
            raise UserError(
                f"The library is open in the server at {held.url}. Stop it, then repair."
            )
        return _at_server(held, settings)
    return _here(settings, repair=repair, quiet=quiet)


def _here(settings: Settings, *, repair: bool, quiet: bool) -> list[CheckItem]:
    from selfrag.diagnosis import examine, examine_closed
    from selfrag.interfaces import show
    from selfrag.service import SelfRag

    try:
        with SelfRag.open(settings) as rag:
            if repair:
                with show.IngestProgress(enabled=not quiet) as progress:
                    for result in rag.finish(report=progress.file):
                        progress.done(IngestItem.of(result))
            checks = [CheckItem.of(each) for each in examine(rag, ask_endpoints=True)]
        return [*checks, _server(settings)]
    except UserError as error:
        closed = examine_closed(settings, str(error), ask_endpoints=True)
        return [CheckItem.of(each) for each in closed]


def _at_server(held: remote.Remote, settings: Settings) -> list[CheckItem]:
    health = held.health()
    told = _check("server", "ok", f"{held.url} holds the library and answers")
    if not health.checks:
        why = "it tells its state only to those with the token: set API_TOKEN to the server's"
        told = _check("server", "problem", f"{held.url} holds the library; {why}")
    return [told, *health.checks, *_endpoints(settings)]


def _endpoints(settings: Settings) -> list[CheckItem]:
    if not settings.llm_configured:
        return []
    from selfrag.diagnosis import endpoints

    return [CheckItem.of(check) for check in endpoints(settings)]


def _check(name: str, verdict: Literal["ok", "missing", "problem"], sentence: str) -> CheckItem:
    return CheckItem(name=name, verdict=verdict, sentence=sentence)


def _server(settings: Settings) -> CheckItem:
    token = "a token is asked for" if settings.api_token else "no token is asked for (API_TOKEN)"
    return _check(
        "server",
        "missing",
        "none runs on this library: `streamlit run app.py`, or `python -m selfrag serve` without "
        f"pages; {token}",
    )
