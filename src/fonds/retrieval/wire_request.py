"""A search as it comes in: strict, and refused by field and rule, never by value (R130)."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from fonds.contract.disclosure import Raw, ServedExposure
from fonds.contract.failures import QueryRefused
from fonds.contract.search_request import (
    MAX_LIST,
    MAX_QUERY_CHARS,
    Filters,
    Recency,
    SearchRequest,
    Undated,
)

WIRE_LIMIT_DEFAULT = 10
WIRE_LIMIT_MOST = 20
SAFE_FIELD_CHARS = 40
BODY = "body"  # what a rule is about when it is about the request as a whole
_UNSAFE = re.compile(r"[^A-Za-z0-9_.\[\]-]")

_RULES: Final[Mapping[str, str]] = {
    BODY: "a JSON object",
    "q": f"text of 1 to {MAX_QUERY_CHARS} characters",
    "limit": f"integer from 1 to {WIRE_LIMIT_MOST}",
    "filters": "an object",
    "filters.type": f"a list of 1 to {MAX_LIST} texts",
    "filters.dateFrom": "YYYY, YYYY-MM or YYYY-MM-DD",
    "filters.dateTo": "YYYY, YYYY-MM or YYYY-MM-DD",
    "filters.undated": "include or exclude",
    "filters.creator": "text of 1 to 120 characters",
    "filters.speaker": "text of 1 to 120 characters",
    "filters.exposure": f"a list of 1 to {MAX_LIST} of text, semantic, locator",
    "filters.raw": "public or private",
    "recency": "none, auto or prefer-recent",
}
UNKNOWN_KEY = "has no such key"


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong where; no value, no key the caller made up."""

    field: str
    rule: str


class RequestRefused(QueryRefused):
    """A request out of shape, with all that was found; an HTTP front answers it as 422."""

    def __init__(self, errors: tuple[FieldError, ...]) -> None:
        self.errors = errors
        super().__init__(errors[0].field, errors[0].rule)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.errors,))

    def errors_json(self) -> list[dict[str, str]]:
        """The `errors` member of a problem document."""
        return [{"field": error.field, "rule": error.rule} for error in self.errors]


_Body = TypeVar("_Body", bound=BaseModel)
_Listed = Annotated[str, Field(min_length=1, max_length=120)]
_Name = Annotated[str, Field(min_length=1, max_length=120)]
_Strict = ConfigDict(
    strict=True,
    extra="forbid",
    frozen=True,
    hide_input_in_errors=True,
    alias_generator=to_camel,
    validate_by_name=False,
    validate_by_alias=True,
)


class FilterBody(BaseModel):
    """Filters on the wire."""

    model_config = _Strict

    type: Annotated[list[_Listed], Field(min_length=1, max_length=MAX_LIST)] | None = Field(
        default=None, repr=False
    )
    date_from: Annotated[str, Field(max_length=10)] | None = Field(default=None, repr=False)
    date_to: Annotated[str, Field(max_length=10)] | None = Field(default=None, repr=False)
    undated: Undated = "exclude"
    creator: _Name | None = Field(default=None, repr=False)
    speaker: _Name | None = Field(default=None, repr=False)
    exposure: Annotated[list[ServedExposure], Field(min_length=1, max_length=MAX_LIST)] | None = (
        None
    )
    raw: Raw | None = None


class SearchBody(BaseModel):
    """A search on the wire. Here recency is off unless it is asked for (R110)."""

    model_config = _Strict

    q: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS, repr=False)]
    limit: Annotated[int, Field(ge=1, le=WIRE_LIMIT_MOST)] = WIRE_LIMIT_DEFAULT
    filters: FilterBody = Field(default_factory=FilterBody)
    recency: Recency = "none"


class AskBody(BaseModel):
    """A question on the wire: how many hits an answer is made from is not the caller's to say."""

    model_config = _Strict

    q: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS, repr=False)]
    filters: FilterBody = Field(default_factory=FilterBody)
    recency: Recency = "auto"


def parsed_search(body: bytes | str | Mapping[str, object]) -> SearchRequest:
    """The request a body asks for. Raises RequestRefused with every error of shape found."""
    with _refusing():
        given = _validated(SearchBody, body)
        return _request(given, given.limit)


def parsed_ask(body: bytes | str | Mapping[str, object]) -> SearchRequest:
    """As `parsed_search`, for a question that is to be answered (R190)."""
    with _refusing():
        return _request(_validated(AskBody, body), None)


@contextmanager
def _refusing() -> Generator[None]:
    try:
        yield
    except ValidationError as invalid:
        raise RequestRefused(_field_errors(invalid)) from None
    except QueryRefused as refused:
        raise RequestRefused((FieldError(refused.field, refused.rule),)) from None


def _validated(shape: type[_Body], body: bytes | str | Mapping[str, object]) -> _Body:
    if isinstance(body, Mapping):
        return shape.model_validate(body)
    return shape.model_validate_json(body)


def _request(body: SearchBody | AskBody, limit: int | None) -> SearchRequest:
    asked = body.filters
    return SearchRequest(
        query=body.q,
        limit=limit,
        filters=Filters(
            types=None if asked.type is None else tuple(asked.type),
            date_from=asked.date_from,
            date_to=asked.date_to,
            undated=asked.undated,
            creator=asked.creator,
            speaker=asked.speaker,
            exposures=None if asked.exposure is None else tuple(asked.exposure),
            raw=asked.raw,
        ),
        recency=body.recency,
    )


def _field_errors(invalid: ValidationError) -> tuple[FieldError, ...]:
    found: dict[FieldError, None] = {}
    for error in invalid.errors(include_input=False, include_context=False, include_url=False):
        found[_field_error(error["loc"], error["type"])] = None
    return tuple(found)


def _field_error(place: tuple[int | str, ...], kind: str) -> FieldError:
    if kind == "extra_forbidden":
        # The key is the caller's own text: its parent is named instead.
        return FieldError(_safe(place[:-1]), UNKNOWN_KEY)
    names = [part for part in place if isinstance(part, str)]
    field = ".".join(names[:2]) if names[:1] == ["filters"] else (names or [BODY])[0]
    return FieldError(_safe(place), "required" if kind == "missing" else _RULES.get(field, "valid"))


def _safe(place: tuple[int | str, ...]) -> str:
    path = ""
    for part in place:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return _UNSAFE.sub("", path)[:SAFE_FIELD_CHARS] or BODY
