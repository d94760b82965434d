"""A mode, perhaps with other parameters than the settings have: what is compared with what.

Written ``hybrid``, ``hybrid:fusion=rrf`` or ``hybrid:dense_weight=0.2,k=10``, the same on the
command line, in addresses and in results.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from selfrag.errors import UserError
from selfrag.retrieval.funnel import MAX_K, USES_FUSION, FunnelSettings, check_mode
from selfrag.retrieval.result import Mode

FUSIONS = ("convex", "rrf")


@dataclass(frozen=True, slots=True)
class Variant:
    """A mode with what is different from the settings; None is as they say.

    Attributes:
        fusion: ``convex`` or ``rrf``.
        dense_weight: of convex fusion, 0 to 1.
        k: passages in the final list, 1 to 100.
    """

    mode: Mode
    fusion: str | None = None
    dense_weight: float | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        if self.fusion not in (None, *FUSIONS):
            raise UserError(f"There is no fusion {self.fusion!r}: choose {' or '.join(FUSIONS)}.")
        merges = self.mode in USES_FUSION
        if not merges and (self.fusion or self.dense_weight is not None):
            raise UserError(
                f"{self.mode.value} has one list and merges nothing: leave out fusion and "
                "dense_weight, or take hybrid."
            )
        if self.dense_weight is not None and not 0 <= self.dense_weight <= 1:
            raise UserError(f"The dense weight is {self.dense_weight}: take one from 0 to 1.")
        if self.dense_weight is not None and self.fusion == "rrf":
            raise UserError("RRF looks at ranks only: a dense weight belongs to convex fusion.")
        if self.k is not None and not 1 <= self.k <= MAX_K:
            raise UserError(f"k is {self.k}: ask for 1 to {MAX_K} passages.")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The variant that ``str`` wrote.

        Raises:
            UserError: it names no mode, or a parameter that there is not or does not fit.
        """
        name, _, rest = text.strip().partition(":")
        mode = check_mode(name)
        values: dict[str, str] = {}
        for part in filter(None, rest.split(",")):
            key, _, value = part.partition("=")
            values[key.strip()] = value.strip()
        unknown = values.keys() - {"fusion", "dense_weight", "k"}
        if unknown:
            raise UserError(
                f"{sorted(unknown)[0]!r} in {text!r} is no parameter: use fusion, dense_weight or "
                "k, as in hybrid:fusion=rrf,k=10."
            )
        try:
            weight = float(values["dense_weight"]) if "dense_weight" in values else None
            k = int(values["k"]) if "k" in values else None
        except ValueError:
            raise UserError(
                f"{text!r} has no number where one belongs: write it as in "
                "hybrid:dense_weight=0.2,k=10."
            ) from None
        return cls(mode, values.get("fusion"), weight, k)

    def __str__(self) -> str:
        given = {"fusion": self.fusion, "dense_weight": self.dense_weight, "k": self.k}
        rest = ",".join(f"{key}={value}" for key, value in given.items() if value is not None)
        return f"{self.mode.value}:{rest}" if rest else self.mode.value

    @property
    def label(self) -> str:
        """For people: ``hybrid, RRF, 10 passages``."""
        parts: list[str] = [self.mode.value]
        if self.fusion is not None:
            parts.append("RRF" if self.fusion == "rrf" else "convex")
        if self.dense_weight is not None:
            parts.append(f"dense weight {self.dense_weight:g}")
        if self.k is not None:
            parts.append(f"k {self.k}")
        return ", ".join(parts)

    def applied(self, settings: FunnelSettings) -> FunnelSettings:
        """The funnel's settings for this variant."""
        changed = settings
        if self.fusion is not None:
            changed = replace(changed, fusion=self.fusion)
        if self.dense_weight is not None:
            foreign = min(changed.dense_weight_foreign, self.dense_weight)
            changed = replace(
                changed,
                fusion="convex",
                dense_weight=self.dense_weight,
                dense_weight_foreign=foreign,
            )
        return changed


def parse_variants(names: Iterable[str]) -> tuple[Variant, ...]:
    """The variants that were written, in their order.

    Raises:
        UserError: one cannot be parsed, or is named twice.
    """
    variants = tuple(map(Variant.parse, names))
    if len(set(variants)) < len(variants):
        raise UserError("A mode is named twice: name each once.")
    return variants
