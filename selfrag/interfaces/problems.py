"""Errors of REST: RFC 9457 problem details, one sentence each that says what to do."""

from collections.abc import Mapping
from http import HTTPStatus

from pydantic import BaseModel, Field, ValidationError
from starlette.responses import JSONResponse

MEDIA_TYPE = "application/problem+json"


class FieldError(BaseModel):
    """What is wrong with one parameter."""

    field: str
    message: str


class ProblemDetails(BaseModel):
    """An error (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="What happened and what to do.")
    errors: list[FieldError] = []


def _said(message: str) -> str:
    if message.startswith("Input should be a valid dictionary or instance of"):
        return "a JSON object belongs here: {...}"
    return message.removeprefix("Value error, ")


class Problem(Exception):
    """Ends a request with an error.

    Args:
        status: of HTTP.
        detail: for the person: what happened and what to do.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        errors: list[FieldError] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.errors = errors or []

    @classmethod
    def invalid(cls, error: ValidationError) -> "Problem":
        """Parameters that do not fit their model; their values are not repeated."""
        errors = [
            FieldError(field=".".join(map(str, item["loc"])) or "body", message=_said(item["msg"]))
            for item in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        told = "; ".join(f"{item.field}: {item.message}" for item in errors[:3])
        return cls(422, f"This request cannot be used: {told}.", errors=errors)

    def response(self) -> JSONResponse:
        """What is sent."""
        details = ProblemDetails(
            title=HTTPStatus(self.status).phrase,
            status=self.status,
            detail=self.detail,
            errors=self.errors,
        )
        return JSONResponse(
            details.model_dump(),
            status_code=self.status,
            headers=self.headers,
            media_type=MEDIA_TYPE,
        )
