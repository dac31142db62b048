"""A backup is the administrator's: no other takes one, and it can be put back (R098)."""

# ruff: noqa: S608 - names of tables and columns come from the catalogue or from this file

from __future__ import annotations

import secrets
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from fonds.store.databases import ROLES, create_database, drop_database
from tests.database import rows
from tests.database.pg_tools import pg_tool, run, schema_of
from tests.database.rights import rights
from tests.database.rows import Session, cloned, column, one, put
from tests.scopes import enter
from tests.servers import Database, TestServer


@pytest.fixture(scope="module")
def stocked(server: TestServer, template: str) -> Generator[Database]:
    """Two archives, one of them live, with a projection and an index."""
    with cloned(server, template) as made:
        with psycopg.connect(made.admin_url) as session:
            for archive_id, slug in ((1, "one"), (2, "two")):
                assert rows.registered(session, slug) == archive_id
                rows.stored(session, archive_id)
                rows.served(session, archive_id, 1)
            rows.go_live(session, 1, 1)
            rows.act(session, "fonds_curator", 1)
            put(session, "private.projection", rows.projection(1))
            rows.act(session, "fonds_build", 1)
            session.execute("SELECT api.make_index(1, 16, 64, 40, 1)")
        yield made


@pytest.fixture
def restored(server: TestServer) -> Generator[Database]:
    """An empty database to restore into; the administrator's tool makes everything in it."""
    made = Database(server, f"fonds_restored_{secrets.token_hex(4)}")
    with psycopg.connect(server.admin_url(), autocommit=True) as session:
        session.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE template0 OWNER fonds_owner").format(
                sql.Identifier(made.name)
            )
        )
    yield made
    drop_database(server.admin_url(), made.name)


@pytest.mark.parametrize("role", [*ROLES, "fonds_owner"])
def test_no_role_of_ours_takes_a_backup(stocked: Database, role: str) -> None:
    """R098: a dump by a login, or by the migrator acting as owner, fails and says so."""
    login = "fonds_migrator" if role == "fonds_owner" else role
    acting = ["--role=fonds_owner"] if role == "fonds_owner" else []
    done = run(
        pg_tool("pg_dump", stocked.admin_url),
        "--data-only",
        f"--dbname={stocked.url(login)}",
        *acting,
    )
    assert done.returncode != 0
    assert "note:a" not in done.stdout


def test_the_owners_dump_with_row_security_is_empty(stocked: Database) -> None:
    """R098: it ends well and holds no row: never take one for a backup."""
    done = run(
        pg_tool("pg_dump", stocked.admin_url),
        "--data-only",
        "--enable-row-security",
        "--role=fonds_owner",
        f"--dbname={stocked.url('fonds_migrator')}",
        "--schema=served",
    )
    assert "note:a" not in done.stdout


def test_what_the_administrator_saved_is_put_back_whole(
    stocked: Database, restored: Database, tmp_path: Path
) -> None:
    """R098: every row, policy and right; and the reader reads its archive in it, and no other."""
    file = tmp_path / "saved"
    saved = run(
        pg_tool("pg_dump", stocked.admin_url),
        "-Fc",
        f"--file={file}",
        f"--dbname={stocked.admin_url}",
    )
    assert saved.returncode == 0, saved.stderr
    back = run(
        pg_tool("pg_restore", stocked.admin_url),
        "--exit-on-error",
        f"--dbname={restored.admin_url}",
        str(file),
    )
    assert back.returncode == 0, back.stderr
    create_database(restored.server.admin_url(), restored.name)  # its rights are no part of a dump
    assert schema_of(restored.admin_url) == schema_of(stocked.admin_url)
    with (
        psycopg.connect(stocked.admin_url) as before,
        psycopg.connect(restored.admin_url) as after,
    ):
        assert _content(after) == _content(before)
        for role in ROLES:
            assert rights(after, role) == rights(before, role)
    with psycopg.connect(restored.url("fonds_reader")) as reader:
        enter(reader, 1)
        assert column(reader, "SELECT gist FROM served.fragment") == ["A description."]
        enter(reader, 2)
        assert column(reader, "SELECT gist FROM served.fragment") == []


def _content(session: Session) -> dict[object, object]:
    """Every row of every table, as text."""
    tables = column(
        session,
        "SELECT c.oid::regclass::text FROM pg_class c WHERE relkind = 'r'"
        " AND relnamespace::regnamespace::text IN ('private', 'served', 'indexes', 'migration')",
    )
    assert len(tables) > 15
    found = {
        table: one(
            session,
            f"SELECT coalesce(string_agg(x::text, ';' ORDER BY x::text), '') FROM {table} x",
        )
        for table in tables
    }
    assert "note:a" in str(found["private.ledger"])
    return found
