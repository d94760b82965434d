"""How the documents of a set become the passages that are searched."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cutting:
    """How documents become children.

    Attributes:
        chunked: cut them as the library cuts PDFs; otherwise each is one child, the usual
            way to measure on passages.
        size, overlap, parent: characters, as in the settings.
    """

    chunked: bool = False
    size: int = 600
    overlap: int = 150
    parent: int = 1200
