"""Messages between the application and the process that reads untrusted files.

Length-prefixed JSON and bytes, no pickle: what comes back from a process that has parsed an
untrusted file must not be able to run anything here.

A message is eight bytes (big-endian length of the JSON, length of the bytes), then both.
"""

import json
import struct
from typing import IO, Any

from selfrag.pages import Heading, Page, PageKind, Reading

_HEAD = struct.Struct(">II")
_MOST = 1 << 30


def send(stream: IO[bytes], message: dict[str, Any], data: bytes = b"") -> None:
    """Writes one message and flushes.

    Raises:
        OSError: the other side is gone.
    """
    text = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    stream.write(_HEAD.pack(len(text), len(data)))
    stream.write(text)
    if data:
        stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """The next message and its bytes, or None where the other side is gone.

    Raises:
        ValueError: what came is no message.
    """
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    size, extra = _HEAD.unpack(head)
    if size + extra > _MOST:
        raise ValueError("message too long")
    text, data = stream.read(size), stream.read(extra)
    if len(text) < size or len(data) < extra:
        return None
    message = json.loads(text.decode("utf-8", "surrogatepass"))
    if not isinstance(message, dict):
        raise ValueError("no message")
    return message, data


def pack_reading(reading: Reading) -> dict[str, Any]:
    """A reading as JSON."""
    return {
        "pages": [
            [p.number, p.kind.value, p.text, p.body, p.width, p.height, p.label, p.reason]
            for p in reading.pages
        ],
        "title": reading.title,
        "outline": [[h.title, h.page, h.level] for h in reading.outline],
        "language": reading.language,
        "notes": reading.notes,
    }


def unpack_reading(packed: dict[str, Any]) -> Reading:
    """The reading that ``pack_reading`` packed."""
    return Reading(
        pages=tuple(
            Page(
                number=int(number),
                kind=PageKind(kind),
                text=str(text),
                body=tuple((int(a), int(b)) for a, b in body),
                width=float(width),
                height=float(height),
                label=label,
                reason=reason,
            )
            for number, kind, text, body, width, height, label, reason in packed["pages"]
        ),
        title=packed["title"],
        outline=tuple(Heading(str(t), int(p), int(v)) for t, p, v in packed["outline"]),
        language=packed["language"],
        notes=tuple(packed["notes"]),
    )
