"""What the stages need from outside, as Protocols; store and providers implement them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from fonds.contract.draft_reply import DraftReply, DraftTask
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.near_query import LiveBuild, NearFilters, NearQuery, NearRows
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.contract.stored_source import ReadSource, RowCounts, StoredSource
from fonds.contract.writer_reply import WriterReply, WriterTask

Vector: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EmbedOutcome:
    """Vectors by position; None where a text is refused, its position and reason in `refused`."""

    vectors: tuple[Vector | None, ...] = field(repr=False)
    refused: tuple[tuple[int, str], ...] = ()


class Embedder(Protocol):
    """Turns text into vectors of one space. Never returns a zero or non-finite vector (R044)."""

    @property
    def space(self) -> EmbeddingSpace: ...

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        """One vector a text, in order.

        Raises ProviderUnavailable or ProviderMisbehaved for the whole batch.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """Raises ProviderUnavailable or ProviderMisbehaved."""
        ...


@runtime_checkable
class BatchEmbedder(Protocol):
    """An Embedder for which a call is what costs: it takes many questions in one (R183)."""

    def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector a question, in order; raises as `embed_query`, for all of them."""
        ...


class AnswerWriter(Protocol):
    """Writes an answer from evidence. Expected trouble is a NotWritten; a defect is raised."""

    @property
    def name(self) -> str: ...

    def write(self, task: WriterTask) -> WriterReply: ...


class Drafter(Protocol):
    """Describes a passage. Expected trouble is a NotWritten; a defect is raised (R081)."""

    @property
    def model(self) -> str: ...

    def draft(self, task: DraftTask) -> DraftReply: ...


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A vector to keep, with the hash of the embed string it was made from (R041)."""

    fragment_id: str
    embed_hash: str
    vector: Vector = field(repr=False)


class PrivateStore(Protocol):
    """The private schema as ingest sees it: it writes bodies and cannot read them back."""

    def sources(self) -> Mapping[str, StoredSource]: ...

    def sources_lacking_vectors(self, space: EmbeddingSpace) -> frozenset[str]:
        """Keys of sources with at least one fragment that has no current vector in this space."""
        ...

    def current_vectors(
        self, space: EmbeddingSpace, fragment_ids: Iterable[str]
    ) -> Mapping[str, str]:
        """Fragment id -> embed hash of the vector it has in this space."""
        ...

    def once_private(self, sources: Sequence[ReadSource]) -> Mapping[str, str]:
        """Source key -> reason, for public sources whose id or body was private before (R191)."""
        ...

    def write_sources(
        self, sources: Sequence[ReadSource], *, publish: Iterable[str] = ()
    ) -> RowCounts:
        """All rows of these files, one transaction; rows of theirs that vanished are removed."""
        ...

    def remove_sources(self, source_keys: Sequence[str]) -> RowCounts:
        """The files are gone: text, gists and vectors are erased, a tombstone stays (R191)."""
        ...

    def withdraw_sources(self, source_keys: Sequence[str]) -> int:
        """Take what these files serve out of every kept build; the private rows stay (R020)."""
        ...

    def write_vectors(self, space: EmbeddingSpace, rows: Sequence[VectorRow]) -> int: ...

    def record_run(self, job: str, outcome: str, report: Mapping[str, object]) -> None: ...

    def last_outcome(self, job: str) -> str | None:
        """How the last run of a job that is on record ended; None when none is."""
        ...


class ServedReader(Protocol):
    """One request's view: one build, one snapshot."""

    @property
    def build(self) -> LiveBuild: ...

    def nearest(self, query: NearQuery) -> NearRows: ...

    def excluded_undated(self, filters: NearFilters) -> int:
        """Undated fragments that satisfy every other filter (R104)."""
        ...

    def content(
        self, fragment_ids: Sequence[str]
    ) -> Mapping[str, tuple[ServedFragment, ServedEntity]]: ...

    def done(self) -> None:
        """Says that nothing more is asked, so that nobody waits for the end of the reading."""
        ...


class ServedStore(Protocol):
    """The served schema as the reader role sees it."""

    def reading(self) -> AbstractContextManager[ServedReader]:
        """Raises NothingServed when no build is live, Unavailable when there is no database."""
        ...


class RefusalLog(Protocol):
    """Where a refusal and its figures are kept (R164)."""

    def note_refusal(self, reason: str, record: Mapping[str, object]) -> None: ...
