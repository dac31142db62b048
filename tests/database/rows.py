"""Rows of every table, complete and lawful, for a test to change where its sentence needs it.

A test works in one transaction of the superuser, acts as the role that would do it, and rolls back.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from psycopg import sql

from fonds.store.databases import clone_database, drop_database
from tests.database.calibration_rows import served_calibration
from tests.scopes import enter
from tests.servers import Database, TestServer

Row: TypeAlias = dict[str, object]
Session: TypeAlias = psycopg.Connection[Any]

# The role that a session has when it acts as none: the superuser that opened it.
ADMINISTRATOR = "none"

PLACE = '[{"scheme": "whole", "value": "1"}]'


@contextmanager
def cloned(server: TestServer, template: str) -> Generator[Database]:
    """A migrated database for the tests of one file; they leave it as they found it."""
    name = f"fonds_test_{secrets.token_hex(4)}"
    clone_database(server.admin_url(), template, name)
    try:
        yield Database(server, name)
    finally:
        drop_database(server.admin_url(), name)


@contextmanager
def rolled_back(database: Database) -> Generator[Session]:
    """The superuser's transaction, which leaves nothing behind."""
    with psycopg.connect(database.admin_url) as session:
        session.prepare_threshold = None
        try:
            yield session
        finally:
            session.rollback()


def act(session: Session, role: str, archive_id: int) -> None:
    """Until the next call, or the transaction's end, the session has that role's rights."""
    enter(session, archive_id)
    session.execute("SELECT set_config('role', %s, true)", (role,))


def put(session: Session, table: str, row: Mapping[str, object]) -> None:
    """Inserts one row; columns it does not name get their defaults."""
    schema, name = table.split(".")
    session.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(schema, name),
            sql.SQL(", ").join(map(sql.Identifier, row)),
            sql.SQL(", ").join(map(sql.Placeholder, row)),
        ),
        row,
    )


def registered(session: Session, slug: str) -> int:
    """Registers an archive as ingest does; returns its id."""
    act(session, "fonds_ingest", 0)
    made = one(
        session, "SELECT api.register_archive(%(slug)s, 'N', 'A', 'https://e.org')", slug=slug
    )
    assert isinstance(made, int)
    return made


def one(session: Session, query: str, **values: object) -> object:
    """The single value a query answers."""
    row = session.execute(query.encode(), values).fetchone()
    assert row is not None
    return row[0]


def column(session: Session, query: str, **values: object) -> list[object]:
    """The first column of all rows a query answers, in its order."""
    return [row[0] for row in session.execute(query.encode(), values).fetchall()]


def source(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "source_key": "notes/a.md",
        "raw": "private",
        "file_hash": "h",
        "settings_hash": "h",
        "fragment_count": 1,
    } | changes


def entity(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "entity_id": "note:a",
        "source_key": "notes/a.md",
        "raw": "private",
        "exposure": "semantic",
        "type": "note",
        "title": "A title",
        "url": "https://example.org/a",
        "attribution": '[{"name": "Person A"}]',
        "date": None,
        "date_start": None,
        "date_end": None,
        "version": None,
        "identifiers": "[]",
        "parent": None,
        "themes": "{}",
        "require_review": False,
        "public_title": False,
        "ngram_words": 5,
        "ngram_chars": 12,
        "gist_max_chars": 400,
        "row_hash": "h",
    } | changes


def fragment(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "fragment_id": "note:a#1",
        "entity_id": "note:a",
        "raw": "private",
        "exposure": "semantic",
        "place": PLACE,
        "label": "A label",
        "text": "Words that stay at home.",
        "attribution": "[]",
        "date": None,
        "date_start": None,
        "date_end": None,
        "summary": None,
        "themes": "{}",
        "trail": "{}",
        "source_review": None,
        "text_hash": "text-1",
        "embed_hash": "embed-1",
        "row_hash": "row-1",
    } | changes


def embedding(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "fragment_id": "note:a#1",
        "space_id": "space",
        "embed_hash": "embed-1",
        "dimensions": 3,
        "embedding": "[1,0,0]",
    } | changes


