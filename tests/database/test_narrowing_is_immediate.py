"""What is withdrawn leaves every kept build in the same transaction; what widens waits (R191)."""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import psycopg
import pytest

from fonds.store.databases import ROLES
from tests.database import rows
from tests.database.rows import ADMINISTRATOR, Session, act, cloned, column, one, put, rolled_back
from tests.servers import Database, TestServer

BUILDS = {1: "retired", 2: "checked", 3: "building"}
GIST = ("semantic", "", "A description.")
TEXT = ("text", "Words that may travel.", None)
LOCATION = ("locator", "", None)

# (role, statement, what is left of a described private fragment); None when nothing is.
WITHDRAWN: tuple[tuple[str, LiteralString, tuple[str, str, str | None] | None], ...] = (
    ("fonds_curator", "UPDATE private.projection SET vetoed = true", LOCATION),
    ("fonds_curator", "UPDATE private.projection SET stale = true", LOCATION),
    ("fonds_curator", "UPDATE private.projection SET gist = 'Another.'", LOCATION),
    (
        "fonds_curator",
        "UPDATE private.projection SET lint = 'failed', gist = NULL, draft = 'd'",
        LOCATION,
    ),
    ("fonds_curator", "DELETE FROM private.projection", LOCATION),
    ("fonds_curator", "UPDATE private.projection SET fragment_id = 'note:a#2'", LOCATION),
    (
        "fonds_ingest",
        "UPDATE private.fragment SET text = 'Other words.', text_hash = 'text-2'",
        LOCATION,
    ),
    ("fonds_ingest", "UPDATE private.entity SET require_review = true", LOCATION),
    ("fonds_ingest", "UPDATE private.fragment SET exposure = 'locator'", LOCATION),
    ("fonds_ingest", "SELECT api.narrow_fragment('note:a#1', 'locator')", LOCATION),
    ("fonds_ingest", "UPDATE private.fragment SET exposure = 'none'", None),
    (
        "fonds_ingest",
        "WITH gone AS (DELETE FROM private.embedding) UPDATE private.fragment SET"
        " fragment_id = 'note:a#2'",
        None,
    ),
    ("fonds_ingest", "SELECT api.narrow_fragment('note:a#1', 'none')", None),
    ("fonds_ingest", "DELETE FROM private.fragment", None),
    ("fonds_ingest", "DELETE FROM private.entity", None),
    ("fonds_ingest", "DELETE FROM private.source", None),
)

# The same for a public fragment served as text.
RETRACTED: tuple[tuple[LiteralString, tuple[str, str, str | None] | None], ...] = (
    ("UPDATE private.fragment SET exposure = 'semantic'", LOCATION),
    ("UPDATE private.fragment SET exposure = 'locator'", LOCATION),
    ("UPDATE private.fragment SET exposure = 'none'", None),
    ("DELETE FROM private.source", None),
    (
        "WITH turned AS (UPDATE private.entity SET raw = 'private', exposure = 'locator'"
        " WHERE archive_id = 1)"
        " UPDATE private.fragment SET raw = 'private', exposure = 'locator' WHERE archive_id = 1",
        None,
    ),
)

# (role, statement) that widens, or changes nothing about what may travel.
WIDER: tuple[tuple[str, LiteralString], ...] = (
    ("fonds_curator", "UPDATE private.projection SET review = 'reviewed'"),
    ("fonds_curator", "UPDATE private.projection SET vetoed = false, stale = false"),
    ("fonds_curator", "UPDATE private.projection SET model = 'another', review = 'unreviewed'"),
    ("fonds_ingest", "UPDATE private.fragment SET label = 'Other', row_hash = 'row-2'"),
    ("fonds_ingest", "UPDATE private.fragment SET exposure = 'semantic'"),
    ("fonds_ingest", "UPDATE private.entity SET require_review = false, title = 'Other'"),
    ("fonds_ingest", "DELETE FROM private.embedding"),
)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    """Archives 1 and 2 hold the same private fragment, described in three builds each."""
    with rolled_back(shared) as made:
        for archive_id in (1, 2):
            _archive_with(made, archive_id, public=False)
        yield made


def _archive_with(session: Session, archive_id: int, *, public: bool) -> None:
    if archive_id == 1:  # a sequence does not roll back
        session.execute("RESET ROLE")
        session.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
    assert rows.registered(session, f"archive-{archive_id}") == archive_id
    rows.stored(session, archive_id, public=public)
    act(session, "fonds_curator", archive_id)
    put(session, "private.projection", rows.projection(archive_id))
    for build_id, state in BUILDS.items():
        rows.served(session, archive_id, build_id, public=public, state=state)
    rows.go_live(session, archive_id, 2)


