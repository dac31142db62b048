"""How an archive retrieves: its boosts, its passes, its calendar day (R112, R113)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import isfinite
from typing import Protocol

from fonds.contract.failures import Misconfigured
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.search_request import Recency
from fonds.retrieval.boosts import (
    DEFAULT_BOOSTS,
    Boost,
    BuiltIn,
    DisclosureBoost,
    ExactMatch,
    Lexical,
    QueryContext,
    RecencyBoost,
    Theme,
)


class PostRankPass(Protocol):
    """Drops or reorders ranked hits, of which it sees all. It may never invent one (R113)."""

    @property
    def name(self) -> str: ...

    def rearrange(
        self, hits: Sequence[ScoredHit], context: QueryContext
    ) -> Sequence[ScoredHit]: ...


def today() -> date:
    """The calendar day in UTC."""
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Built-ins bear their layers; `others` are a consumer's. Names are unique, maxima finite.

    Raises Misconfigured naming the boost.
    """

    boosts: tuple[BuiltIn, ...] = DEFAULT_BOOSTS
    others: tuple[Boost, ...] = ()
    passes: tuple[PostRankPass, ...] = ()
    as_of: Callable[[], date] = today

    def __post_init__(self) -> None:
        reserved = {"cosine", "exactMatch", "theme", "recency", "disclosure", "lexical"}
        for boost in self.others:
            if boost.name in reserved:
                raise Misconfigured(f"boost '{boost.name}': the name is a built-in's")
        names = [boost.name for boost in (*self.boosts, *self.others)]
        for name in names:
            if names.count(name) > 1:
                raise Misconfigured(f"boost '{name}': listed twice")
        for boost in (*self.boosts, *self.others):
            if not isfinite(boost.max_boost) or boost.max_boost < 0:
                raise Misconfigured(f"boost '{boost.name}': max_boost is a finite number from 0")

    @property
    def exact_match(self) -> ExactMatch:
        return next((b for b in self.boosts if isinstance(b, ExactMatch)), ExactMatch(()))

    @property
    def theme(self) -> Theme:
        return next((b for b in self.boosts if isinstance(b, Theme)), Theme(()))

    @property
    def disclosure(self) -> DisclosureBoost:
        return next((b for b in self.boosts if isinstance(b, DisclosureBoost)), DisclosureBoost(()))

    @property
    def lexical(self) -> Lexical:
        return next((b for b in self.boosts if isinstance(b, Lexical)), Lexical(0.0))

    def recency(self, mode: Recency) -> RecencyBoost:
        """The archive's own; a caller who asks for `prefer-recent` brings it where it is not."""
        found = next((b for b in self.boosts if isinstance(b, RecencyBoost)), None)
        return found or RecencyBoost(("public",) if mode == "prefer-recent" else ())
