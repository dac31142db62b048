"""How much a date counts as recent, and which questions ask for what is recent (R110)."""

from __future__ import annotations

from datetime import date

from fonds.contract.normalised_text import contains_phrase
from fonds.contract.search_request import Recency

FULL_DAYS = 180  # as recent as today
FADED_DAYS = 730  # not recent at all
TRIGGERS = (
    "current",
    "currently",
    "now",
    "today",
    "recent",
    "recently",
    "latest",
    "present",
    "still",
    "these days",
    "right now",
)


def recency_factor(start: date | None, as_of: date) -> float:
    """1 up to 180 days before `as_of` and after it, 0 from 730, a line between; undated 0."""
    if start is None:
        return 0.0
    days = (as_of - start).days
    if days <= FULL_DAYS:
        return 1.0
    if days >= FADED_DAYS:
        return 0.0
    return (FADED_DAYS - days) / (FADED_DAYS - FULL_DAYS)


def asks_for_recent(mode: Recency, normalised_query: str) -> bool:
    """Whether recency counts for this question."""
    match mode:
        case "none":
            return False
        case "prefer-recent":
            return True
        case "auto":
            return any(contains_phrase(normalised_query, trigger) for trigger in TRIGGERS)
