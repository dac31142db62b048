"""Deleting a build, a source or an archive's rows follows indexes: counted, not timed (R095)."""

# ruff: noqa: S608 - names of tables and columns come from the catalogue or from this file

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import pytest

from tests.database import rows
from tests.database.rows import Session, act, cloned, column, one, rolled_back
from tests.servers import Database, TestServer

SIZE = 400

FILLED: tuple[LiteralString, ...] = (
    "INSERT INTO served.phrase"
    " (archive_id, build_id, phrase, kind, fragment_id, document_frequency)"
    " SELECT 1, build_id, 'word', 'title', fragment_id, 0 FROM served.fragment",
    "INSERT INTO served.name (archive_id, build_id, name, kind, fragment_id, unspaced)"
    " SELECT 1, build_id, 'word', 'creator', fragment_id, false FROM served.fragment",
)

SEQUENTIAL = """
    SELECT coalesce(sum(seq_tup_read), 0)::integer FROM pg_stat_xact_all_tables
     WHERE schemaname IN ('private', 'served')
"""


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    """An archive of one entity with many fragments, stored, and served by two builds."""
    with rolled_back(shared) as made:
        made.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
        assert rows.registered(made, "first") == 1
        rows.stored(made, 1)
        act(made, "fonds_build", 1)
        for build_id in (1, 2):
            rows.served(made, 1, build_id)
        made.execute("RESET ROLE")
        for table in ("private.fragment", "served.fragment", "served.embedding"):
            _multiply(made, table)
        for filled in FILLED:
            made.execute(filled)
        yield made


def _multiply(session: Session, table: str) -> None:
    """Copies the one fragment of the table under many ids, in each build."""
    columns = [
        str(name)
        for name in column(
            session,
            "SELECT attname FROM pg_attribute WHERE attrelid = %(t)s::regclass AND attnum > 0"
            " AND attname <> 'fragment_id' ORDER BY attnum",
            t=table,
        )
    ]
    kept = ", ".join(columns)
    session.execute(
        f"INSERT INTO {table} (fragment_id, {kept}) SELECT 'note:a#x' || i, {kept}"
        f" FROM {table}, generate_series(1, {SIZE}) AS i".encode()
    )


def test_every_foreign_key_has_an_index(session: Session) -> None:
    """One whose leading columns are the key's, or a whole primary key inside the key."""
    lacking = column(
        session,
        """
        SELECT format('%%s.%%s', conrelid::regclass, conname) FROM pg_constraint k
         WHERE contype = 'f' AND connamespace IN ('private'::regnamespace, 'served'::regnamespace)
           AND NOT EXISTS (
               SELECT FROM pg_index i
                WHERE i.indrelid = k.conrelid AND i.indpred IS NULL AND i.indisvalid
                  AND ((i.indkey::smallint[])[0 : cardinality(k.conkey) - 1] @> k.conkey
                       OR (i.indisprimary AND k.conkey @> i.indkey::smallint[])
                       -- A build's rows stand together under the first two columns of every key.
                       OR (k.confrelid = 'served.build'::regclass
                           AND k.conkey @> (i.indkey::smallint[])[0:1])))
        """,
    )
    assert lacking == []


@pytest.mark.parametrize(
    ("role", "statement", "table"),
    [
        ("fonds_build", "DELETE FROM served.build WHERE build_id = 1", "served.fragment"),
        (
            "fonds_ingest",
            "DELETE FROM private.source WHERE source_key = 'notes/a.md'",
            "private.fragment",
        ),
    ],
)
def test_a_deletion_reads_no_table_from_end_to_end(
    session: Session, role: str, statement: str, table: str
) -> None:
    """Each fragment looks up its own dependants; a scan each would read SIZE x SIZE rows."""
    before = one(session, f"SELECT count(*) FROM {table}")
    act(session, role, 1)
    session.execute("SET LOCAL enable_seqscan = on")
    begun = one(session, SEQUENTIAL)
    session.execute(statement.encode())
    read = int(str(one(session, SEQUENTIAL))) - int(str(begun))
    session.execute("RESET ROLE")
    left = one(session, f"SELECT count(*) FROM {table}")
    assert int(str(before)) - int(str(left)) == SIZE + 1
    assert read < 20 * SIZE


def test_a_missing_index_would_be_seen(session: Session) -> None:
    """The count can fail: without the indexes that the phrases have, it is a scan a fragment."""
    session.execute("ALTER TABLE served.phrase DROP CONSTRAINT phrase_pkey")
    session.execute("DROP INDEX served.phrase_by_fragment")
    act(session, "fonds_build", 1)
    begun = int(str(one(session, SEQUENTIAL)))
    session.execute("DELETE FROM served.build WHERE build_id = 1")
    assert int(str(one(session, SEQUENTIAL))) - begun > 20 * SIZE
