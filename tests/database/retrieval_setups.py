"""Sets of boosts and passes, as the retrieval is told them and as the brute force is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonds.contract.disclosure import Raw
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.retrieval.boosts import (
    DEFAULT_BOOSTS,
    DisclosureBoost,
    ExactMatch,
    Lexical,
    QueryContext,
    RecencyBoost,
    ServedStatistics,
    Theme,
)
from fonds.retrieval.retrieval_settings import RetrievalSettings
from tests.database.brute_force import Rules
from tests.database.retrieval_bed import DAY
from tests.database.served_corpus import CorpusRow

BOTH: tuple[Raw, ...] = ("public", "private")


class LongTitle:
    """A consumer's boost, larger than the spread of the cosines, on either layer."""

    name = "other"
    max_boost = 0.5

    def prepare(self, index: ServedStatistics, context: QueryContext) -> object:
        return index.fragment_count

    def score(
        self,
        fragment: ServedFragment,
        entity: ServedEntity,
        context: QueryContext,
        prepared: object,
    ) -> float:
        return self.max_boost if len(entity.title) > 7 else 0.125 * (entity.title == "Kites")


def long_title(row: CorpusRow) -> float:
    return 0.5 if len(row.title) > 7 else 0.125 * (row.title == "Kites")


class Backwards:
    """A pass that drops every other hit and turns the rest round."""

    name = "backwards"

    def rearrange(self, hits: Sequence[ScoredHit], context: QueryContext) -> Sequence[ScoredHit]:
        return hits[::-2]


@dataclass(frozen=True, slots=True)
class Setup:
    """The same rules twice: as the retrieval is told, and as the brute force is."""

    name: str
    told: RetrievalSettings
    rules: Rules


def told(**changes: object) -> RetrievalSettings:
    return RetrievalSettings(as_of=lambda: DAY, **changes)  # pyright: ignore[reportArgumentType]


FULL = (*DEFAULT_BOOSTS, RecencyBoost(), DisclosureBoost())
EVERYWHERE = (
    ExactMatch(BOTH),
    Theme(BOTH, cap="off"),
    RecencyBoost(BOTH),
    DisclosureBoost(BOTH),
    Lexical(0.9),
)
SETUPS = (
    Setup("the default set", told(), Rules()),
    Setup("none at all", told(boosts=()), Rules(exact=(), theme=(), lexical_max=0)),
    Setup("the full set", told(boosts=FULL), Rules(recency=("public",), disclosure=True)),
    Setup(
        "every layer, no theme too common",
        told(boosts=EVERYWHERE),
        Rules(BOTH, BOTH, BOTH, disclosure=True, capped_by_size=False, lexical_max=0.9),
    ),
    Setup(
        "title on one layer, theme on another",
        told(boosts=(ExactMatch(("private",)), Theme(cap=1))),
        Rules(exact=("private",), theme_cap=1, capped_by_size=False, lexical_max=0),
    ),
    Setup("a consumer's boost", told(others=(LongTitle(),)), Rules(other=long_title)),
    Setup(
        "a consumer's boost beside the full set",
        told(boosts=EVERYWHERE, others=(LongTitle(),)),
        Rules(
            BOTH,
            BOTH,
            BOTH,
            disclosure=True,
            capped_by_size=False,
            lexical_max=0.9,
            other=long_title,
        ),
    ),
    Setup("a pass", told(passes=(Backwards(),)), Rules(pass_over=lambda ids: ids[::-2])),
    Setup(
        "a boost and a pass",
        told(others=(LongTitle(),), passes=(Backwards(),)),
        Rules(other=long_title, pass_over=lambda ids: ids[::-2]),
    ),
)


class Nudge:
    """A consumer's boost that is no multiple of the step private scores are rounded to."""

    name = "other"
    max_boost = 0.08

    def prepare(self, index: ServedStatistics, context: QueryContext) -> object:
        return None

    def score(
        self,
        fragment: ServedFragment,
        entity: ServedEntity,
        context: QueryContext,
        prepared: object,
    ) -> float:
        return self.max_boost * (entity.title == "Kites")


RECENT = Setup("recency", told(boosts=(RecencyBoost(),)), Rules((), (), ("public",), lexical_max=0))
NUDGED = Setup(
    "nudge", told(others=(Nudge(),)), Rules(other=lambda row: 0.08 * (row.title == "Kites"))
)