def projection(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "fragment_id": "note:a#1",
        "source": "generated",
        "review": "unreviewed",
        "vetoed": False,
        "stale": False,
        "lint": "passed",
        "gist": "A description.",
        "draft": None,
        "content_hash": "text-1",
    } | changes


def build(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "build_id": 1,
        "state": "checked",
        "provider": "hashing",
        "model": "m",
        "dimensions": 3,
        "query_prefix": "",
        "passage_prefix": "",
        "centring": "",
        "space_id": "space",
        "score_floor": 0.2,
        "coverage_floor": 0.2,
        "fingerprint": "",
        "narrowing": 0,
        "entity_count": 1,
        "fragment_count": 1,
        "public_entity_count": 0,
    } | changes


def served_entity(archive_id: int, **changes: object) -> Row:
    kept = ("entity_id", "raw", "type", "title", "url", "attribution", "identifiers", "themes")
    plain = entity(archive_id)
    return {"archive_id": archive_id, "build_id": 1} | {key: plain[key] for key in kept} | changes


def served_fragment(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "build_id": 1,
        "fragment_id": "note:a#1",
        "entity_id": "note:a",
        "raw": "private",
        "exposure": "semantic",
        "place": PLACE,
        "label": "A label",
        "text": "",
        "summary": "",
        "trail": "{}",
        "gist": "A description.",
        "gist_source": "generated",
        "gist_review": "unreviewed",
        "attribution": "[]",
        "date": None,
        "date_start": None,
        "date_end": None,
        "themes": "{}",
    } | changes


def served_embedding(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "build_id": 1,
        "fragment_id": "note:a#1",
        "entity_id": "note:a",
        "raw": "private",
        "exposure": "semantic",
        "type": "note",
        "date_start": None,
        "date_end": None,
        "dimensions": 3,
        "embedding": "[1,0,0]",
    } | changes


# What makes a served fragment of each lawful exposure out of `served_fragment`.
LOCATED: Row = {"exposure": "locator", "gist": None, "gist_source": None, "gist_review": None}
QUOTED: Row = LOCATED | {"raw": "public", "exposure": "text", "text": "Words that may travel."}


def stored(session: Session, archive_id: int, *, public: bool = False) -> None:
    """One entity with one fragment and its vector, as ingest writes them."""
    raw: Row = {"raw": "public", "exposure": "text"} if public else {}
    act(session, "fonds_ingest", archive_id)
    put(session, "private.source", source(archive_id, raw=raw.get("raw", "private")))
    put(session, "private.entity", entity(archive_id, **raw))
    put(session, "private.fragment", fragment(archive_id, **raw))
    put(session, "private.embedding", embedding(archive_id))


def served(
    session: Session, archive_id: int, build_id: int, *, public: bool = False, **of_build: object
) -> None:
    """One build that shows the fragment of `stored`, as the build role writes it."""
    shape: Row = QUOTED if public else {}
    raw, exposure = ("public", "text") if public else ("private", "semantic")
    act(session, "fonds_build", archive_id)
    counted: Row = {"build_id": build_id, "public_entity_count": int(public)}
    put(session, "served.build", build(archive_id, **counted | of_build))
    put(session, "served.calibration", served_calibration(archive_id, build_id=build_id))
    put(session, "served.entity", served_entity(archive_id, build_id=build_id, raw=raw))
    put(session, "served.fragment", served_fragment(archive_id, **shape | {"build_id": build_id}))
    put(
        session,
        "served.embedding",
        served_embedding(archive_id, build_id=build_id, raw=raw, exposure=exposure),
    )


def go_live(session: Session, archive_id: int, build_id: int) -> None:
    """Points the archive at a build, as the switch does."""
    act(session, "fonds_build", archive_id)
    session.execute(
        "INSERT INTO served.live (archive_id, build_id) VALUES (%s, %s)"
        " ON CONFLICT (archive_id) DO UPDATE SET build_id = EXCLUDED.build_id",
        (archive_id, build_id),
    )
