"""Whatever an author does in whatever order, no kept build ever shows more than it did (R191)."""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.database import rows
from tests.database.rows import Session, act, cloned, put, rolled_back
from tests.servers import Database, TestServer

LEVELS = ("none", "locator", "semantic", "text")

STEPS: tuple[tuple[str, LiteralString], ...] = (
    ("fonds_curator", "UPDATE private.projection SET vetoed = NOT vetoed"),
    ("fonds_curator", "UPDATE private.projection SET stale = NOT stale"),
    ("fonds_curator", "UPDATE private.projection SET gist = gist || '.' WHERE lint = 'passed'"),
    ("fonds_curator", "UPDATE private.projection SET review = 'reviewed', stale = false"),
    ("fonds_curator", "UPDATE private.projection SET review = 'unreviewed'"),
    ("fonds_curator", "DELETE FROM private.projection"),
    ("fonds_curator", "again"),
    ("fonds_ingest", "UPDATE private.entity SET require_review = NOT require_review"),
    ("fonds_ingest", "UPDATE private.fragment SET text_hash = text_hash || '.'"),
    ("fonds_ingest", "UPDATE private.fragment SET exposure = 'text' WHERE raw = 'public'"),
    ("fonds_ingest", "UPDATE private.fragment SET exposure = 'semantic'"),
    ("fonds_ingest", "UPDATE private.fragment SET exposure = 'locator'"),
    ("fonds_ingest", "UPDATE private.fragment SET exposure = 'none'"),
    ("fonds_ingest", "DELETE FROM private.source"),
    ("fonds_ingest", "again"),
)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


def _prepared(session: Session, *, public: bool) -> None:
    session.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
    assert rows.registered(session, "first") == 1
    rows.stored(session, 1, public=public)
    act(session, "fonds_curator", 1)
    put(session, "private.projection", rows.projection(1))
    for build_id in (1, 2):
        rows.served(session, 1, build_id, public=public)


def _step(session: Session, role: str, statement: LiteralString, *, public: bool) -> None:
    act(session, role, 1)
    if statement != "again":
        session.execute(statement)
    elif role == "fonds_ingest":
        if rows.one(session, "SELECT count(*) FROM private.source") == 0:
            rows.stored(session, 1, public=public)
    elif rows.one(session, "SELECT count(*) FROM private.projection") == 0:
        put(session, "private.projection", rows.projection(1))


def _shown(session: Session) -> dict[int, int]:
    """How much each build shows, as a level; with the deferred work of a commit done."""
    session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    session.execute("SET CONSTRAINTS ALL DEFERRED")
    act(session, "fonds_build", 1)
    found = session.execute("SELECT build_id, exposure FROM served.fragment").fetchall()
    counted = session.execute("SELECT sum(fragment_count), sum(entity_count) FROM served.build")
    assert counted.fetchone() == (len(found), len(found))
    return {1: 0, 2: 0} | {build: LEVELS.index(exposure) for build, exposure in found}


@settings(max_examples=25, deadline=None)
@given(public=st.booleans(), steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=8))
def test_no_step_shows_more_than_before(
    shared: Database, public: bool, steps: list[tuple[str, LiteralString]]
) -> None:
    """R191: only a build widens; and what the private side forbids at the end is not shown."""
    with rolled_back(shared) as session:
        _prepared(session, public=public)
        before = _shown(session)
        for role, statement in steps:
            with session.transaction():  # a narrowing of its own, as a transaction's is
                _step(session, role, statement, public=public)
            after = _shown(session)
            assert all(after[build] <= before[build] for build in before), statement
            before = after
        assert max(before.values()) <= _allowed(session)


def _allowed(session: Session) -> int:
    """The most that the rows of the private side let travel."""
    session.execute("RESET ROLE")
    row = session.execute(
        "SELECT f.exposure, coalesce(NOT p.vetoed AND NOT p.stale AND p.gist IS NOT NULL"
        " AND (p.review = 'reviewed' OR NOT e.require_review), false)"
        " FROM private.fragment f JOIN private.entity e USING (archive_id, entity_id)"
        " LEFT JOIN private.projection p USING (archive_id, fragment_id)"
    ).fetchone()
    if row is None:
        return LEVELS.index("none")
    exposure, described = row
    return LEVELS.index("locator" if exposure == "semantic" and not described else exposure)
