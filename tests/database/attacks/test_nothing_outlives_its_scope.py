"""What a session kept from before shows no row of an archive that it has left (R094, C02)."""

from __future__ import annotations

from typing import LiteralString

import psycopg
import pytest

from tests.database.attacks.stage import CANARY, attacking
from tests.database.rows import act, column, one, put
from tests.scopes import enter
from tests.servers import Database

TEXTS: LiteralString = "SELECT DISTINCT text FROM served.fragment"


@pytest.mark.parametrize("mode", ["force_generic_plan", "force_custom_plan", "auto"])
def test_a_prepared_plan_reads_the_archive_it_is_run_in(attacked: Database, mode: str) -> None:
    """Made in one scope, run in another, seven times each: a plan holds no archive."""
    with attacking(attacked, "fonds_reader") as session:
        session.execute("SELECT set_config('plan_cache_mode', %s, true)", (mode,))
        enter(session, 2)
        session.execute("PREPARE kept AS SELECT DISTINCT text FROM served.fragment")
        for _ in range(7):
            enter(session, 2)
            assert column(session, "EXECUTE kept") == [CANARY]
            enter(session, 1)
            assert CANARY not in column(session, "EXECUTE kept")
        enter(session, 0)
        assert column(session, "EXECUTE kept") == []
        session.execute("SELECT set_config('fonds.archive', '', true)")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            session.execute("EXECUTE kept")


def test_a_savepoint_gives_back_the_scope_of_before(attacked: Database) -> None:
    """A step that went elsewhere and broke off leaves the request where it was."""
    with attacking(attacked, "fonds_reader") as session:
        enter(session, 1)
        session.execute("SAVEPOINT here")
        enter(session, 2)
        assert column(session, TEXTS) == [CANARY]
        session.execute("ROLLBACK TO here")
        assert one(session, "SELECT api.scope()") == 1
        assert CANARY not in column(session, TEXTS)


def test_a_scope_of_a_transaction_ends_with_it(attacked: Database) -> None:
    """Committed or not; what was set for the session before is back, and nothing else."""
    with attacking(attacked, "fonds_reader") as session:
        for end in (session.commit, session.rollback):
            enter(session, 2)
            assert column(session, TEXTS) == [CANARY]
            end()
            assert one(session, "SELECT api.scope()") == 1


def test_a_cursor_holds_what_its_own_scope_was_shown_and_goes_with_what_is_discarded(
    attacked: Database,
) -> None:
    """WITH HOLD keeps rows, not rights: it is why a pool discards every one of them."""
    with attacking(attacked, "fonds_reader") as session:
        enter(session, 1)
        session.execute(
            "DECLARE kept CURSOR WITH HOLD FOR SELECT DISTINCT text FROM served.fragment"
        )
        session.commit()
        enter(session, 2)
        assert CANARY not in column(session, "FETCH ALL FROM kept")
        session.commit()
        session.execute("CLOSE ALL")
        with pytest.raises(psycopg.errors.InvalidCursorName):
            session.execute("FETCH ALL FROM kept")


@pytest.mark.parametrize("role", ["fonds_build", "fonds_ingest"])
def test_names_laid_in_front_of_ours_are_not_ours(attacked: Database, role: str) -> None:
    """R094: functions of stronger rights pin where they look, so temporary tables with our names
    and a path that leads to them change nothing that they see or write.
    """
    with attacking(attacked, role) as session:
        for table in ("archive", "live", "fragment", "ledger", "access", "audit"):
            session.execute(
                f"CREATE TEMPORARY TABLE {table} (archive_id integer, slug text,"
                " leaving_at timestamptz)".encode()
            )
            put(session, f"pg_temp.{table}", {"archive_id": 2, "slug": "one"})
        session.execute("SET LOCAL search_path = pg_temp, private, served, api, pg_catalog")
        assert one(session, "SELECT api.open_archive('one')") == 1
        if role == "fonds_ingest":
            assert one(session, "SELECT api.was_private('note:a', '{}')") is True
        else:
            assert one(session, "SELECT api.live_build()") == 1


@pytest.mark.parametrize("role", ["fonds_build", "fonds_ingest"])
@pytest.mark.parametrize("name", ["text", "bytea", "integer", "bigint", "record", "jsonb"])
def test_types_laid_in_front_of_ours_run_with_nobody_elses_rights(
    attacked: Database, role: str, name: str
) -> None:
    """R094: a type of the session's own is found before the server's unless a path says otherwise,
    and its check runs with the rights of the function that names the type.
    """
    with attacking(attacked, role) as session:
        session.execute(
            f'CREATE DOMAIN pg_temp."{name}" AS pg_catalog.text'
            " CHECK (pg_catalog.set_config('taken.by', current_user, false) <> '')".encode()
        )
        for call in ("SELECT api.scope()", "SELECT api.open_archive('one')"):
            session.execute(call.encode())
        assert one(session, "SELECT current_setting('taken.by', true)") in {None, ""}


@pytest.mark.parametrize("role", ["fonds_build", "fonds_ingest"])
def test_a_type_of_ones_own_tells_no_key(attacked: Database, role: str) -> None:
    """R094: the check of a type may ask a table, and say in an error what it found."""
    asked = (
        "SELECT 'a'::pg_catalog.tsquery, (pg_catalog.encode(k.inner_pad, 'hex')::pg_catalog.int4)"
        "::pg_catalog.text::pg_catalog.tsquery FROM seal.scope_key k"
    )
    with attacking(attacked, role) as session:
        for name in ("text", "bytea"):
            session.execute(
                f"CREATE DOMAIN pg_temp.{name} AS pg_catalog.{name} CHECK"
                f" (pg_catalog.ts_rewrite('a', $asked${asked}$asked$) IS NOT NULL)".encode()
            )
        assert one(session, "SELECT api.scope()") == 1


def test_a_session_of_the_superuser_that_acts_as_another_is_bound_like_it(
    attacked: Database,
) -> None:
    """The premise of every test that acts as a role instead of logging in as it."""
    with psycopg.connect(attacked.admin_url) as session:
        act(session, "fonds_reader", 1)
        assert CANARY not in column(session, TEXTS)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("SELECT FROM private.fragment")
        session.rollback()
