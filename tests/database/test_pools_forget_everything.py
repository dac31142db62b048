"""A pool hands on connections, never what a borrower did on them (C02, R094, R192)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import psycopg
import pytest

from fonds.contract.failures import StoreRefused, Unavailable
from fonds.contract.near_query import NearQuery
from fonds.store import pools
from fonds.store.pools import Pool, snapshot, transaction
from fonds.store.served_store import PostgresServedStore
from tests.database import rows
from tests.database.rows import act, column
from tests.servers import Database

TURNS = 100  # of each archive
LEFTOVERS = (
    "SET work_mem = '3MB'",
    "SELECT set_config('fonds.archive', '1', false)",
    "CREATE TEMPORARY TABLE left_behind (n integer)",
    "CREATE TEMPORARY SEQUENCE counted",
    "SELECT nextval('counted')",
    "DECLARE kept CURSOR WITH HOLD FOR SELECT 1",
    "PREPARE said AS SELECT 1",
    "SELECT pg_advisory_lock(11)",
    "LISTEN here",
)
# Each answers true where nothing is left.
FORGOTTEN = (
    "SELECT current_setting('work_mem') <> '3MB'",
    "SELECT coalesce(current_setting('fonds.archive', true), '') = ''",
    "SELECT to_regclass('pg_temp.left_behind') IS NULL",
    "SELECT NOT EXISTS (SELECT FROM pg_cursors WHERE name = 'kept')",
    "SELECT NOT EXISTS (SELECT FROM pg_prepared_statements)",
    "SELECT NOT EXISTS (SELECT FROM pg_locks"
    " WHERE locktype = 'advisory' AND pid = pg_backend_pid())",
    "SELECT NOT EXISTS (SELECT FROM pg_listening_channels())",
    "SELECT session_user = current_user",
)
QUERY = NearQuery((1.0, 0.0, 0.0), (), -1.0, 10, 10)


@pytest.fixture
def two(database: Database) -> tuple[int, int]:
    """Two live archives; the second has a fragment more under the same ids."""
    with psycopg.connect(database.admin_url) as session:
        one, other = (rows.registered(session, slug) for slug in ("one", "two"))
        session.execute("RESET ROLE")
        for archive_id in (one, other):
            rows.stored(session, archive_id, public=True)
            rows.served(session, archive_id, 1, public=True)
            rows.go_live(session, archive_id, 1)
        more = {"build_id": 1, "fragment_id": "note:a#2"}
        rows.put(session, "served.fragment", rows.served_fragment(other, **rows.QUOTED | more))
        shown = {"raw": "public", "exposure": "text"}
        rows.put(session, "served.embedding", rows.served_embedding(other, **more | shown))
    return one, other


def found(pool: Pool, archive_id: int) -> list[str]:
    """What one request of the archive sees, by way of every cached plan."""
    with PostgresServedStore(pool, archive_id).reading() as reader:
        near = sorted(row.fragment_id for row in reader.nearest(QUERY).rows)
        assert sorted(reader.content(["note:a#1", "note:a#2"])) == near
        return near


def used(pool: Pool) -> int:
    """Which session of the server the pool hands out."""
    with pool.connection() as connection:
        return connection.info.backend_pid


def put_back_in_a_transaction(pool: Pool) -> None:
    connection = pool.getconn()
    for statement in LEFTOVERS:
        connection.execute(statement.encode())
    pool.putconn(connection)


def put_back_after_a_failure(pool: Pool) -> None:
    connection = pool.getconn()
    for statement in LEFTOVERS:
        connection.execute(statement.encode())
    connection.commit()
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.execute("SELECT 1 / 0")
    pool.putconn(connection)


def put_back_while_it_ends(pool: Pool) -> None:
    connection = pool.getconn()
    for statement in LEFTOVERS:
        connection.execute(statement.encode())
    connection.end()
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    pool.putconn(connection)


def put_back_committed(pool: Pool) -> None:
    with pool.connection() as connection:
        for statement in LEFTOVERS:
            connection.execute(statement.encode())


@pytest.mark.parametrize(
    "leave",
    [
        put_back_committed,
        put_back_in_a_transaction,
        put_back_after_a_failure,
        put_back_while_it_ends,
    ],
)
def test_a_returned_connection_holds_nothing_of_its_borrower(
    pool_of: Callable[..., Pool], leave: Callable[[Pool], None]
) -> None:
    """C02: no setting, archive, table, sequence, cursor, statement, lock or subscription."""
    pool = pool_of("fonds_build", size=1)
    before = used(pool)
    leave(pool)
    with pool.connection() as connection:
        assert connection.info.backend_pid == before
        assert not connection.autocommit
        for question in FORGOTTEN:
            assert connection.execute(question.encode()).fetchone() == (True,), question
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            connection.execute("SELECT lastval()")


def test_two_archives_on_one_connection_never_see_each_other(
    pool_of: Callable[..., Pool], two: tuple[int, int]
) -> None:
    """R094, C02: plans outlive a request, and hold no archive."""
    pool = pool_of("fonds_reader", size=1)
    before = used(pool)
    for _ in range(TURNS):
        assert found(pool, two[0]) == ["note:a#1"]
        assert found(pool, two[1]) == ["note:a#1", "note:a#2"]
    assert used(pool) == before


def test_a_policy_that_changes_changes_what_a_cached_plan_reads(
    database: Database, pool_of: Callable[..., Pool], two: tuple[int, int]
) -> None:
    """R094: of the table behind the scan and of the content alike, on the connection in use."""
    pool = pool_of("fonds_reader", size=1)
    before = used(pool)
    for _ in range(10):
        assert found(pool, two[0]) == ["note:a#1"]
    with psycopg.connect(database.admin_url, autocommit=True) as session:
        for table, policy in (
            ("served.embedding", "archive_is_searched"),
            ("served.fragment", "archive_reads_its_live_build"),
        ):
            kept = "archive_id = (SELECT api.scope())"
            session.execute(f"ALTER POLICY {policy} ON {table} USING (false)".encode())
            with PostgresServedStore(pool, two[0]).reading() as reader:
                near, content = reader.nearest(QUERY).rows, reader.content(["note:a#1"])
            assert (not near) == (table == "served.embedding")
            assert (not content) == (table == "served.fragment")
            session.execute(f"ALTER POLICY {policy} ON {table} USING ({kept})".encode())
            assert found(pool, two[0]) == ["note:a#1"]
        session.execute("REVOKE SELECT ON served.fragment FROM fonds_reader")
        with pytest.raises(StoreRefused, match="42501"):
            found(pool, two[0])
    assert used(pool) == before


def test_a_plan_made_for_one_role_serves_no_other(database: Database, two: tuple[int, int]) -> None:
    """R094: the superuser, whom no policy binds, and a reader share a session's plans."""
    with psycopg.connect(database.admin_url) as session:
        for _ in range(10):
            for archive_id in two:
                act(session, "fonds_reader", archive_id)
                assert column(session, "SELECT archive_id FROM api.served_build()") == [archive_id]
                act(session, rows.ADMINISTRATOR, archive_id)
                every = column(session, "SELECT archive_id FROM api.served_build()")
                assert sorted(map(str, every)) == sorted(map(str, two))
        session.rollback()


