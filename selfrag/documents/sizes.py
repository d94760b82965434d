"""How long chunks are: of the whole library, or of one document that differs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self, cast

from annotated_types import Ge, Le

from selfrag.errors import UserError
from selfrag.settings import Settings


def _bounds(setting: str) -> tuple[int, int]:
    """The least and the most that a setting takes: one document may not have what all may not."""
    bounds = Settings.model_fields[setting].metadata
    least = next(bound.ge for bound in bounds if isinstance(bound, Ge))
    most = next(bound.le for bound in bounds if isinstance(bound, Le))
    return cast(int, least), cast(int, most)


LEAST, MOST = _bounds("chunk_size")  #: characters of a child
MOST_PARENT = _bounds("parent_chunk_size")[1]  #: characters of a parent


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Characters of a child, of what it shares with the one before, and of a parent."""

    size: int
    overlap: int
    parent: int

    @classmethod
    def of(cls, stored: Mapping[str, int] | None) -> Self | None:
        """From what ``to_json`` gave; None of None."""
        return None if stored is None else cls(**stored)

    def to_json(self) -> dict[str, int]:
        """As the manifest keeps them."""
        return asdict(self)

    def check(self) -> None:
        """See that text can be cut like this.

        Raises:
            UserError: a size is out of bounds or does not fit the others.
        """
        if not LEAST <= self.size <= MOST:
            raise UserError(
                f"Children of {self.size:,} characters cannot be made: choose from {LEAST} to "
                f"{MOST:,}."
            )
        if not 0 <= self.overlap < self.size:
            raise UserError(
                f"An overlap of {self.overlap:,} characters does not fit children of "
                f"{self.size:,}: choose from 0 to {self.size - 1:,}."
            )
        if not self.size <= self.parent <= MOST_PARENT:
            raise UserError(
                f"Parents of {self.parent:,} characters cannot hold children of {self.size:,}: "
                f"choose from {self.size:,} to {MOST_PARENT:,}."
            )
