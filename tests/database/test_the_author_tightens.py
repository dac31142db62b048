"""What the author holds a fragment to stands beside its file and only narrows (R024, R191)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import LiteralString

import psycopg
import pytest

from fonds.store.databases import ROLES
from tests.database import rows
from tests.database.rows import ADMINISTRATOR, Session, act, cloned, one, put, rolled_back
from tests.servers import Database, TestServer

ID = "note:a#1"
TIGHTEN = "SELECT api.tighten_fragment(%(id)s, %(exposure)s)"
LIFT = "SELECT api.lift_tightening(%(id)s)"


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    """Archives 1 and 2 hold the same described private fragment, live in two builds each."""
    with rolled_back(shared) as made:
        made.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
        for archive_id in (1, 2):
            assert rows.registered(made, f"archive-{archive_id}") == archive_id
            rows.stored(made, archive_id)
            act(made, "fonds_curator", archive_id)
            put(made, "private.projection", rows.projection(archive_id))
            for build_id in (1, 2):
                rows.served(made, archive_id, build_id)
            rows.go_live(made, archive_id, 2)
        yield made


def _tighten(session: Session, exposure: str, fragment_id: str = ID) -> object:
    act(session, "fonds_curator", 1)
    return one(session, TIGHTEN, id=fragment_id, exposure=exposure)


def _lift(session: Session, fragment_id: str = ID) -> object:
    act(session, "fonds_curator", 1)
    return one(session, LIFT, id=fragment_id)


def _held(session: Session, archive_id: int = 1) -> list[tuple[object, ...]]:
    """(effective exposure, what the file asks) of each private fragment."""
    act(session, "fonds_curator", archive_id)
    return session.execute(
        "SELECT exposure, file_exposure FROM private.fragment ORDER BY fragment_id"
    ).fetchall()


def _shown(session: Session, archive_id: int = 1) -> list[tuple[object, ...]]:
    session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    session.execute("SET CONSTRAINTS ALL DEFERRED")
    act(session, "fonds_build", archive_id)
    return session.execute(
        "SELECT exposure, gist FROM served.fragment ORDER BY build_id"
    ).fetchall()


@pytest.mark.parametrize(("exposure", "left"), [("locator", [("locator", None)] * 2), ("none", [])])
def test_a_fragment_is_reduced_at_once_in_every_build(
    session: Session, exposure: str, left: list[tuple[object, ...]]
) -> None:
    """R191: by the curator's own rights; another archive's same id is untouched."""
    assert _tighten(session, exposure) == "tightened"
    assert _shown(session) == left
    assert _held(session) == [(exposure, "semantic")]
    assert _shown(session, 2) == [("semantic", "A description.")] * 2
    assert _held(session, 2) == [("semantic", "semantic")]


@pytest.mark.parametrize(
    "written",
    [
        "UPDATE private.fragment SET exposure = 'semantic', row_hash = 'row-2'",
        "UPDATE private.fragment SET exposure = 'semantic', file_exposure = 'semantic'",
        "UPDATE private.fragment SET file_exposure = 'semantic'",
        "UPDATE private.fragment SET label = 'Other', exposure = exposure",
        "MERGE INTO private.fragment f USING (SELECT 'note:a#1' AS id) s ON f.fragment_id = s.id"
        " WHEN MATCHED THEN UPDATE SET exposure = 'semantic', text = 'Other words.'",
    ],
)
def test_no_write_of_ingest_widens_it_again(session: Session, written: LiteralString) -> None:
    """R191: the file still asks for more, and is written again whole."""
    _tighten(session, "locator")
    act(session, "fonds_ingest", 1)
    session.execute(written)
    assert [exposure for exposure, _ in _held(session)] == ["locator"]
    assert _shown(session) == [("locator", None)] * 2


def test_it_outlives_the_file(session: Session) -> None:
    """R191: keyed by fragment id: deleted and inserted again, or moved to that id."""
    _tighten(session, "none")
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.source")
    rows.stored(session, 1)
    assert _held(session) == [("none", "semantic")]
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.fragment")
    put(session, "private.fragment", rows.fragment(1, fragment_id="note:a#2"))
    session.execute("UPDATE private.fragment SET fragment_id = 'note:a#1'")
    assert _held(session) == [("none", "semantic")]


def test_a_file_that_asks_for_less_is_believed(session: Session) -> None:
    """The stricter of the two counts, whichever says so."""
    _tighten(session, "locator")
    act(session, "fonds_ingest", 1)
    session.execute("UPDATE private.fragment SET exposure = 'none'")
    assert _held(session) == [("none", "none")]
    assert _shown(session) == []


def test_lifting_waits_for_a_build(session: Session) -> None:
    """R191: the private side asks again for what the file asks; no kept build shows more."""
    _tighten(session, "locator")
    before = one(session, "SELECT narrowing FROM private.archive")
    assert _lift(session) == "lifted"
    assert _held(session) == [("semantic", "semantic")]
    assert one(session, "SELECT narrowing FROM private.archive") == before
    assert _shown(session) == [("locator", None)] * 2


def test_lifting_never_goes_past_a_file_that_was_withdrawn(session: Session) -> None:
    """R020: what the file asked for by then is what comes back."""
    _tighten(session, "none")
    act(session, "fonds_ingest", 1)
    session.execute(
        "UPDATE private.fragment SET exposure = 'none', row_hash = '' WHERE file_exposure <> 'none'"
    )
    _lift(session)
    assert _held(session) == [("none", "none")]


def test_it_says_what_it_did(session: Session) -> None:
    """R192: done twice it changes nothing; what is stricter stays; each change is noted by id."""
    assert _tighten(session, "locator", "note:a#9") == "unknown"
    assert _tighten(session, "locator") == "tightened"
    assert _tighten(session, "locator") == "unchanged"
    assert _tighten(session, "none") == "tightened"
    assert _tighten(session, "locator") == "stricter"
    assert _held(session) == [("none", "semantic")]
    assert _lift(session) == "lifted"
    assert _lift(session) == "unchanged"
    assert _lift(session, "note:a#9") == "unknown"
    noted = session.execute("SELECT action, subject FROM private.audit ORDER BY audit_id")
    assert noted.fetchall() == [
        (action, ID) for action in ("expose locator", "expose none", "expose as-file")
    ]


@pytest.mark.parametrize("exposure", ["text", "semantic", "", "Locator", None])
def test_nothing_is_widened_by_this_door(session: Session, exposure: str | None) -> None:
    """R191: neither where nothing is held, nor in the place of what is."""
    act(session, "fonds_curator", 1)
    with pytest.raises(psycopg.errors.IntegrityError), session.transaction():
        one(session, TIGHTEN, id=ID, exposure=exposure)
    assert _held(session) == [("semantic", "semantic")]
    _tighten(session, "locator")
    with suppress(psycopg.errors.IntegrityError), session.transaction():
        assert one(session, TIGHTEN, id=ID, exposure=exposure) == "stricter"
    assert _held(session) == [("locator", "semantic")]


def test_the_ledger_keeps_the_strictest(session: Session) -> None:
    """R191: a lifted tightening is remembered as an exposure the fragment had."""
    _tighten(session, "none")
    _lift(session)
    assert one(session, "SELECT exposure FROM private.ledger") == "none"


def test_a_public_text_is_held_as_well(shared: Database) -> None:
    """R024: a public fragment asks for its text and shows where it stands."""
    with rolled_back(shared) as session:
        session.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
        assert rows.registered(session, "one") == 1
        rows.stored(session, 1, public=True)
        rows.served(session, 1, 1, public=True)
        assert _tighten(session, "locator") == "tightened"
        assert _shown(session) == [("locator", None)]
        assert _held(session) == [("locator", "text")]


@pytest.mark.parametrize("role", ["fonds_owner", *ROLES])
def test_no_role_writes_a_tightening_but_through_the_functions(session: Session, role: str) -> None:
    """R094: nor reads it, but the author's; the owner is bound by row security."""
    _tighten(session, "locator")
    act(session, role, 1)
    statements: tuple[LiteralString, ...] = (
        "INSERT INTO private.tightening (archive_id, fragment_id, exposure)"
        " VALUES (1, 'x#1', 'none')",
        "UPDATE private.tightening SET exposure = 'none'",
        "DELETE FROM private.tightening",
    )
    for statement in statements:
        with suppress(psycopg.errors.InsufficientPrivilege), session.transaction():
            assert session.execute(statement).rowcount == 0
    assert _held(session) == [("locator", "semantic")]
    session.execute("SELECT set_config('role', %s, true)", (ADMINISTRATOR,))
    assert one(session, "SELECT count(*) FROM private.tightening") == 1
