"""What may lift a row above its cosine (R108-R113).

The built-ins are known by phrase, date and layer, so the database bounds them without moving rows.
A consumer's own boost implements `Boost` and is scored over served content.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol, TypeAlias

from fonds.contract.disclosure import Raw
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.sealed import sealed
from fonds.contract.search_request import Recency
from fonds.contract.served_fragment import ServedEntity, ServedFragment

EXACT_MATCH_BOOST = 0.30  # R108
THEME_BOOST = 0.15  # R109
RECENCY_BOOST = 0.10  # R110
DISCLOSURE_BOOST = 0.15  # R111
LEXICAL_BOOST = 0.30  # R112; chosen with `python -m eval.trials.lexical`, see eval/README
LEAST_THEME_CAP = 4  # R109: in a small archive a theme of four works still says something
PUBLIC_ONLY: tuple[Raw, ...] = ("public",)
ThemeCap: TypeAlias = int | Literal["by size", "off"]


@sealed
@dataclass(frozen=True, slots=True)
class QueryContext:
    """What a boost or a pass knows of the question."""

    query: str = field(repr=False)
    normalised_query: str = field(repr=False)
    as_of: date
    recency: Recency


@sealed
@dataclass(frozen=True, slots=True)
class ServedStatistics:
    """What a boost knows of the build: served counts and its space (R113)."""

    entity_count: int
    fragment_count: int
    public_entity_count: int
    space: EmbeddingSpace


class Boost(Protocol):
    """A consumer's own boost (R113). It sees served content alone, of either layer.

    `score` answers a number from 0 to `max_boost`; anything else is an error that names the boost.
    """

    @property
    def name(self) -> str: ...

    @property
    def max_boost(self) -> float: ...

    def prepare(self, index: ServedStatistics, context: QueryContext) -> object:
        """Called once a question; what it returns is handed to each `score`."""
        ...

    def score(
        self,
        fragment: ServedFragment,
        entity: ServedEntity,
        context: QueryContext,
        prepared: object,
    ) -> float: ...


@sealed
@dataclass(frozen=True, slots=True)
class ExactMatch:
    """The question holds the title or the slug as a phrase; counts once (R108)."""

    layers: tuple[Raw, ...] = PUBLIC_ONLY
    max_boost: float = EXACT_MATCH_BOOST

    @property
    def name(self) -> str:
        return "exactMatch"


@sealed
@dataclass(frozen=True, slots=True)
class Theme:
    """The question holds one of the themes as a phrase; counts once (R109)."""

    layers: tuple[Raw, ...] = PUBLIC_ONLY
    max_boost: float = THEME_BOOST
    cap: ThemeCap = "by size"

    @property
    def name(self) -> str:
        return "theme"

    def frequency_cap(self, public_entity_count: int) -> int | None:
        """On how many public entities a theme may stand and still boost; None is no cap."""
        if self.cap == "off":
            return None
        if self.cap == "by size":
            return max(LEAST_THEME_CAP, -(-public_entity_count // 20))
        return self.cap


@sealed
@dataclass(frozen=True, slots=True)
class RecencyBoost:
    """The effective date is recent, where the question asks for that (R110)."""

    layers: tuple[Raw, ...] = PUBLIC_ONLY
    max_boost: float = RECENCY_BOOST

    @property
    def name(self) -> str:
        return "recency"


@sealed
@dataclass(frozen=True, slots=True)
class DisclosureBoost:
    """Public material first. The strip removes `sourceReview`, so no private row has it (R111)."""

    layers: tuple[Raw, ...] = PUBLIC_ONLY
    max_boost: float = DISCLOSURE_BOOST

    @property
    def name(self) -> str:
        return "disclosure"


@sealed
@dataclass(frozen=True, slots=True)
class Lexical:
    """The words of the question stand in the text, rare ones above all (R112).

    Public text alone has words: no layers to choose. A passage gets the boost times its rank, which
    is 1 where it holds nothing but the words asked for.
    """

    max_boost: float = LEXICAL_BOOST

    @property
    def name(self) -> str:
        return "lexical"


BuiltIn: TypeAlias = ExactMatch | Theme | RecencyBoost | DisclosureBoost | Lexical
DEFAULT_BOOSTS: tuple[BuiltIn, ...] = (ExactMatch(), Theme(), Lexical())
FULL_BOOSTS: tuple[BuiltIn, ...] = (*DEFAULT_BOOSTS, RecencyBoost(), DisclosureBoost())
