"""One archive never sees, counts or changes another, whatever a statement says (R094, C02)."""

# ruff: noqa: S608 - names of tables and columns come from the catalogue or from this file

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.database import rows
from tests.database.rows import Session, act, cloned, column, one, put, rolled_back
from tests.scopes import enter, sealed
from tests.servers import Database, TestServer


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    """Two archives with the same ids: 1 has one fragment, 2 has another of its own besides."""
    with cloned(server, template) as made, psycopg.connect(made.admin_url) as session:
        for archive_id, slug in ((1, "one"), (2, "two")):
            assert rows.registered(session, slug) == archive_id
            rows.stored(session, archive_id, public=True)
            rows.served(session, archive_id, 1, public=True)
            rows.go_live(session, archive_id, 1)
        more = {"build_id": 1, "fragment_id": "note:a#2"}
        put(session, "served.fragment", rows.served_fragment(2, **rows.QUOTED | more))
        shown = {"raw": "public", "exposure": "text"}
        put(session, "served.embedding", rows.served_embedding(2, **more | shown))
        rows.served(session, 1, 2, public=True, state="retired")
        rows.served(session, 1, 3, public=True, state="building")
        session.commit()
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    with rolled_back(shared) as made:
        yield made


@pytest.mark.parametrize("table", ["live", "build", "calibration", "entity", "fragment"])
def test_a_reader_sees_its_own_archive_only(session: Session, table: str) -> None:
    """R094: not with an explicit WHERE, nor in a join, a lateral, a subquery or an aggregate."""
    act(session, "fonds_reader", 1)
    for query in (
        f"SELECT archive_id FROM served.{table} WHERE archive_id = 2 OR true",
        f"SELECT b.archive_id FROM served.live a JOIN served.{table} b ON b.archive_id >="
        f" a.archive_id",
        f"SELECT unnest(array_agg(archive_id)) FROM served.{table}",
        f"SELECT x.archive_id FROM served.live, LATERAL (SELECT archive_id FROM served.{table}) x",
    ):
        assert set(column(session, query)) == {1}, query
    assert one(session, f"SELECT count(*) FROM served.{table} WHERE archive_id = 2") == 0


def test_a_reader_sees_the_live_build_alone(session: Session) -> None:
    """R095: neither what is being written nor what was retired; the switch changes all at once."""
    act(session, "fonds_reader", 1)
    for table in ("build", "calibration", "entity", "fragment", "live"):
        assert column(session, f"SELECT DISTINCT build_id FROM served.{table}") == [1]
    rows.go_live(session, 1, 2)
    act(session, "fonds_reader", 1)
    for table in ("build", "calibration", "entity", "fragment", "live"):
        assert column(session, f"SELECT DISTINCT build_id FROM served.{table}") == [2]
    session.execute("RESET ROLE")
    session.execute("DELETE FROM served.live WHERE archive_id = 1")
    act(session, "fonds_reader", 1)
    for table in ("build", "calibration", "entity", "fragment", "live"):
        assert column(session, f"SELECT build_id FROM served.{table}") == []


def test_functions_answer_for_the_archive_in_scope(session: Session) -> None:
    """R094: a definer function is bound by row security as well."""
    nearest = """
        SELECT fragment_id FROM api.nearest('[1,0,0]', '{}', -1, 50, 50, true, NULL, NULL, NULL,
            NULL, NULL,
            true, NULL, false, NULL, false, 0, 0, '{}', NULL, 0, '{}', NULL, 0, 0,
            '{tide}', 2, 0)"""
    undated = "SELECT api.undated(NULL, NULL, NULL, NULL, false, NULL, false)"
    for archive_id, ids in ((1, ["note:a#1"]), (2, ["note:a#1", "note:a#2"])):
        act(session, "fonds_reader", archive_id)
        assert sorted(map(str, column(session, nearest))) == ids
        assert one(session, undated) == len(ids)


