"""What a database holds before its first migration: the owner's rights and nobody else's (R094)."""

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest

from fonds.contract.failures import StoreRefused, Unavailable
from fonds.store.databases import clone_database, create_database, drop_database
from fonds.store.embedded import ROLES, EmbeddedServer, running

# A name that is only safe where it is quoted.
CLONE = 'clone"; DROP DATABASE fonds; --'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[EmbeddedServer]:
    with running(tmp_path_factory.mktemp("databases") / "home") as started:
        yield started


@pytest.fixture(scope="module", params=["created", "cloned"])
def database(server: EmbeddedServer, request: pytest.FixtureRequest) -> str:
    """Everything below holds for a database made at first start and for a copy of it."""
    if request.param == "created":
        return "fonds"
    clone_database(server.admin_url(), "fonds", CLONE)
    return CLONE


def one(session: psycopg.Connection, statement: str) -> tuple[object, ...]:
    row = session.execute(statement.encode()).fetchone()
    assert row is not None
    return row


def test_only_the_login_roles_may_connect_and_only_two_may_stage_rows(
    server: EmbeddedServer, database: str
) -> None:
    with psycopg.connect(server.admin_url(database)) as session:
        rights = {
            role: session.execute(
                "SELECT has_database_privilege(%(role)s, current_database(), 'CONNECT'),"
                " has_database_privilege(%(role)s, current_database(), 'TEMPORARY'),"
                " has_database_privilege(%(role)s, current_database(), 'CREATE')",
                {"role": role},
            ).fetchone()
            for role in (*ROLES, "fonds_owner", "fonds_nearest")
        }
        owner = one(
            session,
            "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()",
        )
    assert owner == ("fonds_owner",)
    assert rights == {
        "fonds_migrator": (True, False, False),
        "fonds_ingest": (True, True, False),
        "fonds_build": (True, True, False),
        "fonds_curator": (True, False, False),
        "fonds_reader": (True, False, False),
        "fonds_host": (True, False, False),
        "fonds_queue": (True, False, False),
        "fonds_owner": (True, True, True),
        "fonds_nearest": (False, False, False),
    }


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TEMPORARY TABLE kept (id integer)",
        "CREATE TABLE public.kept (id integer)",
        "CREATE SCHEMA kept",
        "DO $$ BEGIN END $$",
        "SELECT lo_create(0)",
        "SELECT lo_creat(-1)",
        "SELECT lo_from_bytea(0, 'kept')",
        "SELECT lo_import('/etc/hostname')",
        "SELECT pg_notify('kept', '')",
        "SELECT '[1]'::ext.vector",
        "SET ROLE fonds_owner",
    ],
)
def test_the_reader_can_leave_nothing_behind(
    server: EmbeddedServer, database: str, statement: str
) -> None:
    with (
        psycopg.connect(server.url("fonds_reader", database)) as session,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        session.execute(statement.encode())


def test_names_are_looked_for_where_nobody_can_write(server: EmbeddedServer, database: str) -> None:
    with psycopg.connect(server.url("fonds_ingest", database)) as session:
        assert one(session, "SHOW search_path") == ("pg_catalog, ext",)


def test_the_owner_writes_functions_and_hands_vectors_on(
    server: EmbeddedServer, database: str
) -> None:
    """What the migrations need, as the role that runs them; rolled back."""
    with psycopg.connect(server.url("fonds_migrator", database)) as session:
        session.execute("SET ROLE fonds_owner")
        session.execute("CREATE SCHEMA made")
        session.execute("CREATE TABLE made.near (at ext.halfvec(2))")
        session.execute(
            "CREATE FUNCTION made.distance() RETURNS float8 LANGUAGE plpgsql"
            " AS $$ BEGIN RETURN '[1,0]'::ext.halfvec <=> '[0,1]'::ext.halfvec; END $$"
        )
        assert one(session, "SELECT made.distance()") == (1.0,)
        session.execute("GRANT USAGE ON SCHEMA ext TO fonds_nearest")
        assert one(session, "SELECT has_schema_privilege('fonds_nearest', 'ext', 'USAGE')") == (
            True,
        )
        session.rollback()


def test_a_database_that_is_there_keeps_its_content_and_gets_its_rights_again(
    server: EmbeddedServer,
) -> None:
    create_database(server.admin_url(), "twice")
    with psycopg.connect(server.admin_url("twice")) as session:
        session.execute("CREATE TABLE ext.kept AS SELECT 7 AS id")
        session.execute("GRANT ALL ON DATABASE twice TO PUBLIC")
    create_database(server.admin_url(), "twice")
    with psycopg.connect(server.admin_url("twice")) as session:
        assert one(session, "SELECT id FROM ext.kept") == (7,)
        assert one(session, "SELECT has_database_privilege('fonds_reader', 'twice', 'TEMP')") == (
            False,
        )


def test_dropping_ends_the_sessions_and_may_be_done_twice(server: EmbeddedServer) -> None:
    create_database(server.admin_url(), "dropped")
    with psycopg.connect(server.url("fonds_reader", "dropped")) as session:
        drop_database(server.admin_url(), "dropped")
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    drop_database(server.admin_url(), "dropped")
    with psycopg.connect(server.admin_url()) as session:
        assert one(session, "SELECT count(*) FROM pg_database WHERE datname = 'dropped'") == (0,)


def test_what_the_server_declines_is_told_by_its_code_alone(server: EmbeddedServer) -> None:
    """A name that is taken, and a login that may make no database."""
    with pytest.raises(StoreRefused) as taken:
        clone_database(server.admin_url(), "template0", "fonds")
    assert str(taken.value) == "the database refused a statement: SQLSTATE 42P04"
    with pytest.raises(StoreRefused) as refused:
        create_database(server.url("fonds_migrator"), "another")
    assert str(refused.value) == "the database refused a statement: SQLSTATE 42501"


def test_a_server_that_does_not_answer_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="does not accept the administrator's connection"):
        create_database("host=/nonexistent user=postgres dbname=postgres", "another")
