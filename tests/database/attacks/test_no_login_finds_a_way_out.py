"""No login becomes another, leaves a thing behind, reaches a file or empties a table (R094)."""

from __future__ import annotations

from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from fonds.store.databases import ROLES
from tests.database.attacks.stage import attacking, refusal
from tests.database.rows import column
from tests.scopes import enter
from tests.servers import Database

WAYS_OUT: tuple[LiteralString, ...] = (
    "CREATE TABLE public.t (a integer)",
    "CREATE SCHEMA s",
    "CREATE FUNCTION api.f() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE VIEW served.v AS SELECT 1",
    "CREATE OPERATOR public.= (FUNCTION = int4eq, LEFTARG = text, RIGHTARG = integer)",
    "CREATE AGGREGATE public.a (text) (SFUNC = textcat, STYPE = text)",
    "CREATE STATISTICS private.s ON archive_id, fragment_id FROM private.fragment",
    "CREATE PUBLICATION p FOR ALL TABLES",
    "CREATE ROLE r",
    "ALTER ROLE fonds_reader BYPASSRLS",
    "GRANT fonds_build TO fonds_reader",
    "ALTER TABLE private.fragment NO FORCE ROW LEVEL SECURITY",
    "DROP POLICY archive_is_built ON private.fragment",
    "COMMENT ON TABLE private.fragment IS 'x'",
    "SET log_statement = 'all'",
    "SET session_preload_libraries = 'x'",
    "SET session_replication_role = replica",
    "SET SESSION AUTHORIZATION postgres",
    "SELECT set_config('session_authorization', rolname, false) FROM pg_roles WHERE rolsuper",
    "LOAD 'auto_explain'",
    "DO $$ BEGIN END $$",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY (SELECT 1) TO '/dev/null'",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_read_binary_file('PG_VERSION')",
    "SELECT pg_stat_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT pg_ls_logdir()",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT lo_import('/etc/hostname')",
    "SELECT lo_export(1, '/dev/null')",
    "SELECT pg_notify('a', 'b')",
    "SELECT pg_reload_conf()",
    "SELECT pg_stat_reset()",
    "SELECT setval('private.archive_archive_id_seq', 1)",
    "SELECT nextval('private.archive_archive_id_seq')",
    "REASSIGN OWNED BY fonds_owner TO CURRENT_USER",
    "SELECT FROM pg_catalog.pg_authid",
    "SELECT FROM pg_catalog.pg_statistic",
    "SELECT FROM pg_catalog.pg_statistic_ext_data",
    "SELECT FROM pg_catalog.pg_largeobject",
)


@pytest.mark.parametrize("role", ROLES)
def test_no_login_finds_a_way_out(attacked: Database, role: str) -> None:
    """The migrator is meant here as itself; as the owner it is whoever made the schema."""
    with attacking(attacked, role) as session:
        answers = {statement: refusal(session, statement) for statement in WAYS_OUT}
    assert {way: code for way, code in answers.items() if code != "42501"} == {}


@pytest.mark.parametrize("role", ROLES)
def test_no_login_hands_on_what_it_may_do(attacked: Database, role: str) -> None:
    """R094: whoever holds a right holds it without the option to grant it; Postgres warns only."""
    with attacking(attacked, role) as session:
        rights = "SELECT relname, relacl::text FROM pg_class WHERE relacl IS NOT NULL ORDER BY oid"
        before = session.execute(rights).fetchall()
        for table in ("private.fragment", "served.fragment", "private.access"):
            for to in ("PUBLIC", "fonds_reader"):
                try:
                    with session.transaction():
                        session.execute(f"GRANT ALL ON {table} TO {to}".encode())
                except psycopg.errors.InsufficientPrivilege:
                    continue
        assert session.execute(rights).fetchall() == before


def _named(table: str) -> sql.Identifier:
    return sql.Identifier(*table.split("."))


def test_only_those_that_load_in_bulk_have_tables_of_their_own(attacked: Database) -> None:
    made: set[str] = set()
    for role in ROLES:
        with attacking(attacked, role) as session:
            if refusal(session, "CREATE TEMPORARY TABLE t (a integer)") is None:
                made.add(role)
    assert made == {"fonds_ingest", "fonds_build"}


def test_no_login_empties_a_table_and_the_owner_is_stopped_as_well(attacked: Database) -> None:
    """Row security does not bind TRUNCATE: no grant names it, and a trigger refuses it."""
    with psycopg.connect(attacked.admin_url) as admin:
        tables = column(
            admin,
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n"
            " ON n.oid = c.relnamespace WHERE nspname IN ('private', 'served') AND relkind = 'r'",
        )
    assert len(tables) > 20
    for role in ROLES:
        with attacking(attacked, role) as session:
            for table in tables:
                with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                    session.execute(sql.SQL("TRUNCATE {} CASCADE").format(_named(str(table))))
    with attacking(attacked, "fonds_migrator") as session:
        session.execute("SET ROLE fonds_owner")
        for table in tables:
            with pytest.raises(psycopg.Error, match="truncate"), session.transaction():
                session.execute(sql.SQL("TRUNCATE {} CASCADE").format(_named(str(table))))


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_host"])
def test_a_password_alone_opens_no_archive_to_everybody(attacked: Database, role: str) -> None:
    """R094: names and terms of an archive are renewed in its own scope; a new one needs none."""
    renew = "SELECT api.register_archive('two', 'N', 'A', 'https://e.org', true, 10000)"
    with psycopg.connect(attacked.url(role)) as session:
        session.prepare_threshold = None
        for archive_id in (None, 0, 1):
            if archive_id is not None:
                enter(session, archive_id)
            with (
                pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState),
                session.transaction(),
            ):
                session.execute(renew)
        enter(session, 2)
        assert column(session, renew) == [2]
        session.rollback()
        assert column(session, "SELECT api.register_archive('four', 'N', 'A', 'e.org')") != [None]
        session.rollback()


@pytest.mark.parametrize("role", ["fonds_host", "fonds_queue", "fonds_migrator"])
def test_who_administers_reads_no_content(attacked: Database, role: str) -> None:
    """R094: of no table of either schema; the migrator not as the owner either."""
    with attacking(attacked, role) as session:
        for table in ("private.fragment", "private.projection", "served.fragment", "served.entity"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute(sql.SQL("SELECT archive_id FROM {}").format(_named(table)))
        if role == "fonds_migrator":
            session.execute("SET ROLE fonds_owner")
            assert column(session, "SELECT count(*) FROM private.fragment") == [0]
            assert column(session, "SELECT count(*) FROM served.fragment") == [0]


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT text FROM private.fragment",
        "COPY (SELECT text FROM private.fragment) TO STDOUT",
        "UPDATE private.fragment SET label = text",
        "UPDATE private.fragment SET text = text RETURNING text",
        "DELETE FROM private.fragment RETURNING text",
        "DELETE FROM private.fragment WHERE text LIKE 'a%'",
        "SELECT f FROM private.fragment f",
        "SELECT to_jsonb(f) FROM private.fragment f",
        "SELECT title FROM private.entity",
        "SELECT gist FROM private.projection",
    ],
)
def test_ingest_reads_no_body_back(attacked: Database, asked: LiteralString) -> None:
    """R094: neither by a row, nor by what it writes with, nor by a row it takes away."""
    with attacking(attacked, "fonds_ingest") as session:
        assert refusal(session, asked) == "42501"