@pytest.mark.parametrize(
    ("role", "table"),
    [
        ("fonds_ingest", "private.source"),
        ("fonds_ingest", "private.run"),
        ("fonds_curator", "private.projection"),
        ("fonds_build", "served.build"),
    ],
)
def test_a_writer_cannot_write_into_another_archive(
    session: Session, role: str, table: str
) -> None:
    """R094: an inserted, a moved and a deleted row of another archive are refused or not found."""
    rows_of: dict[str, rows.Row] = {
        "private.source": rows.source(2, source_key="other.md"),
        "private.run": {"archive_id": 2, "job": "ingest", "outcome": "done", "report": "{}"},
        "private.projection": rows.projection(2),
        "served.build": rows.build(2, build_id=9),
    }
    row = rows_of[table]
    act(session, role, 1)
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"),
        session.transaction(),
    ):
        put(session, table, row)
    put(session, table, row | {"archive_id": 1})
    if table == "private.run":
        return  # nobody may change or remove a run
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"),
        session.transaction(),
    ):
        session.execute(f"UPDATE {table} SET archive_id = 2".encode())
    assert session.execute(f"DELETE FROM {table} WHERE archive_id = 2".encode()).rowcount == 0


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_build", "fonds_curator", "fonds_narrower"])
def test_every_role_reads_the_private_side_of_one_archive(session: Session, role: str) -> None:
    """R094: the same rule for those that may read private rows."""
    for archive_id in (1, 2):
        act(session, role, archive_id)
        assert column(session, "SELECT archive_id FROM private.fragment") == [archive_id]


def test_a_reference_never_leaves_its_archive(session: Session) -> None:
    """R094: the keys carry the archive, so that even the superuser cannot tie two together."""
    enter(session, 1)
    put(session, "private.source", rows.source(1, source_key="only-here.md"))
    for table, row in (
        ("private.entity", rows.entity(2, entity_id="note:b", source_key="only-here.md")),
        ("served.entity", rows.served_entity(2, build_id=3)),
        ("served.live", {"archive_id": 2, "build_id": 3}),
    ):
        with pytest.raises(psycopg.errors.IntegrityError) as refusal, session.transaction():
            put(session, table, row)
        assert refusal.value.sqlstate in {"23503", "23505"}


@settings(max_examples=60, deadline=None)
@given(written=st.text(alphabet="0123456789 -+eE.xX'\n\t,;", max_size=12))
def test_only_a_plain_number_is_a_scope(shared: Database, written: str) -> None:
    """C02: what is not the number of an archive raises; nothing is guessed or cut."""
    plain = written.isascii() and written.isdigit() and len(written) <= 9
    with rolled_back(shared) as session:
        session.execute("SET LOCAL ROLE fonds_reader")
        seal = sealed(session, int(written) if plain else 1).partition(":")[2]
        set_scope = "SELECT set_config('fonds.archive', %s, true)"
        session.execute(set_scope, (f"{written}:{seal}",))
        if plain:
            session.execute("SELECT count(*) FROM served.fragment")
            assert one(session, "SELECT api.scope()") == int(written)
            session.execute(set_scope, (written,))
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            session.execute("SELECT count(*) FROM served.fragment")


def test_a_slug_is_matched_as_it_is_written(session: Session) -> None:
    """C22: a quote, a wildcard or a path in a slug finds no archive and changes no statement."""
    act(session, "fonds_reader", 0)
    asked = "SELECT api.open_archive(%(slug)s)"
    assert one(session, asked, slug="one") == 1
    for slug in ("ONE", "on_", "%", "one' OR true --", "../one", ""):
        assert one(session, asked, slug=slug) is None


def test_a_refusal_is_noted_for_the_archive_in_scope_and_not_read_back(session: Session) -> None:
    """R094: the reader appends a reason and figures; nothing comes back, the table is closed."""
    act(session, "fonds_reader", 2)
    noted = "SELECT api.note_refusal('missing_citation', '{}', NULL, NULL)::text"
    assert one(session, noted) is None
    for archive_id, kept in ((1, []), (2, ["missing_citation"])):
        act(session, "fonds_curator", archive_id)
        assert column(session, "SELECT reason FROM private.refusal") == kept
    act(session, "fonds_reader", 2)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute("SELECT reason FROM private.refusal")
