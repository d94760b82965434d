"""What reorders the best passages: nothing, or the cross-encoder that ``RERANKER_MODEL`` names."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from selfrag.errors import ModelError, UserError


class RerankerState(StrEnum):
    """Whether the model can be used now."""

    OFF = "off"
    ABSENT = "absent"
    FETCHING = "fetching"
    READY = "ready"
    UNAVAILABLE = "unavailable"


class Reranker(Protocol):
    """Scores passages against a query, each pair read together."""

    name: str
    state: RerankerState

    @property
    def reason(self) -> str | None:
        """Why it cannot be used now and what to do; None where it can."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, in their order.

        Raises:
            ModelError: the model cannot be used now.
        """
        ...


class NoReranker:
    """The reranker of ``RERANKER_MODEL=none``, which is the default.

    No cross-encoder comes with the installation, so none could be measured on the sets that the
    other stages were measured on; a stage that has not shown that it pays is off.
    """

    name = "none"
    state = RerankerState.OFF
    reason = (
        "RERANKER_MODEL is none, since none could be measured; set it to try one, such as "
        "ms-marco-MiniLM-L-12-v2"
    )

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        raise ModelError(self.reason)


def make_reranker(name: str, cache_dir: Path) -> Reranker:
    """The reranker that ``RERANKER_MODEL`` names.

    Args:
        cache_dir: where the files of those that are fetched are kept.

    Raises:
        UserError: neither FlashRank nor FastEmbed knows the name.
    """
    if name.lower() == "none":
        return NoReranker()
    from selfrag.models import cross_encoders

    ours = {each.lower(): each for each in cross_encoders.flashrank_names()}
    theirs = {each.lower(): each for each in cross_encoders.fastembed_names()}
    if name.lower() in ours:
        return cross_encoders.FlashRankReranker(ours[name.lower()], cache_dir)
    if name.lower() in theirs:
        return cross_encoders.FastembedReranker(theirs[name.lower()], cache_dir)
    raise UserError(
        f"RERANKER_MODEL is {name!r}, which is not known: it must be none, one of FlashRank's "
        f"({', '.join(sorted(ours.values()))}) or one of FastEmbed's "
        f"({', '.join(sorted(theirs.values()))}). Change it in .env or in the environment."
    )
