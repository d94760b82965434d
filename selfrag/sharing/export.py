"""A run as JSON, and back: the event log with the name and version of its format.

    {"format": "self-rag run", "version": 1, "run_id": ..., "events": [...], ...}

What stands beside the events is their summary, as ``ask --json`` gives it, for whoever does not
want to fold them. Reading needs the events alone, and logs of earlier versions stay readable.
"""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from selfrag.errors import UserError
from selfrag.reflection.contract import run_json
from selfrag.reflection.events import Event, RunFinished, RunStarted, is_kept, parse_event

FORMAT = "self-rag run"
VERSION = 1


def export(events: Sequence[Event]) -> dict[str, Any]:
    """The log of a run that has ended as a JSON object.

    Raises:
        UserError: the run has not ended.
    """
    kept = [event for event in events if is_kept(event)]
    first, last = (kept[0], kept[-1]) if kept else (None, None)
    if not isinstance(first, RunStarted) or not isinstance(last, RunFinished):
        raise UserError("This run has not ended yet: share it when it has.")
    about = {"format": FORMAT, "version": VERSION}
    return about | run_json(first.run_id, first.question, last, kept)


def export_text(events: Sequence[Event]) -> str:
    """`export` as the text of a file."""
    return json.dumps(export(events), ensure_ascii=False, indent=2) + "\n"


def read(text: str) -> list[Event]:
    """The events of an export, in order.

    Raises:
        UserError: it is no export of a run, or of a version that this one does not know.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError("This is no JSON file: choose one that was shared as JSON.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserError("This file holds no shared run: choose one that was shared as JSON.")
    version = data.get("version")
    if type(version) is not int or version < 1:  # true would pass for 1
        raise UserError(
            "This file doesn't say its version: it was changed or cut short. Share the run again."
        )
    if version > VERSION:
        raise UserError(
            f"This run was shared by a newer version (format {version}, known up to {VERSION}): "
            "bring this application up to date."
        )
    try:
        events = [parse_event(event) for event in _logged(data)]
    except (KeyError, TypeError, ValidationError, RecursionError) as error:
        raise UserError(
            "The events in this file can't be read: it was changed or cut short. Share it again."
        ) from error
    if not events:
        raise UserError("This file holds a run without events: share the run again.")
    return events


def _logged(data: dict[str, Any]) -> list[Any]:
    if not isinstance(data["events"], list):
        raise TypeError("events are a list")
    return data["events"]
