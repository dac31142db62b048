"""The private schema as the ingest role writes it; it reads no body back (R020, R041, R191)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pgvector import HalfVector
from psycopg import Connection
from psycopg.rows import class_row, scalar_row, tuple_row

from fonds.contract.disclosure import Raw
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.ports import VectorRow
from fonds.contract.stored_source import ReadSource, RowCounts, StoredSource
from fonds.store.pools import Pool, transaction
from fonds.store.private_rows import (
    ENTITY_TYPES,
    FRAGMENT_TYPES,
    SOURCE_TYPES,
    VECTOR_TYPES,
    Row,
    entity_row,
    fragment_row,
    source_row,
    tell_tale_hashes,
)
from fonds.store.run_log import last_outcome, record_run
from fonds.store.statements import statements

Session = Connection[Any]


@dataclass(frozen=True, slots=True)
class PostgresPrivateStore:
    """One archive's private rows, over a pool of the ingest role. Each method is one transaction.

    Rows are written when their hash differs; the counts are what the database says it changed.
    Every writer takes the archive's row lock first.
    """

    pool: Pool
    archive_id: int

    def sources(self) -> Mapping[str, StoredSource]:
        with (
            transaction(self.pool, self.archive_id) as session,
            session.cursor(row_factory=class_row(_SourceRow)) as cursor,
        ):
            _run(session, "plan_for_many")
            rows = cursor.execute(statements("private")["sources"])
            return {row.source_key: row.stored() for row in rows}

    def sources_lacking_vectors(self, space: EmbeddingSpace) -> frozenset[str]:
        return frozenset(self._column("sources_lacking_vectors", {"space_id": space.space_id}))

    def current_vectors(
        self, space: EmbeddingSpace, fragment_ids: Iterable[str]
    ) -> Mapping[str, str]:
        asked = {"space_id": space.space_id, "fragment_ids": list(fragment_ids)}
        with (
            transaction(self.pool, self.archive_id) as session,
            session.cursor(row_factory=tuple_row) as cursor,
        ):
            return dict(cursor.execute(statements("private")["current_vectors"], asked))

    def once_private(self, sources: Sequence[ReadSource]) -> Mapping[str, str]:
        described = [(source, entity) for source in sources for entity, _ in source.pairs]
        asked = {
            "source_keys": [source.source_key for source, _ in described],
            "entity_ids": [entity.entity_id for _, entity in described],
            "hash_lists": [",".join(tell_tale_hashes(source)) for source, _ in described],
        }
        ids = {source.source_key: entity.entity_id for source, entity in described}
        return {
            key: f"was private before: fonds ingest --publish {ids[key]}"
            for key in self._column("once_private", asked)
        }

    def write_sources(
        self, sources: Sequence[ReadSource], *, publish: Iterable[str] = ()
    ) -> RowCounts:
        published = frozenset(publish)
        with transaction(self.pool, self.archive_id) as session:
            _begin(session)
            _publish(session, sources, published)
            _stage(session, sources)
            _run(session, "note_vanished")
            written = _run(session, "merge_sources")
            entities = _run(session, "delete_vanished_entities")
            entities += _run(session, "merge_entities")
            # Those of deleted entities are gone by now: vanished rows are counted where noted.
            fragments = _noted_vanished(session)
            _run(session, "delete_vanished_fragments")
            fragments += _run(session, "merge_fragments")
            _run(session, "erase_gists")
        return RowCounts(entities=entities, fragments=fragments, sources=written)

    def remove_sources(self, source_keys: Sequence[str]) -> RowCounts:
        asked = {"source_keys": list(source_keys)}
        with transaction(self.pool, self.archive_id) as session:
            _begin(session)
            _run(session, "note_vanished_of_sources", asked)
            fragments = _noted_vanished(session)
            entities = _run(session, "delete_entities_of_sources", asked)
            removed = _run(session, "delete_sources", asked)
            _run(session, "erase_gists")
        return RowCounts(entities=entities, fragments=fragments, sources=removed)

    def withdraw_sources(self, source_keys: Sequence[str]) -> int:
        asked = {"source_keys": list(source_keys)}
        with transaction(self.pool, self.archive_id) as session:
            _begin(session)
            withdrawn = _run(session, "withdraw_fragments", asked)
            if withdrawn:
                _run(session, "note_withdrawal", asked)
            _run(session, "forget_source_hashes", asked)
        return withdrawn

    def write_vectors(self, space: EmbeddingSpace, rows: Sequence[VectorRow]) -> int:
        staged = ((row.fragment_id, row.embed_hash, HalfVector(list(row.vector))) for row in rows)
        merged = {"space_id": space.space_id, "dimensions": space.dimensions}
        with transaction(self.pool, self.archive_id) as session:
            _begin(session)
            _run(session, "stage_vectors")
            _copy(session, "copy_vectors", VECTOR_TYPES, staged)
            return _run(session, "merge_vectors", merged)

    def waiting_for_drafts(self, model: str | None, prompt_version: str) -> int:
        """How many fragments a drafter would be asked about: this one, or any without a name."""
        asked = {"model": model, "prompt_version": prompt_version}
        return int(self._column("waiting_for_drafts", asked)[0])

    def record_run(self, job: str, outcome: str, report: Mapping[str, object]) -> None:
        record_run(self.pool, self.archive_id, job, outcome, report)

    def last_outcome(self, job: str) -> str | None:
        return last_outcome(self.pool, self.archive_id, job)

    def _column(self, name: str, asked: Mapping[str, object]) -> list[str]:
        with (
            transaction(self.pool, self.archive_id) as session,
            session.cursor(row_factory=scalar_row) as cursor,
        ):
            _run(session, "plan_for_many")
            return [str(value) for value in cursor.execute(statements("private")[name], asked)]


@dataclass(frozen=True, slots=True)
class _SourceRow:
    source_key: str = field(repr=False)
    raw: Raw
    file_hash: str
    settings_hash: str
    fragment_count: int
    entity_ids: list[str]

    def stored(self) -> StoredSource:
        return StoredSource(
            self.source_key,
            self.raw,
            self.file_hash,
            self.settings_hash,
            tuple(self.entity_ids),
            self.fragment_count,
        )


def _run(session: Session, name: str, asked: Mapping[str, object] | None = None) -> int:
    return session.execute(statements("private")[name], asked).rowcount


def _begin(session: Session) -> None:
    _run(session, "plan_for_many")
    _run(session, "lock_archive")


def _noted_vanished(session: Session) -> int:
    row = session.execute(statements("private")["count_vanished"]).fetchone()
    return int(row[0]) if row else 0


def _publish(session: Session, sources: Sequence[ReadSource], published: frozenset[str]) -> None:
    for source in sources:
        for entity, _ in source.pairs:
            if entity.entity_id in published and source.raw == "public":
                asked = {"entity_id": entity.entity_id, "text_hashes": tell_tale_hashes(source)}
                _run(session, "forget_private", asked)


def _stage(session: Session, sources: Sequence[ReadSource]) -> None:
    pairs = [(source.source_key, *pair) for source in sources for pair in source.pairs]
    _run(session, "stage_sources")
    _run(session, "stage_entities")
    _run(session, "stage_fragments")
    _copy(session, "copy_sources", SOURCE_TYPES, map(source_row, sources))
    _copy(
        session,
        "copy_entities",
        ENTITY_TYPES,
        (entity_row(key, entity) for key, entity, _ in pairs),
    )
    _copy(
        session,
        "copy_fragments",
        FRAGMENT_TYPES,
        (fragment_row(entity, one) for _, entity, fragments in pairs for one in fragments),
    )


def _copy(session: Session, name: str, types: Sequence[str], rows: Iterable[Row]) -> None:
    with session.cursor() as cursor, cursor.copy(statements("private")[name]) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)
