"""Whose word for an archive a database takes: keys registered, replaced, made again (R094)."""

from __future__ import annotations

import stat
from collections.abc import Generator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from fonds.contract.failures import Misconfigured, StoreRefused
from fonds.store.embedded_places import scope_key_file
from fonds.store.pools import Pool, open_pool, transaction
from fonds.store.revision import WrongRevision
from fonds.store.scope import SCOPED_ROLES, Login, ScopeKey
from fonds.store.scope_register import (
    UnknownScopeKey,
    check_scope_key,
    check_scope_of,
    register_scope_keys,
)
from fonds.store.servers import embedded_server
from tests.database.rows import cloned
from tests.scopes import enter
from tests.servers import Database, TestServer

TEXTS = "SELECT DISTINCT text FROM served.fragment"


@pytest.fixture
def rotated(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


def test_a_key_holds_until_the_migrator_registers_once_more(rotated: Database) -> None:
    """R094: the one before beside the new one, so that processes change over by turns."""
    migrator, url = rotated.url("fonds_migrator"), rotated.url("fonds_reader")
    logins = [Login("fonds_reader", url, ScopeKey.of(text * 32)) for text in "abc"]

    def known() -> list[bool]:
        return [_is_known(login) for login in logins]

    assert known() == [False, False, False]
    for number, expected in enumerate(
        ([True, False, False], [True, True, False], [False, True, True])
    ):
        key = logins[number].key
        assert key is not None
        register_scope_keys(migrator, {"fonds_reader": key})
        assert known() == expected
    key = logins[2].key
    assert key is not None
    register_scope_keys(migrator, {"fonds_reader": key})
    assert known() == [False, False, True]


def _is_known(login: Login) -> bool:
    try:
        check_scope_key(login)
    except UnknownScopeKey:
        return False
    return True


def test_a_key_that_is_not_known_is_said_with_its_remedy(rotated: Database) -> None:
    """One line that names the login, before a process serves with it."""
    other = Login("fonds_reader", rotated.url("fonds_reader"), ScopeKey.of("o" * 32))
    pool = open_pool(other, read_only=True, size=1)
    said = "does not know this scope key of fonds_reader: run fonds migrate with it"
    try:
        with pytest.raises(UnknownScopeKey, match=said):
            check_scope_of(pool)
    finally:
        pool.close()


@pytest.mark.parametrize(
    "lacking",
    [
        "REVOKE USAGE ON SCHEMA api FROM fonds_migrator",
        "DROP FUNCTION api.register_scope_key(text, bytea, bytea)",
    ],
)
def test_a_schema_from_between_two_versions_is_told_with_its_remedy(
    rotated: Database, lacking: LiteralString
) -> None:
    """R090: its revision is this one's and it knows no keys, so that no migration helps."""
    with psycopg.connect(rotated.admin_url) as session:
        session.execute(lacking)
    with pytest.raises(WrongRevision, match="ingest and build anew; nothing was changed") as told:
        register_scope_keys(rotated.url("fonds_migrator"), {"fonds_reader": ScopeKey.of("a" * 32)})
    assert "\n" not in str(told.value)


def test_a_process_without_a_key_says_which_variable_to_set(rotated: Database) -> None:
    pool: Pool = open_pool(Login("fonds_reader", rotated.url("fonds_reader")), size=1)
    try:
        with pytest.raises(Misconfigured, match="set FONDS_READER_SCOPE_KEY, or FONDS_SCOPE_KEY"):
            check_scope_of(pool)
    finally:
        pool.close()


def test_a_login_that_nobody_registered_gets_the_one_error(rotated: Database) -> None:
    with psycopg.connect(rotated.admin_url) as session:
        session.execute("DELETE FROM seal.scope_key WHERE login = 'fonds_reader'")
    pool = open_pool(rotated.login("fonds_reader"), size=1)
    try:
        with pytest.raises(StoreRefused, match="55000"), transaction(pool, 1) as session:
            session.execute(TEXTS)
    finally:
        pool.close()
    with psycopg.connect(rotated.url("fonds_reader")) as session:
        enter(session, 1)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="no archive is set"):
            session.execute(TEXTS)


def test_a_key_and_a_login_show_no_secret() -> None:
    """R097: neither in a repr nor in a text."""
    key = ScopeKey.of("sesame-sesame-sesame-sesame-sesame")
    login = Login("fonds_reader", "postgresql://ann:sesame@here/fonds", key)
    assert "sesame" not in f"{key!r} {key} {login!r} {login}"


def test_a_derived_key_is_of_one_login() -> None:
    keys = {ScopeKey.derived("common secret", role).pads() for role in SCOPED_ROLES}
    assert len(keys) == len(SCOPED_ROLES)
    assert ScopeKey.derived("common secret", "fonds_reader").pads() in keys


def test_an_embedded_home_makes_its_keys_and_makes_them_again(tmp_path: Path) -> None:
    """One file that its owner alone reads; a home of an earlier version, or one whose file went,
    gets other keys, and its database is told of them.
    """
    home = tmp_path / "home"
    written: list[str] = []
    for _ in range(2):
        with embedded_server(home, lambda folder: None) as server:
            for role in SCOPED_ROLES:
                check_scope_key(server.login_of(role))
            assert server.login_of("fonds_queue").key is None
        assert stat.S_IMODE(scope_key_file(home).stat().st_mode) == 0o600
        written.append(scope_key_file(home).read_text(encoding="utf-8"))
        scope_key_file(home).unlink()
    first, second = (set(text.splitlines()) for text in written)
    assert len(first) == len(second) == len(SCOPED_ROLES)
    assert first.isdisjoint(second)
