"""What programs may ask for, with its bounds; REST, MCP and the terminal client share it."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from selfrag.errors import UserError
from selfrag.interfaces.problems import Problem
from selfrag.retrieval.query import MAX_QUERY, check_query
from selfrag.retrieval.result import Mode

MOST_PASSAGES = 100
MOST_RETRIES = 10
MOST_RUNS = 500
QUESTION = "How much do the solar panels cost?"  #: an example that the sample library answers

Text = Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]


def _no_truth_value(value: Any) -> Any:
    """Pydantic takes true for 1."""
    if isinstance(value, bool):
        raise ValueError("a whole number belongs here, not true or false")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth_value)]
DocumentIds = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=1000)]


class Asked(BaseModel):
    """Parameters; a name that is none of them is refused, so that no typing error is silent."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchParameters(Asked):
    """A search."""

    q: Text = Field(description="What to look for.", examples=["solar panels"])
    mode: Mode = Field(default=Mode.FULL, description="How far down the funnel.")
    k: Whole | None = Field(default=None, ge=1, le=MOST_PASSAGES, description="Passages wanted.")
    document: DocumentIds | None = Field(
        default=None, description="Id of a document to search in; may be repeated."
    )


class EarlierTurn(Asked):
    """A question of the conversation and its answer."""

    question: Text
    answer: Annotated[str, Field(max_length=MAX_QUERY)]


class AnswerParameters(Asked):
    """A question, or a statement to be checked."""

    question: Text = Field(examples=[QUESTION])
    mode: Mode = Field(default=Mode.FULL, description="How far down the funnel.")
    documents: DocumentIds | None = Field(
        default=None, description="Ids of the documents to search in; all where not given."
    )
    max_retries: Whole | None = Field(
        default=None, ge=0, le=MOST_RETRIES, description="Of each kind."
    )
    strategy: Literal["plain", "critique", "selfrag"] | None = Field(
        default=None, description="How much is checked: plain, critique or selfrag."
    )
    retrieval: Literal["adaptive", "always", "never"] | None = Field(
        default=None, description="Whether to look in the documents: adaptive, always or never."
    )
    k: Whole | None = Field(
        default=None, ge=1, le=MOST_PASSAGES, description="Passages of each search."
    )
    claim: bool | None = Field(
        default=None, description="Whether it is a statement to be checked; told from its words."
    )


class AnswerBody(AnswerParameters):
    """A question, with the conversation so far."""

    history: list[EarlierTurn] = Field(
        default=[], max_length=20, description="The conversation so far, oldest turn first."
    )


class RunsParameters(Asked):
    """A look at the latest runs."""

    limit: Whole = Field(default=20, ge=1, le=MOST_RUNS, description="Runs wanted.")


_M = TypeVar("_M", bound=BaseModel)


def fit(model: type[_M], values: dict[str, Any]) -> _M:
    """What is asked for, within its bounds.

    Raises:
        UserError: it is not; names what does not fit.
    """
    # As text that pydantic takes, too: half a character from a shell becomes a question mark.
    asked = {name: check_query(values[name]) for name in {"q", "question"} & values.keys()}
    try:
        return model.model_validate(values | asked)
    except ValidationError as error:
        raise UserError(Problem.invalid(error).detail) from None
