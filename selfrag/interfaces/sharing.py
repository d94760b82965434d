"""``export``: a run of the records as a report for people, or as JSON for programs."""

from pathlib import Path

from selfrag.errors import UserError
from selfrag.interfaces.backend import Backend


def write(held: Backend, run_id: str, html: Path | None, json_file: Path | None) -> list[Path]:
    """Write the files that are asked for; returns those that were.

    Raises:
        UserError: there is no such run, or a file can't be written.
    """
    made = []
    for path, build in ((html, held.report), (json_file, held.exported_text)):
        if path is None:
            continue
        text = build(run_id)
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UserError(
                f"{path} can't be written ({error.strerror}): choose another place."
            ) from error
        made.append(path)
    return made
