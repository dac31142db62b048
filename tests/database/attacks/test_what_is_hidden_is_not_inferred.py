"""Plans, statistics, errors and views of the server tell nothing of a hidden row's words (R094)."""

from __future__ import annotations

from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from fonds.store.databases import ROLES
from tests.database.attacks.stage import CANARY, attacking
from tests.database.rows import Session, act, column, one
from tests.scopes import scoped
from tests.servers import Database


def plan(session: Session, condition: sql.Composed) -> tuple[int, float]:
    """Rows and cost that the planner expects of a reader's look at the fragments."""
    explain = sql.SQL("EXPLAIN (FORMAT JSON) SELECT FROM served.fragment WHERE ")
    found = session.execute(explain + condition).fetchone()
    assert found is not None
    told: dict[str, Any] = found[0][0]["Plan"]
    return told["Plan Rows"], told["Total Cost"]


HIDDEN_AND_ABSENT: tuple[tuple[LiteralString, str, str], ...] = (
    ("text = {}", CANARY, "nowhere at all"),
    ("label = {}", CANARY, "nowhere at all"),
    ("fragment_id = {}", "note:a#more-7", "note:b#more-7"),
    ("date = {}", "1911-05-06", "1871-01-01"),
    ("date_start = {}", "1911-05-06", "1871-01-01"),
    ("date_start < {}", "1912-01-01", "1801-01-01"),
    ("date_end >= {}", "1911-01-01", "1999-01-01"),
)


@pytest.mark.parametrize(("condition", "hidden", "absent"), HIDDEN_AND_ABSENT)
def test_a_plan_guesses_alike_of_what_is_hidden_and_of_what_is_nowhere(
    attacked: Database, condition: LiteralString, hidden: str, absent: str
) -> None:
    """R094: such an operator is leakproof, so statistics would speak of every archive's rows, of
    which six hundred have the hidden value.
    """
    with attacking(attacked, "fonds_reader") as session:
        plans = [plan(session, sql.SQL(condition).format(one)) for one in (hidden, absent)]
    assert plans[0] == plans[1]


def test_what_a_plan_goes_by_is_seen_where_statistics_are_kept(attacked: Database) -> None:
    """The tests above can fail."""
    with psycopg.connect(attacked.admin_url) as admin:
        admin.execute("ALTER TABLE served.fragment ALTER COLUMN date_start SET STATISTICS 100")
        admin.execute("ANALYZE served.fragment")
        act(admin, "fonds_reader", 1)
        condition, hidden, absent = HIDDEN_AND_ABSENT[4]
        plans = [plan(admin, sql.SQL(condition).format(one)) for one in (hidden, absent)]
        admin.rollback()
    assert plans[0] != plans[1]


@pytest.mark.parametrize("role", ["fonds_reader", "fonds_host", "fonds_queue"])
def test_no_statistics_are_shown_to_who_reads_no_table(attacked: Database, role: str) -> None:
    with attacking(attacked, role) as session:
        for view in ("pg_stats", "pg_stats_ext", "pg_stats_ext_exprs"):
            shown = session.execute(
                sql.SQL(
                    "SELECT s::text FROM {} s WHERE schemaname IN ('private', 'served')"
                ).format(sql.Identifier(view))
            ).fetchall()
            assert [row for row in shown if CANARY in str(row)] == []
            if role != "fonds_reader":
                assert shown == []


def test_nobody_sees_what_another_login_says(attacked: Database) -> None:
    """R097: not its statement, its address nor when; a login's own sessions are its own."""
    with attacking(attacked, "fonds_curator", 2) as busy:
        busy.execute("SELECT 'CANARY-9d2' AS said")
        pid = busy.info.backend_pid
        for role in set(ROLES) - {"fonds_curator"}:
            with attacking(attacked, role) as session:
                told = session.execute(
                    "SELECT query, client_addr, xact_start, state FROM pg_stat_activity"
                    " WHERE pid = %s",
                    (pid,),
                ).fetchone()
                assert told == ("<insufficient privilege>", None, None, None)


def test_a_sequence_tells_nobody_how_far_it_is(attacked: Database) -> None:
    with attacking(attacked, "fonds_reader") as session:
        told = column(session, "SELECT last_value FROM pg_sequences WHERE schemaname = 'private'")
    assert set(told) == {None}


@pytest.mark.parametrize(
    "asked",
    [
        "INSERT INTO served.fragment SELECT * FROM served.fragment",
        "SELECT (text || 'x')::integer FROM served.fragment",
        "SELECT 1 / (length(text) - length('CANARY-9d2')) FROM served.fragment",
        "SELECT text::xml FROM served.fragment",
    ],
)
def test_no_error_holds_a_hidden_value(attacked: Database, asked: LiteralString) -> None:
    """R097: a cast, a division or a refused row meets no row that the policy hides."""
    with attacking(attacked, "fonds_reader") as session:
        told = ""
        try:
            session.execute(asked)
        except psycopg.Error as trouble:
            told = f"{trouble.sqlstate} {trouble} {trouble.diag.message_detail}"
    assert CANARY not in told
    assert "22012" not in told, "it divided by the length of a hidden row"


