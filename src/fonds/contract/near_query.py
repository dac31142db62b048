"""What retrieval asks of the vectors and what comes back: ids and figures (design decision 9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from fonds.contract.calibration import Calibration
from fonds.contract.disclosure import Raw
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.question_figures import QuestionFigures
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class LiveBuild:
    """The build one request holds throughout. Floors, space and calibration belong to it (R044,
    R102, R169). Read by a request, `narrowing` is how far its archive is narrowed: a veto is a
    higher number and the same build (R188).
    """

    build_id: int
    space: EmbeddingSpace
    score_floor: float
    coverage_floor: float
    built_at: datetime
    entity_count: int
    fragment_count: int
    public_entity_count: int
    phrase_word_lengths: tuple[int, ...]
    phrase_char_lengths: tuple[int, ...]
    narrowing: int
    text_count: int = 0
    calibration: Calibration | None = None


@sealed
@dataclass(frozen=True, slots=True)
class NearFilters:
    """Filters in the form the database compares: ids, days and normalised names (R104-R106)."""

    raws: tuple[Raw, ...] | None = None
    types: tuple[str, ...] | None = field(default=None, repr=False)
    exposures: tuple[str, ...] | None = None
    first_day: date | None = None
    last_day: date | None = None
    include_undated: bool = False
    creator: str | None = field(default=None, repr=False)
    speaker: str | None = field(default=None, repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class NearBoosts:
    """The most each built-in boost may add, and on which layers; zero where it is off.

    Title and theme are known by phrase, recency by date, disclosure by layer, the lexical one
    by the words of public text: the scan bounds every row's reach with them, and none of them
    shifts the rounding of a private row.
    """

    title_max: float = 0.0
    theme_max: float = 0.0
    phrase_raws: tuple[Raw, ...] = ("public",)
    theme_cap: int | None = None
    recency_max: float = 0.0
    recency_raws: tuple[Raw, ...] = ("public",)
    recent_after: date | None = None
    disclosure_max: float = 0.0
    other_max: float = 0.0
    lexical_max: float = 0.0


@sealed
@dataclass(frozen=True, slots=True)
class NearQuery:
    """One scan. `everything` ships all rows that can reach the floor, as post-rank passes need.

    `words` are looked up among the build's `texts`, the fragments it serves as text.
    """

    vector: tuple[float, ...] = field(repr=False)
    phrases: tuple[str, ...] = field(repr=False)
    floor: float
    public_cap: int
    private_cap: int
    filters: NearFilters = field(default_factory=NearFilters)
    boosts: NearBoosts = field(default_factory=NearBoosts)
    everything: bool = False
    words: tuple[str, ...] = field(default=(), repr=False)
    texts: int = 0


@sealed
@dataclass(frozen=True, slots=True)
class NearRow:
    """A row that can change the result. `cosine` is exact for public, released for private rows.

    `lexical` is from 0 to 1: how well the words of a public text answer to those of the question.
    """

    fragment_id: str
    raw: Raw
    date_start: date | None
    cosine: float
    titled: bool
    themed: bool
    lexical: float = 0.0


@sealed
@dataclass(frozen=True, slots=True)
class NearRows:
    """`certain_*` count rows whose base alone clears the floor, shipped or not (R103 `matched`).

    `by_index` says that an index named the public rows: `certain_public` counts those it named.
    """

    rows: tuple[NearRow, ...]
    certain_public: int
    certain_private: int
    best_cosine: float | None = None
    figures: QuestionFigures | None = None
    by_index: bool = False
