"""An archive to write builds into and to search, for tests of retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import count

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.retrieve import Retrieved, retrieve
from fonds.store.pools import Pool
from fonds.store.served_store import PostgresServedStore
from tests.database.served_corpus import CorpusRow, a_space, write_build

DAY = date(2025, 12, 1)


@dataclass(frozen=True, slots=True)
class Bed:
    """One archive with the pools of the two roles that build and serve it."""

    build_pool: Pool
    reader_pool: Pool
    archive_id: int
    numbers: count[int] = field(default_factory=lambda: count(1))

    @property
    def store(self) -> PostgresServedStore:
        return PostgresServedStore(self.reader_pool, self.archive_id)

    def serve(
        self,
        rows: Sequence[CorpusRow],
        floor: float = 0.2,
        *,
        space: EmbeddingSpace | None = None,
        live: bool = True,
    ) -> PostgresServedStore:
        """These rows and no others, under an id of their own."""
        number = next(self.numbers)
        write_build(
            self.build_pool,
            self.archive_id,
            number,
            rows,
            score_floor=floor,
            space=space,
            live=live,
        )
        return self.store

    def ask(
        self,
        request: SearchRequest,
        vector: Vector,
        settings: RetrievalSettings | None = None,
    ) -> Retrieved:
        with self.store.reading() as reader:
            return retrieve(reader, request, vector, settings or at_day())


def at_day() -> RetrievalSettings:
    return RetrievalSettings(as_of=lambda: DAY)


def ids(found: Retrieved) -> list[str]:
    return [hit.fragment.fragment_id for hit in found.hits]


@dataclass(frozen=True, slots=True)
class ScriptedEmbedder:
    """Answers one vector to every question, in a space of its length unless told otherwise."""

    vector: Vector
    told_space: EmbeddingSpace | None = None

    @property
    def space(self) -> EmbeddingSpace:
        return self.told_space or a_space(len(self.vector))

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return EmbedOutcome(tuple(self.vector for _ in texts))

    def embed_query(self, text: str) -> Vector:
        return self.vector
