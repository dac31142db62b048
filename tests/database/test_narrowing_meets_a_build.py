"""A narrowing beside a running build, between two sessions that commit (R095, R191)."""

# ruff: noqa: S608 - names of tables and columns come from the catalogue or from this file

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest
from psycopg import IsolationLevel

from tests.database import rows
from tests.database.rows import Session, column, one, put
from tests.scopes import enter, scoped
from tests.servers import Database


@pytest.fixture
def stocked(database: Database) -> Database:
    """Archive 1 with one described private fragment, live in build 1."""
    with psycopg.connect(database.admin_url) as session:
        assert rows.registered(session, "first") == 1
        rows.stored(session, 1)
        rows.act(session, "fonds_curator", 1)
        put(session, "private.projection", rows.projection(1))
        rows.served(session, 1, 1)
        rows.go_live(session, 1, 1)
        put(
            session,
            "served.build",
            rows.build(1, build_id=2, state="building", entity_count=0, fragment_count=0),
        )
    return database


def _as(database: Database, role: str) -> Session:
    return scoped(database.url(role), 1)


@pytest.fixture
def builder(stocked: Database) -> Generator[Session]:
    with _as(stocked, "fonds_build") as session:
        yield session


@pytest.fixture
def curator(stocked: Database) -> Generator[Session]:
    with _as(stocked, "fonds_curator") as session:
        yield session


@pytest.fixture
def ingest(stocked: Database) -> Generator[Session]:
    with _as(stocked, "fonds_ingest") as session:
        yield session


def _write_build(builder: Session) -> None:
    """Materialises build 2 from what this transaction's snapshot sees."""
    gist = one(builder, "SELECT gist FROM private.projection")
    put(builder, "served.entity", rows.served_entity(1, build_id=2))
    put(builder, "served.fragment", rows.served_fragment(1, build_id=2, gist=gist))
    put(builder, "served.embedding", rows.served_embedding(1, build_id=2))
    builder.execute(
        "UPDATE served.build SET entity_count = 1, fragment_count = 1,"
        " narrowing = (SELECT narrowing FROM private.archive) WHERE build_id = 2"
    )


def test_a_veto_beside_a_running_build_is_caught_up_at_the_switch(
    builder: Session, curator: Session
) -> None:
    """R191: the build's snapshot is older than the veto, so the gist is in it until the switch."""
    builder.isolation_level = IsolationLevel.REPEATABLE_READ
    with builder.transaction():
        one(builder, "SELECT count(*) FROM private.fragment")
        curator.execute("UPDATE private.projection SET vetoed = true")
        _write_build(builder)
    builder.isolation_level = None
    shown = "SELECT build_id, coalesce(gist, exposure) FROM served.fragment ORDER BY 1"
    assert builder.execute(shown).fetchall() == [(1, "locator"), (2, "A description.")], "the race"
    with builder.transaction():
        assert one(builder, "SELECT api.catch_up_narrowing(2)") == 1
        builder.execute("UPDATE served.build SET state = 'checked' WHERE build_id = 2")
        builder.execute("UPDATE served.live SET build_id = 2")
    assert builder.execute(shown).fetchall() == [(1, "locator"), (2, "locator")]
    assert one(builder, "SELECT api.catch_up_narrowing(2)") == 0, "applied once"


def test_a_tightening_beside_a_running_build_is_caught_up_at_the_switch(
    builder: Session, curator: Session
) -> None:
    """R191: `fonds expose` while a build is on its way, to nothing: it goes live without it."""
    builder.isolation_level = IsolationLevel.REPEATABLE_READ
    with builder.transaction():
        one(builder, "SELECT count(*) FROM private.fragment")
        assert one(curator, "SELECT api.tighten_fragment('note:a#1', 'none')") == "tightened"
        _write_build(builder)
    builder.isolation_level = None
    assert column(builder, "SELECT build_id FROM served.fragment") == [2], "the race"
    assert one(builder, "SELECT api.catch_up_narrowing(2)") == 1
    assert column(builder, "SELECT build_id FROM served.fragment") == []


def test_neither_a_tightening_nor_a_forgetting_passes_a_writer(
    ingest: Session, curator: Session
) -> None:
    """R191: a fragment on its way back is no tombstone, and is held once it is there."""
    ingest.execute("DELETE FROM private.source")
    with ingest.transaction():
        ingest.execute("SELECT FROM private.archive WHERE archive_id = 1 FOR UPDATE")
        put(ingest, "private.source", rows.source(1))
        put(ingest, "private.entity", rows.entity(1))
        put(ingest, "private.fragment", rows.fragment(1))
        curator.execute("SET lock_timeout = '100ms'")
        for call in (
            "SELECT api.tighten_fragment('note:a#1', 'none')",
            "SELECT api.lift_tightening('note:a#1')",
            "SELECT api.forget_tombstones('{note:a}')",
        ):
            with pytest.raises(psycopg.errors.LockNotAvailable):
                curator.execute(call.encode())
    assert column(curator, "SELECT api.forget_tombstones('{note:a}')") == []
    assert one(curator, "SELECT api.tighten_fragment('note:a#1', 'none')") == "tightened"


def test_a_source_removed_beside_a_running_build_is_not_in_it(
    builder: Session, ingest: Session
) -> None:
    """R191: rows, entity, vector and counts, all gone by the time the build goes live."""
    builder.isolation_level = IsolationLevel.REPEATABLE_READ
    with builder.transaction():
        one(builder, "SELECT count(*) FROM private.fragment")
        ingest.execute("DELETE FROM private.source")
        _write_build(builder)
    builder.isolation_level = None
    assert column(builder, "SELECT build_id FROM served.fragment") == [2], "the race"
    assert column(builder, "SELECT fragment_count FROM served.build ORDER BY build_id") == [0, 1]
    assert one(builder, "SELECT api.catch_up_narrowing(2)") == 1
    for table in ("fragment", "entity", "embedding"):
        assert one(builder, f"SELECT count(*) FROM served.{table}") == 0
    counts = "SELECT entity_count + fragment_count FROM served.build"
    assert column(builder, counts) == [0, 0]


