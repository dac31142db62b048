"""What staging and one MERGE cost alone: the same columns without policies, triggers and keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, LiteralString

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql

from fonds.contract.ports import VectorRow
from fonds.contract.stored_source import ReadSource
from fonds.store.private_rows import (
    ENTITY_TYPES,
    FRAGMENT_TYPES,
    SOURCE_TYPES,
    VECTOR_TYPES,
    entity_row,
    fragment_row,
    source_row,
)

_TABLES: tuple[LiteralString, ...] = (
    "CREATE SCHEMA bare",
    "CREATE TABLE bare.source (source_key text PRIMARY KEY, raw text, file_hash text,"
    " settings_hash text, fragment_count integer)",
    "CREATE TABLE bare.entity (entity_id text PRIMARY KEY, source_key text, raw text,"
    " exposure text, type text, title text, url text, attribution jsonb, date text,"
    " date_start date, date_end date,"
    " version text, identifiers jsonb, parent text, themes text[], require_review boolean,"
    " public_title boolean, ngram_words integer, ngram_chars integer, gist_max_chars integer,"
    " row_hash text)",
    "CREATE TABLE bare.fragment (fragment_id text PRIMARY KEY, entity_id text, raw text,"
    " exposure text, place jsonb, label text, text text, attribution jsonb, date text,"
    " date_start date, date_end date, summary text, themes text[], trail text[],"
    " source_review text, text_hash text, embed_hash text, words text[], weights smallint[],"
    " row_hash text)",
    "CREATE TABLE bare.embedding (fragment_id text PRIMARY KEY, embed_hash text,"
    " embedding ext.halfvec)",
    "ALTER TABLE bare.embedding ALTER COLUMN embedding SET STORAGE PLAIN",
)
_KEYS = {
    "source": ("source_key", "file_hash"),
    "entity": ("entity_id", "row_hash"),
    "fragment": ("fragment_id", "row_hash"),
    "embedding": ("fragment_id", "embed_hash"),
}
_STAGE = sql.SQL("CREATE TEMPORARY TABLE {staged} (LIKE {kept}) ON COMMIT DROP")
_COPY = sql.SQL("COPY {staged} FROM STDIN (FORMAT BINARY)")
_MERGE = sql.SQL(
    "MERGE INTO {kept} AS t USING {staged} AS s ON t.{key} = s.{key}"
    " WHEN MATCHED AND t.{mark} IS DISTINCT FROM s.{mark} THEN UPDATE SET {mark} = s.{mark}"
    " WHEN NOT MATCHED THEN INSERT VALUES (s.*)"
)


class BareTables:
    """Tables of a superuser's own in the same database; each write is one transaction a table."""

    def __init__(self, admin_url: str) -> None:
        self._session: psycopg.Connection[Any] = psycopg.connect(admin_url, autocommit=True)
        for statement in _TABLES:
            self._session.execute(statement)
        register_vector(self._session)

    def __enter__(self) -> BareTables:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._session.close()

    def write(self, sources: Sequence[ReadSource], vectors: Sequence[VectorRow]) -> None:
        pairs = [(source.source_key, *pair) for source in sources for pair in source.pairs]
        rows: tuple[tuple[Sequence[str], Iterable[tuple[object, ...]]], ...] = (
            (SOURCE_TYPES, map(source_row, sources)),
            (ENTITY_TYPES, (entity_row(key, entity) for key, entity, _ in pairs)),
            (
                FRAGMENT_TYPES,
                (fragment_row(entity, one) for _, entity, parts in pairs for one in parts),
            ),
            (
                VECTOR_TYPES,
                ((v.fragment_id, v.embed_hash, HalfVector(list(v.vector))) for v in vectors),
            ),
        )
        with self._session.transaction():
            for (table, (key, mark)), (types, values) in zip(_KEYS.items(), rows, strict=True):
                names = {
                    "staged": sql.Identifier(f"staged_{table}"),
                    "kept": sql.Identifier("bare", table),
                    "key": sql.Identifier(key),
                    "mark": sql.Identifier(mark),
                }
                self._session.execute(_STAGE.format(**names))
                with self._session.cursor() as cursor, cursor.copy(_COPY.format(**names)) as copy:
                    copy.set_types(types)
                    for row in values:
                        copy.write_row(row)
                self._session.execute(_MERGE.format(**names))
