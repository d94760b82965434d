"""Opens a PDF with pdfium, a broken one in part, and says in a sentence why it cannot be opened.

pdfium is not thread-safe: everything that calls it holds ``LOCK``. Passwords that only
restrict printing or copying do not stop pdfium; an empty password is what it tries first.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from selfrag.documents.errors import PasswordNeeded, UnreadablePdf
from selfrag.documents.salvage import Salvaged, salvage

LOCK = threading.RLock()

#: How the first bytes of other kinds of files look, for the message.
_LOOKS_LIKE = (
    (b"PK\x03\x04", "a ZIP archive or an Office document (Word, Excel, EPUB)"),
    (b"\xd0\xcf\x11\xe0", "an old Office document (Word, Excel)"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
)


def seems_to_be(head: bytes) -> str | None:
    """What a file that is no PDF seems to be, from its first bytes; None where it may be one."""
    if b"%PDF-" in head:
        return None
    for magic, name in _LOOKS_LIKE:
        if head.startswith(magic):
            return name
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "a web page (HTML): perhaps the download gave an error or a sign-in page"
    if start.startswith((b"<?xml", b"<svg")):
        return "an XML file"
    if head and all(byte >= 32 or byte in b"\t\r\n\f" for byte in head):
        return "a text file"
    return "something else"


@contextmanager
def opened(
    path: Path, password: str | None = None, name: str | None = None
) -> Iterator[pdfium.PdfDocument]:
    """The open document, under pdfium's lock; closed on leaving.

    Args:
        path: the file.
        password: what opens it; an empty one is tried anyway.
        name: what messages call the file, where its own name means nothing.

    Raises:
        UnreadablePdf: no PDF, empty, truncated or damaged.
        PasswordNeeded: a password is needed, or the one given is wrong.
    """
    with opened_with_remarks(path, password, name) as (document, _):
        yield document


@contextmanager
def opened_with_remarks(
    path: Path, password: str | None = None, name: str | None = None
) -> Iterator[tuple[pdfium.PdfDocument, list[str]]]:
    """As ``opened``, with what is to be told where the file was only opened in part."""
    with LOCK:
        try:
            document, remarks = _open(path, password, name or path.name), []
        except UnreadablePdf:
            left = salvage(path) if path.is_file() else None
            if left is None:
                raise
            try:
                document = pdfium.PdfDocument(left.data)
            except pdfium.PdfiumError:
                document = None
            if document is None or not len(document):
                raise
            remarks = [_in_part(left)]
        try:
            yield document, remarks
        finally:
            document.close()


def _in_part(left: Salvaged) -> str:
    what = "is damaged" if left.has_end else "breaks off"
    pages = "1 page" if left.pages == 1 else f"{left.pages:,} pages"
    if left.expected == left.pages:
        return f"The file {what}, but its {pages} could be found."
    of = f" of {left.expected:,}" if left.expected else ""
    return f"The file {what}: {pages}{of} could be found. Get it again to have the rest."


def unlock(path: Path, password: str, target: Path) -> bool:
    """Write a copy that opens without a password; False where the file needs none.

    Raises:
        UnreadablePdf, PasswordNeeded: as `opened`.
    """
    try:
        with opened(path):
            return False
    except PasswordNeeded:
        with opened(path, password) as document:
            document.save(target, flags=pdfium_c.FPDF_REMOVE_SECURITY)
        return True


def _open(path: Path, password: str | None, name: str) -> pdfium.PdfDocument:
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise UnreadablePdf(
            f"{name} cannot be read ({error.strerror or error}): "
            "check that the file exists and may be opened."
        ) from error
    if not head:
        raise UnreadablePdf(f"{name} is an empty file (0 bytes): download or export it again.")
    _forget_last_error()
    try:
        return pdfium.PdfDocument(path, password=password)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == pdfium_c.FPDF_ERR_PASSWORD:
            raise _password_error(name, password) from error
        other = seems_to_be(head)
        if other:
            raise UnreadablePdf(
                f"{name} is not a PDF, it seems to be {other}: save or export it as PDF."
            ) from error
        if code == pdfium_c.FPDF_ERR_SECURITY:
            raise UnreadablePdf(
                f"{name} is encrypted in a way that is not supported: "
                "save a copy without protection and add that."
            ) from error
        raise UnreadablePdf(
            f"{name} is damaged or cut short and cannot be opened: get the file again, "
            "or open it in a PDF viewer and save it anew."
        ) from error


def _forget_last_error() -> None:
    """Make pdfium's last error one of format: some files fail without setting any.

    What an earlier file left would otherwise be told of this one ("needs a password").
    """
    nothing = pdfium_c.FPDF_LoadMemDocument(b"x", 1, None)
    if nothing:  # never: one byte is no document
        pdfium_c.FPDF_CloseDocument(nothing)


def _password_error(name: str, password: str | None) -> PasswordNeeded:
    if password:
        return PasswordNeeded(
            f"The password does not open {name}: check it and try again.", wrong=True
        )
    return PasswordNeeded(
        f"{name} is locked with a password: give it and try again. It is used once and not stored."
    )
