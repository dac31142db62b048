"""Refusal records as their author reads them (R164)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class KeptRefusal:
    """One refusal: its reason and figures.

    `question` is there only where the author had questions kept when it was asked, until
    `question_until`. It is the caller's text, so it stands in no repr.
    """

    refusal_id: int
    refused_at: datetime
    reason: str
    record: Mapping[str, object]
    question: str | None = field(default=None, repr=False)
    question_until: datetime | None = None


@sealed
@dataclass(frozen=True, slots=True)
class RefusalWish:
    """Which records are asked for: of a reason, of the last days, older than an id."""

    limit: int
    reason: str | None = None
    days: int | None = None
    before: int | None = None


@sealed
@dataclass(frozen=True, slots=True)
class RefusalPage:
    """Newest first. `counts` are by reason over all that was asked for, the most frequent first;
    `older` is the id to ask before for what comes next, None at the end.
    """

    refusals: tuple[KeptRefusal, ...]
    counts: Mapping[str, int]
    older: int | None


@sealed
@dataclass(frozen=True, slots=True)
class RefusalDay:
    """How often a reason decided on a day of UTC."""

    day: date
    reason: str
    times: int


class RefusalStore(Protocol):
    """The refusal records of one archive, as the curator role sees them."""

    def page(self, wish: RefusalWish) -> RefusalPage: ...

    def days(self, reason: str | None, days: int | None) -> tuple[RefusalDay, ...]: ...

    def one(self, refusal_id: int) -> KeptRefusal | None: ...
