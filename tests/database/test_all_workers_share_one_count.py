"""The limiter a worker has: one count over all workers, apart from the work, and no count, no
search (R187, C24).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import LiteralString

import psycopg
import pytest

from fonds.contract.caller import Caller
from fonds.contract.failures import Unavailable
from fonds.store import pools
from fonds.store.limiter import PostgresLimiter
from fonds.store.pools import Pool, open_pool, transaction
from fonds.store.scope import Login
from tests.database import rows
from tests.database.at_once import at_once, told, within_one_day
from tests.database.limits import allow, digest
from tests.database.rows import cloned
from tests.scopes import enter
from tests.servers import Database, TestServer

KEY = Caller("key", "1")
STRANGER = Caller("address", "2001:db8:1:2::/64", "2001:db8:1::/48")
ENDLESS: LiteralString = "SELECT FROM private.limit_day WHERE archive_id = %s FOR UPDATE"


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    """Where a count waits for as long as the machine takes, since waits are not what is asked."""
    with cloned(server, template) as made:
        with psycopg.connect(made.admin_url) as session:
            for name in ("take", "charge_private"):
                session.execute(f"ALTER FUNCTION api.{name} SET lock_timeout = '60s'".encode())
        yield made


@pytest.fixture
def limiters(shared: Database) -> Generator[tuple[PostgresLimiter, PostgresLimiter]]:
    """Two workers, each with a pool of its own."""
    with ExitStack() as stack:
        one, other = (open_pool(shared.login("fonds_reader")) for _ in range(2))
        stack.callback(one.close)
        stack.callback(other.close)
        yield PostgresLimiter(one), PostgresLimiter(other)


@pytest.fixture
def new_archive(shared: Database) -> Callable[..., int]:
    """Registers an archive with terms of access."""

    def register(**terms: object) -> int:
        with psycopg.connect(shared.admin_url) as session:
            archive_id = rows.registered(session, f"archive-{secrets.token_hex(4)}")
            allow(session, archive_id, **terms)
        return archive_id

    return register


def test_workers_together_admit_what_the_limit_says(
    shared: Database,
    limiters: tuple[PostgresLimiter, PostgresLimiter],
    new_archive: Callable[..., int],
) -> None:
    """Eight threads over two pools, from the first row on; none is counted twice or forgotten."""

    def attempt() -> list[str]:
        archive_id = new_archive(caller_per_day=11)
        take = [lambda one=one: one.take(archive_id, KEY) for one in limiters * 4]
        return at_once([[each] * 4 for each in take])

    answers = within_one_day(shared, attempt)
    assert {answer: answers.count(answer) for answer in answers} == {"counted": 11, "day": 21}


def test_an_archives_day_holds_over_callers_who_come_together(
    shared: Database,
    limiters: tuple[PostgresLimiter, PostgresLimiter],
    new_archive: Callable[..., int],
) -> None:
    def attempt() -> list[str]:
        archive_id = new_archive(archive_per_day=10)
        callers = [replace(STRANGER, identity=f"192.0.2.{number}") for number in range(4)]
        return at_once(
            [
                [lambda each=each, one=one: one.take(archive_id, each)] * 3
                for each in callers
                for one in limiters
            ]
        )

    answers = within_one_day(shared, attempt)
    assert {answer: answers.count(answer) for answer in answers} == {"counted": 5, "archive": 19}


def test_a_budget_is_never_overdrawn_by_questions_that_come_together(
    shared: Database,
    limiters: tuple[PostgresLimiter, PostgresLimiter],
    new_archive: Callable[..., int],
) -> None:
    """Takes and charges of one network, mixed: no circle of waits, no question too many."""

    def attempt() -> list[str]:
        archive_id = new_archive(private_per_day=4, caller_per_minute=1000)
        for _ in range(4):
            limiters[0].take(archive_id, STRANGER)

        def charge(one: PostgresLimiter, number: int) -> None:
            one.charge_private(archive_id, STRANGER, digest(f"question {number % 8}"))

        return at_once(
            [
                [lambda one=one, n=n: charge(one, n) for n in range(start, start + 8)]
                for start, one in enumerate(limiters * 3)
            ]
        )

    answers = within_one_day(shared, attempt)
    assert set(answers) == {"counted", "private"}
    with psycopg.connect(shared.admin_url) as session:
        found = session.execute(
            "SELECT questions FROM private.caller_day ORDER BY archive_id DESC LIMIT 2"
        ).fetchall()
    assert found == [(4,), (4,)], "the caller's row, and its network's"


def test_a_count_stands_whatever_becomes_of_the_work(
    shared: Database,
    limiters: tuple[PostgresLimiter, PostgresLimiter],
    new_archive: Callable[..., int],
) -> None:
    with open_pool(shared.login("fonds_reader"), read_only=True) as searching:

        def attempt() -> list[str]:
            archive_id = new_archive(private_per_day=1)
            with suppress(ZeroDivisionError), transaction(searching, archive_id):
                limiters[0].take(archive_id, KEY)
                limiters[0].charge_private(archive_id, KEY, digest("a question"))
                raise ZeroDivisionError
            return [told(lambda: limiters[1].take(archive_id, KEY))]

        assert within_one_day(shared, attempt) == ["private"]


def test_who_sits_at_the_machine_is_not_counted(
    limiters: tuple[PostgresLimiter, PostgresLimiter], new_archive: Callable[..., int]
) -> None:
    archive_id = new_archive(caller_per_day=1, private_per_day=1)
    for number in range(3):
        limiters[0].take(archive_id, Caller("local", "owner"))
        limiters[0].charge_private(archive_id, Caller("local", "owner"), digest(str(number)))
    assert told(lambda: limiters[0].take(archive_id, KEY)) == "counted"


def test_a_login_that_only_reads_by_default_counts_all_the_same(
    shared: Database,
    limiters: tuple[PostgresLimiter, PostgresLimiter],
    new_archive: Callable[..., int],
) -> None:
    def attempt() -> list[str]:
        archive_id = new_archive(caller_per_day=1)
        return [told(lambda: limiters[0].take(archive_id, KEY)) for _ in range(2)]

    role = f"ALTER ROLE fonds_reader IN DATABASE {shared.name} "
    with psycopg.connect(shared.admin_url, autocommit=True) as session:
        for default in ("read_only = on", "isolation = serializable"):
            session.execute(f"{role} SET default_transaction_{default}".encode())
        try:
            assert within_one_day(shared, attempt) == ["counted", "day"]
        finally:
            session.execute(f"{role} RESET ALL".encode())


def test_a_take_does_not_wait_for_the_disk_and_a_charge_does(
    shared: Database, new_archive: Callable[..., int]
) -> None:
    archive_id = new_archive()
    for call, waits in (
        ("SELECT api.take('key', '1', NULL)", "off"),
        ("SELECT api.charge_private('key', '1', NULL, sha256(''))", "on"),
    ):
        with psycopg.connect(shared.url("fonds_reader")) as session:
            session.execute("SET synchronous_commit = " + ("on" if waits == "off" else "off"))
            enter(session, archive_id)
            session.execute(call.encode())
            assert session.execute("SHOW synchronous_commit").fetchone() == (waits,)


@pytest.mark.parametrize("isolation", list(psycopg.IsolationLevel))
def test_a_reader_that_chooses_its_isolation_gains_nothing(
    shared: Database,
    limiters: tuple[PostgresLimiter, PostgresLimiter],
    new_archive: Callable[..., int],
    isolation: psycopg.IsolationLevel,
) -> None:
    """A snapshot from before the last request was counted is an error, or the limit."""

    def attempt() -> list[str]:
        archive_id = new_archive(caller_per_day=1)
        with psycopg.connect(shared.url("fonds_reader")) as session:
            session.isolation_level = isolation
            enter(session, archive_id)
            limiters[0].take(archive_id, KEY)
            try:
                found = session.execute("SELECT limit_hit FROM api.take('key', '1', NULL)")
                return [str(found.fetchone())]
            except (psycopg.errors.SerializationFailure, psycopg.errors.UniqueViolation):
                return ["an error"]

    assert within_one_day(shared, attempt) in (["('day',)"], ["an error"])


def test_where_nothing_can_be_counted_nothing_is_let_in(
    shared: Database,
    limiters: tuple[PostgresLimiter, PostgresLimiter],
    new_archive: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No database, no right, no terms, a row that somebody holds: each is Unavailable."""
    archive_id = new_archive()
    one = limiters[0]
    one.take(archive_id, KEY)
    with psycopg.connect(shared.admin_url, autocommit=True) as session:
        session.execute("ALTER FUNCTION api.take SET lock_timeout = '1ms'")
        with session.transaction():
            session.execute(ENDLESS, (archive_id,))
            with pytest.raises(Unavailable, match="SQLSTATE 55P03"):
                one.take(archive_id, KEY)
        session.execute("ALTER FUNCTION api.take SET lock_timeout = '60s'")
        one.take(archive_id, KEY)
        session.execute("REVOKE EXECUTE ON FUNCTION api.take FROM fonds_reader")
        with pytest.raises(Unavailable, match="SQLSTATE 42501"):
            one.take(archive_id, KEY)
        session.execute("GRANT EXECUTE ON FUNCTION api.take TO fonds_reader")
        session.execute("DELETE FROM private.access WHERE archive_id = %s", (archive_id,))
        with pytest.raises(Unavailable, match="SQLSTATE 55000"):
            one.take(archive_id, KEY)
    monkeypatch.setattr(pools, "CONNECT_SECONDS", 1)  # how long a pool looks for a server
    with (
        open_pool(Login("nobody", "postgresql://nobody@127.0.0.1:1/nothing")) as nowhere,
        pytest.raises(Unavailable),
    ):
        PostgresLimiter(nowhere).take(archive_id, KEY)


def test_no_caller_and_no_question_is_in_an_error(
    limiters: tuple[PostgresLimiter, PostgresLimiter], new_archive: Callable[..., int]
) -> None:
    archive_id = new_archive(caller_per_day=1)
    for caller in (Caller("address", "zebrawood zebrawood"), Caller("key", "zebrawood" * 9)):
        with pytest.raises(Unavailable) as refusal:
            limiters[0].take(archive_id, caller)
        assert "zebrawood" not in repr(refusal.value) + repr(caller)
        assert refusal.value.__cause__ is None
    with pytest.raises(Unavailable, match="22023"):
        limiters[0].charge_private(archive_id, KEY, b"zebrawood")


def test_a_connection_comes_back_wiped(
    limiters: tuple[PostgresLimiter, PostgresLimiter], new_archive: Callable[..., int]
) -> None:
    archive_id = new_archive()
    limiters[0].take(archive_id, KEY)
    pool: Pool = limiters[0].pool
    with pool.connection() as connection:
        assert not connection.autocommit
        left = connection.execute(
            "SELECT current_setting('fonds.archive', true),"
            " current_setting('synchronous_commit'), current_setting('lock_timeout')"
        ).fetchone()
    assert left == ("", "on", "0")
