"""A question to retrieval, validated (R103-R105, R130)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal, TypeAlias, get_args

from fonds.contract.date_interval import date_interval
from fonds.contract.disclosure import RAWS, SERVED_EXPOSURES, Raw, ServedExposure
from fonds.contract.failures import MisauthoredInput, QueryRefused
from fonds.contract.sealed import sealed

MAX_QUERY_CHARS = 512
MAX_QUERY_WORDS = 200  # bounds the phrase look-up: 5,000 n-grams cost 14 ms, 100 cost half of one
MAX_LIST = 20  # values a list filter may hold
Recency: TypeAlias = Literal["none", "auto", "prefer-recent"]
Undated: TypeAlias = Literal["include", "exclude"]
DEFAULT_PER_RAW = 8
_RECENCIES: Final = get_args(Recency)
_UNDATED: Final = get_args(Undated)
_UNHELD: Final = re.compile(r"[\x00\ud800-\udfff]")


@sealed
@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit has to satisfy. None leaves a dimension open; an empty tuple is refused."""

    types: tuple[str, ...] | None = field(default=None, repr=False)
    date_from: str | None = field(default=None, repr=False)
    date_to: str | None = field(default=None, repr=False)
    undated: Undated = "exclude"
    creator: str | None = field(default=None, repr=False)
    speaker: str | None = field(default=None, repr=False)
    exposures: tuple[ServedExposure, ...] | None = None
    raw: Raw | None = None

    def __post_init__(self) -> None:
        _check_list("filters.type", self.types)
        _check_list("filters.exposure", self.exposures)
        for exposure in self.exposures or ():
            if exposure not in SERVED_EXPOSURES:
                raise QueryRefused("filters.exposure", "text, semantic or locator")
        if self.raw is not None and self.raw not in RAWS:
            raise QueryRefused("filters.raw", "public or private")
        if self.undated not in _UNDATED:
            raise QueryRefused("filters.undated", "include or exclude")
        for name, content in (("creator", self.creator), ("speaker", self.speaker)):
            if content is not None:
                _check_words(f"filters.{name}", content, 120)
        first, last = self.first_day, self.last_day
        if first is not None and last is not None and last < first:
            raise QueryRefused("filters.dateTo", "not before dateFrom")

    @property
    def first_day(self) -> date | None:
        return _bound("filters.dateFrom", self.date_from, "start")

    @property
    def last_day(self) -> date | None:
        return _bound("filters.dateTo", self.date_to, "end")


NO_WORDS: Final = "holds no letters or digits"
"""Why punctuation alone is neither asked nor embedded by its words."""


@sealed
@dataclass(frozen=True, slots=True)
class SearchRequest:
    """`limit` caps one list, `limit_per_raw` each layer alone; both together are refused (R103)."""

    query: str = field(repr=False)
    limit: int | None = None
    limit_per_raw: tuple[tuple[Raw, int], ...] | None = None
    filters: Filters = field(default_factory=Filters)
    recency: Recency = "auto"

    def __post_init__(self) -> None:
        _check_words("q", self.query, MAX_QUERY_CHARS)
        if len(self.query.split()) > MAX_QUERY_WORDS:
            raise QueryRefused("q", f"at most {MAX_QUERY_WORDS} words")
        if not any(sign.isalnum() for sign in self.query):
            raise QueryRefused("q", NO_WORDS)
        if self.limit is not None and self.limit_per_raw is not None:
            raise QueryRefused("limit", "either limit or limitPerRaw")
        for raw, _ in self.limit_per_raw or ():
            if raw not in RAWS:
                raise QueryRefused("limit", "public or private")
        for count in (self.limit, *(n for _, n in self.limit_per_raw or ())):
            if count is not None and not 1 <= count <= 50:
                raise QueryRefused("limit", "integer from 1 to 50")
        if self.recency not in _RECENCIES:
            raise QueryRefused("recency", "none, auto or prefer-recent")

    def cap(self, raw: Raw) -> int:
        """How many hits of one layer may be shown."""
        if self.limit is not None:
            return self.limit
        return dict(self.limit_per_raw or ()).get(raw, DEFAULT_PER_RAW)


def is_clean_text(text: str) -> bool:
    """Neither NUL nor a lone surrogate: what Postgres and a provider can hold."""
    return _UNHELD.search(text) is None


def _check_words(name: str, text: str, longest: int) -> None:
    if not text.strip():
        raise QueryRefused(name, "not blank")
    if len(text) > longest:
        raise QueryRefused(name, f"at most {longest} characters")
    if not is_clean_text(text):
        raise QueryRefused(name, "no NUL and no lone surrogate")


def _check_list(name: str, values: tuple[str, ...] | None) -> None:
    if values is None:
        return
    if not 1 <= len(values) <= MAX_LIST:
        raise QueryRefused(name, f"1 to {MAX_LIST} values")
    for value in values:
        _check_words(name, value, 120)


def _bound(name: str, written: str | None, side: Literal["start", "end"]) -> date | None:
    if written is None:
        return None
    try:
        covered = date_interval(written, name)
    except MisauthoredInput:
        raise QueryRefused(name, "YYYY, YYYY-MM or YYYY-MM-DD") from None
    return covered.start if side == "start" else covered.end