def test_a_snapshot_is_scoped_read_only_and_of_one_moment(
    pool_of: Callable[..., Pool], two: tuple[int, int]
) -> None:
    """R095: its opening is the first statement after the scope."""
    opening = """
        SELECT api.scope(), current_setting('transaction_read_only'),
               current_setting('transaction_isolation'), %(word)s"""
    word = "a 'quoted' \\ word; %s"
    with snapshot(pool_of("fonds_reader"), two[1], opening, {"word": word}) as (_, seen):
        assert seen == [(two[1], "on", "repeatable read", word)]


def test_a_failed_snapshot_leaves_its_connection_usable(
    pool_of: Callable[..., Pool], two: tuple[int, int]
) -> None:
    pool = pool_of("fonds_reader", size=1)
    before = used(pool)
    with pytest.raises(StoreRefused, match="22012"), snapshot(pool, two[0], "SELECT 1", {}) as held:
        held[0].execute("SELECT 1 / 0")
    with pytest.raises(StoreRefused, match="42P01"), snapshot(pool, two[0], "TABLE missing", {}):
        pass
    assert found(pool, two[0]) == ["note:a#1"]
    assert used(pool) == before


def test_a_statement_that_runs_away_is_ended_and_takes_nothing_with_it(
    pool_of: Callable[..., Pool], two: tuple[int, int]
) -> None:
    """The bound is the transaction's: the next borrower has the server's own."""
    pool = pool_of("fonds_reader", size=1)
    before, bound = used(pool), "SELECT current_setting('statement_timeout')"
    pool.longest_seconds = 1
    with snapshot(pool, two[0], bound, {}) as (_, seen):
        assert seen == [("1s",)]
    with pytest.raises(Unavailable), snapshot(pool, two[0], "SELECT 1", {}) as held:
        held[0].execute("SELECT pg_sleep(60)")

    with pool.connection() as connection:
        assert connection.execute(bound).fetchone() == ("0",)
    assert found(pool, two[0]) == ["note:a#1"]
    assert used(pool) == before


