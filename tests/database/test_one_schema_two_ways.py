"""`db/*.sql` and the migrations make the same database, rights and policies included (R090)."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from typing import LiteralString

import psycopg
import pytest

from fonds.store.databases import create_database, drop_database
from fonds.store.queue_schema import install_queue
from fonds.store.share import share_path
from tests.database.pg_tools import schema_of
from tests.database.rows import cloned
from tests.servers import Database, TestServer

FILES = (
    "private",
    "served",
    "api",
    "narrowing",
    "lexical",
    "hosting",
    "limits",
    "jobs",
    "policies",
    "grants",
)

PLANTS: tuple[LiteralString, ...] = (
    "GRANT SELECT ON served.name TO fonds_reader",
    "CREATE POLICY planted ON served.name TO fonds_reader USING (true)",
    "CREATE OR REPLACE FUNCTION api.revision() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE"
    " SET search_path = pg_catalog AS $$ SELECT '0002' $$",
    "ALTER FUNCTION api.live_build() SECURITY DEFINER",
    "ALTER TABLE served.fragment NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE private.fragment DISABLE TRIGGER narrows_at_once",
    "ALTER TABLE served.fragment DROP CONSTRAINT private_is_not_quoted",
    "ALTER TABLE served.fragment ALTER COLUMN text SET STATISTICS 100",
    "ALTER DEFAULT PRIVILEGES FOR ROLE fonds_owner GRANT SELECT ON TABLES TO fonds_reader",
    "ALTER FUNCTION api.scope() OWNER TO fonds_reader",
)

# What belongs to a database and is no part of a dump.
AROUND: LiteralString = """
    SELECT datdba::regrole::text, encoding, datlocprovider, datcollate, datctype, datlocale,
           datacl::text,
           (SELECT array_agg(format('%s %s', setrole, setconfig) ORDER BY setrole)
              FROM pg_db_role_setting WHERE setdatabase = d.oid)
      FROM pg_database d WHERE datname = current_database()
"""
LANGUAGES: LiteralString = "SELECT lanname, lanacl::text FROM pg_language ORDER BY 1"
SYSTEM: LiteralString = """
    SELECT objid::text, objsubid, privtype, initprivs::text,
           (SELECT proacl::text FROM pg_proc WHERE oid = objid AND classoid = 'pg_proc'::regclass)
      FROM (SELECT objoid AS objid, * FROM pg_init_privs) i WHERE objid < 16384 ORDER BY 1, 2
"""


@pytest.fixture(scope="module")
def from_files(server: TestServer) -> Generator[Database]:
    """A database made from `db/*.sql`, as the migrator acting as owner."""
    made = Database(server, f"fonds_files_{secrets.token_hex(4)}")
    create_database(server.admin_url(), made.name)
    with psycopg.connect(made.url("fonds_migrator")) as session:
        session.execute("SET ROLE fonds_owner")
        for name in FILES:
            session.execute(share_path(f"db/{name}.sql").read_bytes())
    install_queue(made.url("fonds_migrator"))
    yield made
    drop_database(server.admin_url(), made.name)


@pytest.fixture(scope="module")
def from_migrations(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


def test_no_file_of_the_schema_is_forgotten() -> None:
    """`db/` holds the parts listed here, the roles, which belong to the server, and what is added
    to the queue's library.
    """
    found = {file.stem for file in share_path("db").glob("*.sql")}
    assert found == {*FILES, "queue", "roles"}


def test_the_files_and_the_migrations_make_one_schema(
    from_files: Database, from_migrations: Database
) -> None:
    """R090: byte for byte, as pg_dump tells it."""
    told = schema_of(from_files.admin_url)
    assert told == schema_of(from_migrations.admin_url)
    for part in (
        "CREATE POLICY",
        "FORCE ROW LEVEL SECURITY",
        "GRANT SELECT",
        "CREATE TRIGGER",
        "SECURITY DEFINER",
    ):
        assert part in told, "the premise: a dump tells of it"


@pytest.mark.parametrize("asked", [AROUND, LANGUAGES, SYSTEM])
def test_what_a_dump_does_not_tell_is_equal_too(
    from_files: Database, from_migrations: Database, asked: LiteralString
) -> None:
    """R094: rights of the database itself, its settings, the languages and the system functions."""
    answers: list[list[tuple[object, ...]]] = []
    for made in (from_files, from_migrations):
        with psycopg.connect(made.admin_url) as session:
            answers.append(session.execute(asked).fetchall())
    assert answers[0] == answers[1]
    assert answers[0]


def test_a_change_in_one_of_them_is_seen(from_files: Database) -> None:
    """The comparison can fail: each planted change makes another dump. Runs last."""
    before = schema_of(from_files.admin_url)
    with psycopg.connect(from_files.admin_url, autocommit=True) as session:
        for plant in PLANTS:
            session.execute(plant)
            after = schema_of(from_files.admin_url)
            assert after != before, plant
            before = after


def test_the_roles_may_be_made_again(server: TestServer) -> None:
    """R095: `roles.sql` is idempotent, and takes back what was given to a role in between."""
    told = (
        "SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin,"
        " rolreplication,"
        " rolbypassrls, (SELECT array_agg(roleid::regrole::text ORDER BY 1) FROM"
        " pg_auth_members WHERE member = r.oid)"
        " FROM pg_roles r WHERE rolname ~ '^fonds_' ORDER BY 1"
    )
    with psycopg.connect(server.admin_url()) as session:
        before = session.execute(told).fetchall()
        session.execute("ALTER ROLE fonds_reader BYPASSRLS CREATEDB")
        session.execute("ALTER ROLE fonds_nearest LOGIN CREATEROLE")
        session.execute(share_path("db/roles.sql").read_bytes())
        assert session.execute(told).fetchall() == before
        session.rollback()