def _shown(session: Session, archive_id: int = 1) -> list[tuple[object, ...]]:
    """(build, exposure, text, gist) of each served row, with the deferred work of a commit done."""
    session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    session.execute("SET CONSTRAINTS ALL DEFERRED")
    act(session, "fonds_build", archive_id)
    return session.execute(
        "SELECT f.build_id, f.exposure, text, gist FROM served.fragment f JOIN served.embedding e"
        " USING (archive_id, build_id, fragment_id, raw, exposure) ORDER BY 1"
    ).fetchall()


def _counted(session: Session) -> set[tuple[object, ...]]:
    """The builds' counts beside what is really there."""
    return set(
        session.execute(
            "SELECT entity_count, fragment_count, public_entity_count, (SELECT count(*) FROM"
            " served.entity e"
            " WHERE e.build_id = b.build_id), (SELECT count(*) FROM served.fragment f"
            " WHERE f.build_id = b.build_id) FROM served.build b"
        ).fetchall()
    )


def _counter(session: Session, archive_id: int = 1) -> object:
    session.execute("RESET ROLE")
    return one(
        session, "SELECT narrowing FROM private.archive WHERE archive_id = %(a)s", a=archive_id
    )


@pytest.mark.parametrize(("role", "statement", "left"), WITHDRAWN)
def test_what_is_withdrawn_leaves_every_kept_build(
    session: Session,
    role: str,
    statement: LiteralString,
    left: tuple[str, str, str | None] | None,
) -> None:
    """R191: live, retired and half-written builds alike; another archive's same id is untouched."""
    assert _shown(session) == [(build, *GIST) for build in BUILDS]
    act(session, role, 1)
    session.execute(statement)
    assert _shown(session) == ([(build, *left) for build in BUILDS] if left else [])
    assert _counted(session) == ({(1, 1, 0, 1, 1)} if left else {(0, 0, 0, 0, 0)})
    assert _counter(session) == 1
    assert _shown(session, 2) == [(build, *GIST) for build in BUILDS]
    assert _counter(session, 2) == 0


@pytest.mark.parametrize(("statement", "left"), RETRACTED)
def test_a_public_text_is_retracted_at_once(
    shared: Database, statement: LiteralString, left: tuple[str, str, str | None] | None
) -> None:
    """R191: a stricter exposure, a removed source, a text that becomes private."""
    with rolled_back(shared) as session:
        _archive_with(session, 1, public=True)
        act(session, "fonds_ingest", 1)
        session.execute(statement)
        assert _shown(session) == ([(build, *left) for build in BUILDS] if left else [])
        assert _counted(session) == ({(1, 1, 1, 1, 1)} if left else {(0, 0, 0, 0, 0)})


@pytest.mark.parametrize(("role", "statement"), WIDER)
def test_what_widens_waits_for_a_build(
    session: Session, role: str, statement: LiteralString
) -> None:
    """R191: neither the served rows nor the counter move."""
    act(session, role, 1)
    session.execute(statement)
    assert _shown(session) == [(build, *GIST) for build in BUILDS]
    assert _counter(session) == 0


@pytest.mark.parametrize(
    ("role", "back"),
    [
        ("fonds_curator", "UPDATE private.projection SET vetoed = false"),
        ("fonds_curator", "DELETE FROM private.projection"),
        ("fonds_ingest", "UPDATE private.fragment SET exposure = 'semantic'"),
    ],
)
def test_what_was_taken_back_is_not_given_again(
    session: Session, role: str, back: LiteralString
) -> None:
    """R191, R095: undoing it is a widening; going back to an older build revives nothing."""
    act(session, "fonds_curator", 1)
    session.execute("UPDATE private.projection SET vetoed = true")
    act(session, role, 1)
    session.execute(back)
    assert _shown(session) == [(build, *LOCATION) for build in BUILDS]
    for build_id in (1, 2):
        rows.go_live(session, 1, build_id)
        act(session, "fonds_reader", 1)
        assert column(session, "SELECT coalesce(gist, exposure) FROM served.fragment") == [
            "locator"
        ]


