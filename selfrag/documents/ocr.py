"""Text recognition for pages that are only an image, by the tesseract program if installed."""

import os
import re
import shutil
import subprocess
from functools import lru_cache

from selfrag.documents.errors import OcrMissing
from selfrag.documents.normalise import character, ends_hyphenated, keeps_hyphen

HOW_TO_INSTALL = (
    "Install tesseract (Debian/Ubuntu: apt install tesseract-ocr; macOS: brew install tesseract; "
    "Windows: the installer of UB Mannheim) and read the document again."
)
_SECONDS = 120
#: ISO 639-1 to the names of tesseract's models.
_MODELS = {
    "ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell",
    "en": "eng", "es": "spa", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin",
    "hr": "hrv", "hu": "hun", "id": "ind", "it": "ita", "ja": "jpn", "ko": "kor", "la": "lat",
    "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk",
    "sl": "slv", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "chi_sim",
}  # fmt: skip
_USUAL = ("eng", "por", "spa", "fra", "deu", "ita")


def available() -> bool:
    """Whether tesseract is on the PATH."""
    return shutil.which("tesseract") is not None


@lru_cache(maxsize=1)
def installed_models() -> frozenset[str]:
    """Names of tesseract's installed language models ("eng")."""
    program = shutil.which("tesseract")
    if program is None:
        return frozenset()
    listed = subprocess.run(
        [program, "--list-langs"], capture_output=True, text=True, timeout=30, check=False
    )
    return frozenset(re.findall(r"^([a-z_]{3,})$", listed.stdout, flags=re.MULTILINE)) - {"osd"}


def model_for(language: str | None) -> str:
    """tesseract's ``-l`` for an ISO 639-1 code; where unknown, the usual ones installed."""
    installed = installed_models()
    wanted = _MODELS.get(language or "")
    if wanted in installed:
        return str(wanted)
    usual = [name for name in _USUAL if name in installed]
    return "+".join(usual or sorted(installed)[:1])


def recognise(png: bytes, language: str | None = None) -> str:
    """The text on an image: lines joined to paragraphs, paragraphs separated by blank lines.

    Args:
        png: the page's image, best at 200 to 300 dots an inch.
        language: ISO 639-1 code of the document, or None if unknown.

    Raises:
        OcrMissing: tesseract is not installed, or failed.
    """
    program = shutil.which("tesseract")
    models = model_for(language)
    if program is None or not models:
        raise OcrMissing(f"Text on images cannot be recognised. {HOW_TO_INSTALL}")
    try:
        done = subprocess.run(
            [program, "stdin", "stdout", "-l", models],
            input=png,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # more threads make it slower
        )
    except subprocess.TimeoutExpired as error:
        raise OcrMissing(
            f"tesseract took more than {_SECONDS} seconds for a page: read without OCR."
        ) from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip()[-200:]
        raise OcrMissing(f"tesseract failed ({message}): check its installation.")
    return paragraphs(done.stdout.decode("utf-8", "replace"))


def paragraphs(recognised: str) -> str:
    """Lines of tesseract's output joined to paragraphs, hyphens at line ends taken away."""
    seen = recognised.casefold()
    result = []
    for block in re.split(r"\n\s*\n", recognised.replace("\f", "\n\n")):
        text = ""
        for raw in block.splitlines():
            line = " ".join("".join(character(c) for c in raw).split())
            if not line:
                continue
            if ends_hyphenated(text):
                text = text if keeps_hyphen(text, line, seen) else text[:-1]
                text += line
            else:
                text = f"{text} {line}" if text else line
        if text:
            result.append(text)
    return "\n\n".join(result)