@pytest.mark.parametrize("rest", [0.0, 60.0])
def test_requests_are_served_after_the_server_ended_every_session(
    database: Database,
    pool_of: Callable[..., Pool],
    two: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
    rest: float,
) -> None:
    """Asked or looked at, no connection that is gone is handed out."""
    monkeypatch.setattr(pools, "ASKED_AFTER_SECONDS", rest)
    pool = pool_of("fonds_reader", size=3)
    with ExitStack() as stack:
        pids = {stack.enter_context(pool.connection()).info.backend_pid for _ in range(3)}
    assert len(pids) == 3
    with psycopg.connect(database.admin_url, autocommit=True) as session:
        ended = session.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM unnest(%s::integer[]) AS pid",
            (list(pids),),
        ).fetchall()
    assert ended == [(True,)] * 3
    assert [found(pool, two[0]) for _ in range(6)] == [["note:a#1"]] * 6


def test_a_session_that_ends_while_borrowed_is_replaced(
    database: Database, pool_of: Callable[..., Pool], two: tuple[int, int]
) -> None:
    pool = pool_of("fonds_build", size=1)
    with transaction(pool, two[0]), psycopg.connect(database.admin_url) as session:
        pid = session.execute(
            "SELECT pid FROM pg_stat_activity WHERE usename = 'fonds_build'"
            " AND datname = current_database()"
        ).fetchone()
        assert pid is not None
    connection = pool.getconn()
    with psycopg.connect(database.admin_url) as session:
        session.execute("SELECT pg_terminate_backend(%s, 5000)", pid)
    pool.putconn(connection)
    assert connection.closed
    assert (used(pool),) != pid


def test_a_session_that_ends_before_it_forgot_is_replaced(
    database: Database, pool_of: Callable[..., Pool]
) -> None:
    pool = pool_of("fonds_build", size=1)
    connection = pool.getconn()
    pid = connection.info.backend_pid
    with psycopg.connect(database.admin_url) as session:
        session.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    connection.end()
    pool.putconn(connection)
    assert connection.closed
    assert used(pool) != pid


def test_a_connection_left_in_the_middle_of_a_statement_is_closed(
    pool_of: Callable[..., Pool],
) -> None:
    """Its statement may run for long: nobody waits for it, and nobody gets the connection."""
    pool = pool_of("fonds_build", size=1)
    connection = pool.getconn()
    pid = connection.info.backend_pid
    connection.pgconn.send_query(b"SELECT pg_sleep(60)")
    pool.putconn(connection)
    assert connection.closed
    assert used(pool) != pid