def test_review_taken_back_narrows_where_review_is_asked_for(session: Session) -> None:
    """R191: with require_review a gist nobody vouches for stops travelling; without, it goes on."""
    for required, left in ((False, GIST), (True, LOCATION)):
        act(session, "fonds_curator", 1)
        session.execute("UPDATE private.projection SET review = 'reviewed'")
        act(session, "fonds_ingest", 1)
        session.execute("UPDATE private.entity SET require_review = %s", (required,))
        assert _shown(session) == [(build, *GIST) for build in BUILDS]
        act(session, "fonds_curator", 1)
        session.execute("UPDATE private.projection SET review = 'unreviewed'")
        assert _shown(session) == [(build, *left) for build in BUILDS]


def test_a_veto_reaches_a_gist_whose_wider_exposure_still_waits(shared: Database) -> None:
    """R191: the fragment asks for text by now, the kept builds still show the gist: it goes."""
    with rolled_back(shared) as session:
        _archive_with(session, 1, public=True)
        act(session, "fonds_build", 1)
        session.execute(
            "UPDATE served.fragment SET exposure = 'semantic', text = '', gist = 'A description.',"
            " gist_source = 'edited', gist_review = 'reviewed' WHERE build_id = 1"
        )
        act(session, "fonds_curator", 1)
        session.execute("UPDATE private.projection SET vetoed = true")
        assert _shown(session) == [(1, *LOCATION), (2, *TEXT), (3, *TEXT)]


def test_an_entity_keeps_its_other_fragments(session: Session) -> None:
    """R191: only an emptied entity goes, with its fragment."""
    act(session, "fonds_ingest", 1)
    put(session, "private.fragment", rows.fragment(1, fragment_id="note:a#2"))
    act(session, "fonds_build", 1)
    put(session, "served.fragment", rows.served_fragment(1, fragment_id="note:a#2"))
    session.execute("UPDATE served.build SET fragment_count = 2 WHERE build_id = 1")
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.fragment WHERE fragment_id = 'note:a#1'")
    assert _shown(session) == []
    assert _counted(session) == {(1, 1, 0, 1, 1), (0, 0, 0, 0, 0)}
    assert column(session, "SELECT build_id FROM served.entity") == [1]


def test_what_stood_below_an_entity_that_goes_names_it_no_more(session: Session) -> None:
    """R026: in every kept build; an id is a trace as well."""
    act(session, "fonds_build", 1)
    for build_id in BUILDS:
        below = rows.served_entity(1, build_id=build_id, entity_id="note:b", parent="note:a")
        put(session, "served.entity", below)
        of_below: rows.Row = {"fragment_id": "note:b#1", "entity_id": "note:b"}
        put(session, "served.fragment", rows.served_fragment(1, build_id=build_id, **of_below))
    assert column(session, "SELECT parent FROM served.entity WHERE entity_id = 'note:b'") == (
        ["note:a"] * len(BUILDS)
    )
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.fragment WHERE fragment_id = 'note:a#1'")
    assert _shown(session) == []
    kept = "SELECT entity_id || coalesce(parent, '') FROM served.entity"
    assert column(session, kept) == ["note:b"] * len(BUILDS)


def test_many_narrowings_of_one_transaction_share_one_number(session: Session) -> None:
    """A counter raised by each of many would be walked through by each; a count, not a time."""
    act(session, "fonds_ingest", 1)
    for number in range(2, 60):
        put(session, "private.fragment", rows.fragment(1, fragment_id=f"note:a#{number}"))
    session.execute("DELETE FROM private.source")
    session.execute("RESET ROLE")
    assert one(session, "SELECT count(*) FROM private.narrowing WHERE archive_id = 1") == 59
    assert _counter(session) == 1
    raised = (
        "SELECT n_tup_upd FROM pg_stat_xact_all_tables WHERE relid = 'private.archive'::regclass"
    )
    assert one(session, raised) == 1


@pytest.mark.parametrize("role", [ADMINISTRATOR, "fonds_owner", *ROLES])
def test_no_table_is_truncated(session: Session, role: str) -> None:
    """TRUNCATE goes past policies and row triggers: refused, the superuser included."""
    tables = column(
        session,
        "SELECT c.oid::regclass::text FROM pg_class c WHERE relkind = 'r'"
        " AND relnamespace IN ('private'::regnamespace, 'served'::regnamespace)",
    )
    act(session, role, 1)
    for table in tables:
        with pytest.raises(psycopg.Error) as refusal, session.transaction():
            session.execute(f"TRUNCATE {table} CASCADE".encode())
        expected = "0A000" if role in {ADMINISTRATOR, "fonds_owner"} else "42501"
        assert refusal.value.sqlstate == expected