def test_a_narrowing_is_remembered_until_every_build_was_made_after_it(
    builder: Session, ingest: Session
) -> None:
    """R191: a build in flight and one that is gone back to re-apply it; then its id is nowhere."""
    held = "SELECT fragment_id FROM private.narrowing"
    ingest.execute("DELETE FROM private.source")
    for made_after in (1, 2):
        assert one(builder, "SELECT api.catch_up_narrowing(2)") == 2 - made_after
        assert column(builder, held) == ["note:a#1"], "build 1 was made before it"
    builder.execute("UPDATE served.build SET narrowing = 1 WHERE build_id = 1")
    builder.execute("SELECT api.catch_up_narrowing(2)")
    assert column(builder, held) == []
    assert one(builder, "SELECT narrowing FROM private.archive") == 1, "and its number stays"


def test_a_narrowing_waits_for_a_switch_and_then_reaches_the_build(
    builder: Session, curator: Session
) -> None:
    """R191: both take the archive's row, so none falls between catching up and pointing."""
    with builder.transaction():
        _write_build(builder)
        one(builder, "SELECT api.catch_up_narrowing(2)")
        curator.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            curator.execute("UPDATE private.projection SET vetoed = true")
    assert one(curator, "SELECT vetoed FROM private.projection") is False
    curator.execute("UPDATE private.projection SET vetoed = true")
    assert column(builder, "SELECT DISTINCT coalesce(gist, exposure) FROM served.fragment") == [
        "locator"
    ]


@pytest.mark.parametrize("isolation", [IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE])
def test_a_narrowing_by_an_older_snapshot_is_refused(
    builder: Session, curator: Session, ingest: Session, isolation: IsolationLevel
) -> None:
    """R191: it would not see, and so leave as it is, a build that went live in between."""
    narrowings = (
        (curator, "UPDATE private.projection SET vetoed = true"),
        (curator, "SELECT api.tighten_fragment('note:a#1', 'locator')"),
        (ingest, "DELETE FROM private.source"),
        (ingest, "SELECT api.narrow_fragment('note:a#1', 'none')"),
    )
    for session, statement in narrowings:
        session.isolation_level = isolation
        with pytest.raises(psycopg.errors.InvalidTransactionState), session.transaction():
            session.execute(statement.encode())
        session.isolation_level = None
    with builder.transaction():
        _write_build(builder)
        builder.execute("UPDATE served.build SET state = 'checked' WHERE build_id = 2")
        builder.execute("UPDATE served.live SET build_id = 2")
    curator.execute("UPDATE private.projection SET vetoed = true")
    assert column(builder, "SELECT exposure FROM served.fragment") == ["locator", "locator"]


def test_a_switch_waits_for_a_narrowing(builder: Session, curator: Session) -> None:
    """R191: a narrowing holds the archive's row; the switch comes after it or not at all."""
    with builder.transaction():
        _write_build(builder)
    builder.execute("SET lock_timeout = '100ms'")
    with curator.transaction():
        curator.execute("UPDATE private.projection SET vetoed = true")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            builder.execute("SELECT api.catch_up_narrowing(2)")
    assert column(builder, "SELECT exposure FROM served.fragment ORDER BY build_id") == [
        "locator",
        "locator",
    ]


def test_a_build_that_is_not_checked_never_goes_live(builder: Session) -> None:
    """R095: unchecked, nothing points at it; pointed at, it is neither left nor deleted."""
    for state in ("building", "abandoned"):
        builder.execute("UPDATE served.build SET state = %s WHERE build_id = 2", (state,))
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            builder.execute("UPDATE served.live SET build_id = 2")
    builder.execute("UPDATE served.build SET state = 'checked' WHERE build_id = 2")
    builder.execute("UPDATE served.live SET build_id = 2")
    for refused in ("UPDATE served.build SET state = 'abandoned'", "DELETE FROM served.build"):
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            builder.execute(f"{refused} WHERE build_id = 2".encode())
    builder.execute("UPDATE served.build SET state = 'retired' WHERE build_id = 1")
    builder.execute("UPDATE served.live SET build_id = 1")
    assert column(builder, "SELECT build_id FROM served.live") == [1], "and back again"


def test_an_archive_is_removed_whole(stocked: Database) -> None:
    """R191: its rows go with it, served ones and the ledger included, and no other archive's."""
    with psycopg.connect(stocked.admin_url) as session:
        other = rows.registered(session, "other")
        rows.stored(session, other)
        rows.served(session, other, 1)
        session.execute("RESET ROLE")
        enter(session, 1)
        session.execute("DELETE FROM private.archive WHERE archive_id = 1")
        session.execute("SET CONSTRAINTS ALL IMMEDIATE")
        tables = column(
            session,
            "SELECT attrelid::regclass::text FROM pg_attribute a JOIN pg_class c ON c.oid ="
            " attrelid"
            " WHERE attname = 'archive_id' AND relkind = 'r'",
        )
        assert len(tables) > 15
        for table in tables:
            assert one(session, f"SELECT count(*) FROM {table} WHERE archive_id = 1") == 0, table
        assert one(session, "SELECT count(*) FROM served.fragment") == 1