def test_a_limit_every_login_is_told_how_large_tables_are(attacked: Database) -> None:
    """Postgres tells anybody rows and pages of every table, over all archives together."""
    with attacking(attacked, "fonds_reader") as session:
        size = "SELECT pg_table_size(oid) FROM pg_class WHERE relname = 'projection'"
        assert one(session, size)
        rows = "SELECT reltuples FROM pg_class WHERE relname = 'fragment' ORDER BY 1"
        assert column(session, rows) == [3.0, 603.0]


def test_a_limit_a_reader_is_told_about_how_many_rows_another_archive_has(
    attacked: Database,
) -> None:
    """Numbers of archives, builds and cells are what plans go by; and what a scan passed over is
    counted. Of numbers alone: no word, no date, no name.
    """
    with attacking(attacked, "fonds_reader") as session:
        rows, _ = plan(session, sql.SQL("archive_id = {}").format(2))
        assert rows > plan(session, sql.SQL("archive_id = {}").format(3))[0]
        passed = "EXPLAIN (ANALYZE, FORMAT JSON) SELECT FROM served.fragment WHERE text <> ''"
        found = session.execute(passed.encode()).fetchone()
        assert found is not None
        assert "CANARY" not in str(found)


@pytest.mark.parametrize("role", ["fonds_reader", "fonds_host", "fonds_queue"])
def test_a_limit_every_login_is_told_what_is_locked(attacked: Database, role: str) -> None:
    """By which process, in which table and at which place in it, with which key; no row, no word,
    no archive but in the name of a copy of vectors.
    """
    shown = "SELECT l.relation::regclass::text, l::text FROM pg_locks l WHERE pid = %s"
    with attacking(attacked, "fonds_curator", 2) as busy, attacking(attacked, role) as session:
        busy.execute("SELECT pg_advisory_xact_lock(4242)")
        busy.execute("UPDATE private.projection SET gist = gist || %s", (f" {CANARY}",))
        told = session.execute(shown, (busy.info.backend_pid,)).fetchall()
    assert {"private.projection", "private.narrowing"} <= {table for table, _ in told}
    assert any(",4242," in row for _, row in told)
    assert CANARY not in str(told)


def test_a_limit_every_login_is_told_how_a_copy_of_vectors_is_used(attacked: Database) -> None:
    """The copy of a build is a table of its own: how many vectors it holds, how many left it and
    how often it was searched, Postgres counts by table and shows to anybody. Not what it holds.
    """
    counted = (
        "SELECT n_live_tup, n_tup_del FROM pg_stat_all_tables WHERE relname = 'near_2_1'"
        " AND schemaname = 'indexes'"
    )
    with (
        scoped(attacked.url("fonds_build"), 2) as build,
        attacking(attacked, "fonds_queue") as session,
    ):
        try:
            build.execute("SELECT api.make_index(1, 8, 64, 20, 1), pg_stat_force_next_flush()")
            assert session.execute(counted).fetchall() != []
            with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute("SELECT FROM indexes.near_2_1")
        finally:
            build.execute("SELECT api.drop_index(1)")


def test_a_limit_who_writes_may_hold_a_table_against_everybody(attacked: Database) -> None:
    """With the build's password alone, whatever the archive: whoever may change rows may lock
    their table, for as long as its session lasts. The right to change one column does not do.
    """
    with (
        psycopg.connect(attacked.url("fonds_build")) as thief,
        attacking(attacked, "fonds_reader") as reader,
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), thief.transaction():
            thief.execute("LOCK TABLE private.archive IN ACCESS EXCLUSIVE MODE")
        thief.execute("LOCK TABLE served.live IN ACCESS EXCLUSIVE MODE")
        reader.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable), reader.transaction():
            reader.execute("SELECT api.live_build()")
        thief.rollback()
        assert one(reader, "SELECT api.live_build()") == 1


def test_a_limit_a_login_hinders_its_own_sessions_and_calls_on_any_channel(
    attacked: Database,
) -> None:
    """Keys of advisory locks, channels and sessions of one login are anybody's who holds it; so
    nothing of ours waits for such a key, and no message on a channel is trusted for what it says.
    """
    with (
        attacking(attacked, "fonds_reader") as session,
        attacking(attacked, "fonds_reader", 2) as other,
        attacking(attacked, "fonds_build") as build,
    ):
        session.execute("NOTIFY anything, 'from anybody'")
        assert one(session, "SELECT pg_try_advisory_lock(1)") is True
        assert one(build, "SELECT pg_try_advisory_lock(1)") is False
        build.rollback()
        pids = (build.info.backend_pid, other.info.backend_pid)
        with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute("SELECT pg_terminate_backend(%s)", pids[:1])
        assert one(session, "SELECT pg_terminate_backend(%(pid)s, 60000)", pid=pids[1]) is True
