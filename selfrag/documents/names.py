"""What a document is called, and which other document it takes the place of."""

import unicodedata
from pathlib import Path

from selfrag.documents.versions import is_version
from selfrag.errors import UserError
from selfrag.pages import Reading
from selfrag.records.documents import DocumentRecord, Documents

LONGEST = 200  #: characters of a name
#: letters and signs that show nothing
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
#: how forms write what may not stand in a header (WHATWG HTML, multipart/form-data)
_IN_FORMS = {"%22": '"', "%0D": "\r", "%0A": "\n"}


def clean_name(name: str) -> str:
    """A file name as it may be shown on one line: no folders, no control characters, bounded.

    One that is too long is cut in the middle of its stem, so that its end still says what
    kind of file it was.
    """
    name = name.encode("utf-8", "replace").decode("utf-8")
    last = name.replace("\\", "/").rstrip("/").split("/")[-1]
    shown = " ".join("".join(char if char.isprintable() else " " for char in last).split())
    if len(shown) > LONGEST:
        end = Path(shown).suffix
        end = end if len(end) <= 10 else ""
        shown = shown[: LONGEST - len(end)].rstrip() + end
    return shown or "document.pdf"


def given_name(text: str) -> str:
    """A name that a person wrote, on one line: it is no path, so slashes become hyphens.

    Raises:
        UserError: nothing of it can be seen.
    """
    if not any(unicodedata.category(char)[0] in "LNPS" and char not in _BLANK for char in text):
        raise UserError("A document needs a name that can be seen: write one.")
    return clean_name(text.replace("/", "-").replace("\\", "-"))


def sent_name(name: str) -> str:
    """The file name that a form's header carries, as it was before it was put there."""
    for written, char in _IN_FORMS.items():
        name = name.replace(written, char)
    return name


def older_versions(
    manifest: Documents, record: DocumentRecord, reading: Reading
) -> list[DocumentRecord]:
    """The versions of this document that it takes the place of.

    A file read from the same path again is one; of uploads, which have no path, those of the
    same name that share enough of the text.
    """
    return [
        other
        for other in manifest.by_name(record.name)
        if other.id != record.id
        and (
            record.source == other.source
            if record.source and other.source
            else is_version(reading.pages, manifest.pages(other.id))
        )
    ]


def free_name(manifest: Documents, name: str, taken_over: set[str]) -> str:
    """The name, or ``report (2).pdf`` where a document other than those ids has it."""
    stem, free, number = Path(name), name, 1
    while any(other.id not in taken_over for other in manifest.by_name(free)):
        number += 1
        free = f"{stem.stem} ({number}){stem.suffix}"
    return free
