"""Embed once, retrieve, project each: what a caller or a writer may have of a question (R120)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fonds.boundary.crossing import project
from fonds.contract.disclosure import Raw
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.failures import Misconfigured, ProviderMisbehaved
from fonds.contract.near_query import LiveBuild
from fonds.contract.ports import Embedder, ServedStore, Vector
from fonds.contract.question_figures import QuestionFigures
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse, ServedIndex
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.retrieve import retrieve

LARGEST_HALF = 65504.0  # half precision holds nothing above
SMALLEST_HALF = 2.0**-25  # what is not above rounds to zero
DEFAULT_SETTINGS = RetrievalSettings()


@dataclass(frozen=True, slots=True)
class Searched:
    """Projected hits with the figures behind them; figures of private rows are released (R122).

    `private_matched` says whether a private row is among those that matched, shown or not;
    `private_decides` whether private rows alone decide if `best_cosine` is above zero, `by_index`
    whether an index named the public rows (R114).
    """

    query: str = field(repr=False)
    hits: tuple[EvidenceHit, ...]
    matched: int
    excluded_undated: int
    build: LiveBuild
    best_score: float | None
    best_raw: Raw | None
    best_cosine: float | None
    figures: QuestionFigures | None = field(repr=False, default=None)
    private_matched: bool = False
    private_decides: bool = False
    by_index: bool = False

    @property
    def response(self) -> SearchResponse:
        """What goes on the wire."""
        return SearchResponse(
            query=self.query,
            hits=self.hits,
            matched=self.matched,
            excluded_undated=self.excluded_undated,
            index=ServedIndex(
                self.build.built_at, self.build.entity_count, self.build.fragment_count
            ),
        )


def search(
    request: SearchRequest,
    store: ServedStore,
    embedder: Embedder,
    settings: RetrievalSettings = DEFAULT_SETTINGS,
) -> SearchResponse:
    """The hits of a question, reduced to what their policies let travel.

    Raises ProviderUnavailable or ProviderMisbehaved for the embedder, NothingServed without a live
    build, Misconfigured when the question and the build are in different spaces.
    """
    return searched(request, store, embedder, settings).response


def searched(
    request: SearchRequest,
    store: ServedStore,
    embedder: Embedder,
    settings: RetrievalSettings = DEFAULT_SETTINGS,
) -> Searched:
    """`search` with its figures. The question is embedded before a connection is taken."""
    vector = embedder.embed_query(request.query)
    return searched_by_vector(request, vector, embedder.space, store, settings)


def searched_by_vector(
    request: SearchRequest,
    vector: Vector,
    space: EmbeddingSpace,
    store: ServedStore,
    settings: RetrievalSettings = DEFAULT_SETTINGS,
) -> Searched:
    """`searched` for a question that is embedded already, as a batch of them is (R183)."""
    check_query_vector(vector, space)
    with store.reading() as reader:
        check_same_space(space, reader.build.space)
        found = retrieve(reader, request, vector, settings)
        reader.done()
        hits = tuple(project(hit) for hit in found.hits)
    return Searched(
        query=request.query,
        hits=hits,
        matched=found.matched,
        excluded_undated=found.excluded_undated,
        build=found.build,
        best_score=found.best_score,
        best_raw=found.best_raw,
        best_cosine=found.best_cosine,
        figures=found.figures,
        private_matched=found.private_matched,
        private_decides=found.private_decides,
        by_index=found.by_index,
    )


def check_query_vector(vector: Vector, space: EmbeddingSpace) -> None:
    """Raises ProviderMisbehaved unless it has a direction in half precision (R044).

    A zero vector has no cosine: compared, every row would seem to match.
    """
    if len(vector) != space.dimensions:
        raise ProviderMisbehaved(
            f"the question's vector has {len(vector)} dimensions,"
            f" {space.model} has {space.dimensions}"
        )
    if not math.isfinite(math.hypot(*vector)):
        raise ProviderMisbehaved("the question's vector holds a value that is not a finite number")
    largest = max(max(vector), -min(vector))
    if not SMALLEST_HALF < largest <= LARGEST_HALF:
        raise ProviderMisbehaved("the question's vector is zero or too large in half precision")


def check_same_space(asked: EmbeddingSpace, built: EmbeddingSpace) -> None:
    """Raises Misconfigured naming both spaces: vectors of two do not compare (R044)."""
    if asked.space_id == built.space_id:
        return
    raise Misconfigured(
        f"questions are embedded by {_named(asked)}, the live build by {_named(built)}"
        f"{_why_else(asked, built)}: set [embedding] back, or run fonds ingest and fonds build"
    )


def _named(space: EmbeddingSpace) -> str:
    return f"{space.provider} {space.model} ({space.dimensions} dimensions)"


def _why_else(asked: EmbeddingSpace, built: EmbeddingSpace) -> str:
    return " with other prefixes or centring" if _named(asked) == _named(built) else ""
