"""Numbers as a person reads them: sizes, times, counts, languages, runs of pages."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "gl": "Galician",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "la": "Latin", "lt": "Lithuanian",
    "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch", "nn": "Norwegian", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 page``, ``2,310 pages``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def capitalised(text: str) -> str:
    """``text`` as it begins a sentence; the rest stays as it is, names above all."""
    return text[:1].upper() + text[1:]


def size(number: int) -> str:
    """Bytes as ``814 bytes``, ``12 KB``, ``3.4 MB``, ``1.2 GB`` (a KB is 1,000 bytes)."""
    if number < 1_000:
        return count(number, "byte")
    value = float(number)
    for unit in ("KB", "MB", "GB"):
        value /= 1_000
        if value < 999.5 or unit == "GB":
            break
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def duration(seconds: float) -> str:
    """``40 ms``, ``0.4 s``, ``12 s``, ``3 min``, ``1 h 20 min``."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def in_one_unit(seconds: Sequence[float]) -> Callable[[float], str]:
    """How to say these seconds so that one looks at numbers only: all in the longest's unit."""
    longest, shortest = max(seconds, default=0.0), min(seconds, default=0.0)
    if longest < 0.9995:
        return lambda each: f"{1000 * each:.0f} ms"
    if longest < 59.5:
        decimals = 0 if shortest >= 9.95 else 1 if shortest >= 0.0995 else 2
        return lambda each: f"{each:.{decimals}f} s"
    return lambda each: f"{each / 60:.1f} min"


def day(moment: float, zone: str | None) -> str:
    """Seconds since the epoch as ``3 Dec 2026`` in the time zone ``zone``; UTC if unknown."""
    try:
        zone_info = ZoneInfo(zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone_info = ZoneInfo("UTC")
    then = datetime.fromtimestamp(moment, zone_info)
    return f"{then.day} {then:%b %Y}"


def language(code: str | None) -> str | None:
    """The English name of an ISO 639-1 code; the code itself where it has none here."""
    return None if code is None else _LANGUAGES.get(code, code)


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Ascending page numbers as runs: 1, 2, 3, 7 gives ``[(1, 3), (7, 7)]``."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def listed(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
