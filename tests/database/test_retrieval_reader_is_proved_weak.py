"""The serving login is proved to have no power beyond its task, from the catalogue (R094)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from fonds.contract.failures import ValidationRefused
from fonds.store.pools import Pool, open_pool
from fonds.store.role_proof import RoleProof, prove_reader, weaknesses
from tests.servers import Database


def excess(proof: RoleProof) -> set[str]:
    return {found for premise in proof.premises for found in premise.excess}


def test_the_reader_as_it_is_made_passes(pool_of: Callable[..., Pool]) -> None:
    """R094: the premise of every other permission test."""
    proof = prove_reader(pool_of("fonds_reader"))
    assert proof.holds
    assert proof.role == "fonds_reader"
    assert len(proof.premises) == 10
    assert excess(proof) == set()


def test_no_other_role_may_serve(pool_of: Callable[..., Pool]) -> None:
    """R094: serving with a stronger login is refused by name."""
    for role in ("fonds_build", "fonds_ingest", "fonds_curator"):
        with pytest.raises(ValidationRefused, match=f"^{role} has more power than serving needs"):
            prove_reader(pool_of(role))


def test_a_superuser_fails_the_attributes(database: Database) -> None:
    """R094: SUPERUSER is named, whatever else it brings."""
    pool = open_pool(database.admin_url)
    try:
        proof = weaknesses(pool)
    finally:
        pool.close()
    assert {"SUPERUSER", "BYPASSRLS", "fonds_owner"} <= excess(proof)
    assert not proof.holds


PLANTED: tuple[tuple[LiteralString, str], ...] = (
    ("GRANT SELECT ON private.fragment TO fonds_reader", "SELECT on private.fragment"),
    ("GRANT SELECT (title) ON private.entity TO fonds_reader", "SELECT on private.entity"),
    ("GRANT SELECT ON served.embedding TO fonds_reader", "SELECT on served.embedding"),
    ("GRANT INSERT ON served.fragment TO fonds_reader", "INSERT on served.fragment"),
    ("GRANT USAGE ON SCHEMA private TO fonds_reader", "USAGE on schema private"),
    ("GRANT CREATE ON SCHEMA served TO fonds_reader", "CREATE on schema served"),
    ("GRANT USAGE ON SCHEMA public TO PUBLIC", "USAGE on schema public"),
    ("GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC", "plpgsql"),
    ("ALTER TABLE served.fragment NO FORCE ROW LEVEL SECURITY", "served.fragment"),
    ("ALTER TABLE served.entity DISABLE ROW LEVEL SECURITY", "served.entity"),
    (
        "CREATE FUNCTION api.peek() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';"
        "GRANT EXECUTE ON FUNCTION api.peek() TO fonds_reader",
        "api.peek()",
    ),
    ("ALTER FUNCTION api.open_archive(text) OWNER TO CURRENT_USER", "api.open_archive(text)"),
    ("ALTER FUNCTION api.open_archive(text) RESET search_path", "api.open_archive(text)"),
    (
        "CREATE TABLE served.kept (); ALTER TABLE served.kept OWNER TO fonds_reader",
        "table served.kept",
    ),
    (
        "CREATE SEQUENCE served.counter; GRANT USAGE ON SEQUENCE served.counter TO fonds_reader",
        "USAGE on served.counter",
    ),
    (
        "CREATE VIEW served.all_rows AS SELECT 1; GRANT SELECT ON served.all_rows TO fonds_reader",
        "SELECT on served.all_rows",
    ),
)


def test_each_power_planted_is_named(database: Database, pool_of: Callable[..., Pool]) -> None:
    """R094: an object made or a grant given tomorrow is covered unasked."""
    pool = pool_of("fonds_reader")
    for statement, named in PLANTED:
        with planted(database, statement):
            assert named in excess(weaknesses(pool)), statement
            with pytest.raises(ValidationRefused) as refused:
                prove_reader(pool)
            assert named in str(refused.value)
        assert weaknesses(pool).holds, statement


def test_a_right_on_the_database_is_named(database: Database, pool_of: Callable[..., Pool]) -> None:
    """R094: not even temporary tables."""
    with psycopg.connect(database.admin_url, autocommit=True) as session:
        session.execute(
            sql.SQL("GRANT TEMPORARY, CREATE ON DATABASE {} TO fonds_reader").format(
                sql.Identifier(database.name)
            )
        )
    assert excess(weaknesses(pool_of("fonds_reader"))) == {"TEMPORARY", "CREATE"}


@contextmanager
def planted(database: Database, statement: LiteralString) -> Generator[None]:
    """A weakness for the length of the block, taken back by hand afterwards."""
    with psycopg.connect(database.admin_url, autocommit=True) as session:
        session.execute(statement)
        try:
            yield
        finally:
            for undo in _UNDO:
                session.execute(undo)


_UNDO: tuple[LiteralString, ...] = (
    "REVOKE ALL ON private.fragment, served.embedding FROM fonds_reader",
    "REVOKE SELECT (title) ON private.entity FROM fonds_reader",
    "REVOKE INSERT ON served.fragment FROM fonds_reader",
    "REVOKE USAGE ON SCHEMA private FROM fonds_reader",
    "REVOKE CREATE ON SCHEMA served FROM fonds_reader",
    "REVOKE USAGE ON SCHEMA public FROM PUBLIC",
    "REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC",
    "ALTER TABLE served.fragment FORCE ROW LEVEL SECURITY",
    "ALTER TABLE served.entity ENABLE ROW LEVEL SECURITY",
    "DROP FUNCTION IF EXISTS api.peek()",
    "ALTER FUNCTION api.open_archive(text) OWNER TO fonds_registrar",
    "ALTER FUNCTION api.open_archive(text) SET search_path = pg_catalog",
    "DROP TABLE IF EXISTS served.kept",
    "DROP SEQUENCE IF EXISTS served.counter",
    "DROP VIEW IF EXISTS served.all_rows",
)
