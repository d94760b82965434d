"""``doctor``: how everything stands, whether the library is here, at a server, or held."""

from selfrag.diagnosis import Check, Verdict, endpoints, examine, examine_closed
from selfrag.errors import UserError
from selfrag.interfaces import remote, show
from selfrag.interfaces.schemas import CheckItem, IngestItem
from selfrag.service import SelfRag
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
    try:
        with SelfRag.open(settings) as rag:
            if repair:
                with show.IngestProgress(enabled=not quiet) as progress:
                    for result in rag.finish(report=progress.file):
                        progress.done(IngestItem.of(result))
            checks = [*examine(rag, ask_endpoints=True), _server(settings)]
    except UserError as error:
        checks = examine_closed(settings, str(error), ask_endpoints=True)
    return [CheckItem.of(check) for check in checks]


def _at_server(held: remote.Remote, settings: Settings) -> list[CheckItem]:
    health = held.health()
    told = Check("server", Verdict.OK, f"{held.url} holds the library and answers")
    if not health.checks:
        why = "it tells its state only to those with the token: set API_TOKEN to the server's"
        told = Check("server", Verdict.PROBLEM, f"{held.url} holds the library; {why}")
    asked = [CheckItem.of(check) for check in endpoints(settings)]
    return [CheckItem.of(told), *health.checks, *asked]


def _server(settings: Settings) -> Check:
    token = "a token is asked for" if settings.api_token else "no token is asked for (API_TOKEN)"
    return Check(
        "server",
        Verdict.MISSING,
        "none runs on this library: `streamlit run app.py`, or `python -m selfrag serve` without "
        f"pages; {token}",
    )
