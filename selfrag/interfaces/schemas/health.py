"""How the application stands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from selfrag.interfaces.schemas.base import Value

if TYPE_CHECKING:  # the command line asks a server without loading what makes these
    from selfrag.diagnosis import Check


class CheckItem(Value):
    """One line of the diagnosis."""

    name: str
    verdict: Literal["ok", "missing", "problem"] = Field(
        description="missing: not there and not needed."
    )
    sentence: str

    @classmethod
    def of(cls, check: "Check") -> "CheckItem":
        """A check as it is told."""
        return cls(name=check.name, verdict=check.verdict.value, sentence=check.sentence)


class Health(Value):
    """Whether the library can be searched and questions be answered."""

    status: Literal["ok", "problem"]
    documents: int | None = Field(default=None, description="Documents that can be searched.")
    language_model: bool | None = Field(
        default=None, description="Whether one writes; sentences are quoted where none does."
    )
    checks: list[CheckItem] = Field(
        default=[], description="Told to those with the token only, where one is set."
    )

    @classmethod
    def of(cls, checks: Sequence["Check"], documents: int, language_model: bool) -> "Health":
        """A diagnosis as it is told."""
        broken = any(check.verdict.value == "problem" for check in checks)
        return cls(
            status="problem" if broken else "ok",
            documents=documents,
            language_model=language_model,
            checks=[CheckItem.of(check) for check in checks],
        )


class Alive(Value):
    """The process answers."""

    status: Literal["ok"] = "ok"
    instance: str = Field(description="Another one after each start.")
