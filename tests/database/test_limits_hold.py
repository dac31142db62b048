"""What a caller, a network and an archive may ask in a minute and a day, by a clock the test moves
(R187, C24).
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.database import rows
from tests.database.limits import AT_HOME, KEY, allow, counting
from tests.database.rows import Session, act, cloned, rolled_back
from tests.servers import Database, TestServer

MINUTE = timedelta(seconds=60)
MIDNIGHT = datetime(2031, 5, 7, tzinfo=UTC)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    with rolled_back(shared) as made:
        yield made


def stranger(number: int, network: str | None = None) -> tuple[str, str, str | None]:
    return ("address", f"198.51.100.{number}", network)


def test_a_minutes_worth_is_counted_and_the_next_request_is_told_when(session: Session) -> None:
    with counting(session) as it:
        assert it.take() == (None, 0)
        assert it.takes(59) == 59
        limit, seconds = it.take()
        assert limit == "minute"
        it.later(seconds=seconds - 1)
        assert it.take()[0] == "minute"
        it.later(seconds=1)
        assert it.takes(61) == 60


def test_callers_of_every_kind_are_told_apart(session: Session) -> None:
    """An address that reads like a key's id is another caller."""
    with counting(session, caller_per_minute=1) as it:
        for caller in (KEY, ("key", "2", None), ("address", "1", None), AT_HOME):
            assert (it.take(caller)[0], it.take(caller)[0]) == (None, "minute")


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 9_000), min_size=1, max_size=60), st.integers(1, 6))
def test_no_minute_holds_more_than_a_minutes_worth(
    shared: Database, gaps: list[int], allowed: int
) -> None:
    """However requests lie: none too many in any sixty seconds, and none refused that has the
    sixty-five seconds before it free.
    """
    with rolled_back(shared) as made, counting(made, caller_per_minute=allowed) as it:
        taken: list[datetime] = []
        for gap in gaps:
            it.later(milliseconds=gap)
            limit, seconds = it.take()
            if limit is None:
                taken.append(it.at)
                assert sum(it.at - MINUTE < at for at in taken) <= allowed
            else:
                assert sum(it.at - timedelta(seconds=65) < at for at in taken) >= allowed
                it.later(seconds=seconds)
                assert it.take() == (None, 0), "it came back when it was told to"
                taken.append(it.at)


def test_midnight_gives_nobody_a_second_minute(session: Session) -> None:
    """The key changes with the day; what its last minute counted is found by the old one."""
    with counting(session) as it:
        it.at = MIDNIGHT - timedelta(seconds=2)
        assert it.takes(61) == 60
        before = it.day()
        it.later(seconds=3)
        assert it.take()[0] == "minute"
        assert it.take(AT_HOME)[0] is None
        assert it.day()["day_key"] != before["day_key"] == it.day()["key_before"]
        it.at = MIDNIGHT + timedelta(seconds=65)
        assert it.takes(61) == 60
        assert it.day()["key_before"] is None, "and then the old one is gone"


def test_a_callers_day_is_counted_and_ends_at_midnight(session: Session) -> None:
    with counting(session, caller_per_day=3) as it:
        assert it.takes(3) == 3
        assert it.take() == ("day", 12 * 3600)
        assert it.take(("key", "2", None)) == (None, 0)
        it.at = MIDNIGHT - timedelta(milliseconds=1)
        assert it.take() == ("day", 1)
        it.at = MIDNIGHT
        assert it.takes(4) == 3


def test_an_archives_day_is_everybodys(session: Session) -> None:
    with counting(session, archive_per_day=4) as it:
        assert it.takes(3) == 3
        assert it.take(("key", "2", None))[0] is None
        assert it.take(("key", "3", None)) == ("archive", 12 * 3600)
        assert it.take(KEY)[0] == "archive"


def test_strangers_together_have_half_of_an_archives_day(session: Session) -> None:
    """However many addresses they come from, the keys have the other half."""
    with counting(session, archive_per_day=8) as it:
        assert [it.take(stranger(number))[0] for number in range(6)] == [None] * 4 + ["archive"] * 2
        assert it.takes(5) == 4
        assert it.take()[0] == "archive"


def test_a_network_has_four_times_a_callers_allowance(session: Session) -> None:
    near, far = "2001:db8:1::/48", "2001:db8:2::/48"
    with counting(session, caller_per_minute=2) as it:
        counted = [it.take(stranger(number, near))[0] for number in range(10)]
        assert counted == [None] * 8 + ["minute"] * 2
        assert it.take(stranger(99, far))[0] is None
        assert it.take(stranger(98))[0] is None
    with counting(session, "by-day", caller_per_day=2) as it:
        counted = [it.take(stranger(number, near))[0] for number in range(10)]
        assert counted == [None] * 8 + ["day"] * 2


def test_what_is_refused_uses_nothing_up(session: Session) -> None:
    """A refused flood silences nobody, and makes no row."""
    with counting(session, caller_per_minute=1, archive_per_day=10) as it:
        assert it.takes(30) == 1
        assert it.day()["requests"] == 1
        assert [it.take(stranger(number))[0] for number in range(50)].count(None) == 5
        assert it.count("caller_day") == 6
        assert it.take(("key", "2", None))[0] is None


def test_limits_that_are_lowered_hold_at_once(session: Session) -> None:
    with counting(session) as it:
        assert it.takes(5) == 5
        allow(session, it.archive_id, caller_per_day=5)
        assert it.take()[0] == "day"
        allow(session, it.archive_id, caller_per_minute=5)
        assert it.take()[0] == "minute"


def test_archives_are_counted_apart(session: Session) -> None:
    with counting(session, caller_per_day=2) as one, counting(session, "other") as other:
        assert one.takes(3) == 2
        assert other.takes(3) == 3
        assert (one.day()["requests"], other.day()["requests"]) == (2, 3)


def test_a_clock_that_was_put_back_gives_no_day_away_and_ends_none(session: Session) -> None:
    with counting(session, caller_per_minute=2, caller_per_day=5) as it:
        assert it.takes(3) == 2
        it.later(seconds=-30)
        assert it.take()[0] == "minute"
        it.later(hours=-3)
        assert it.takes(3) == 2
        it.later(hours=-12)
        assert it.takes(3) == 1, "the day that has begun goes on"
        assert it.take()[0] == "day"
        it.later(days=-400)
        assert it.takes(3) == 2, "a clock that was a year ahead locks nobody out for a year"


def test_without_terms_nothing_is_let_in(session: Session) -> None:
    with counting(session) as it:
        act(session, rows.ADMINISTRATOR, it.archive_id)
        session.execute("DELETE FROM private.access")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="no terms of access"):
            it.take()


@pytest.mark.parametrize(
    "caller",
    [
        ("key", None, None),
        (None, "1", None),
        ("local", "1", None),
        ("key", "", None),
        ("key", "x" * 65, None),
        ("key", "1\n", None),
        ("key", "1'--", None),
        ("key", "1", "2001:db8::/48"),
        ("address", "203.0.113.7", "x" * 65),
        ("address", "203.0.113.7", ""),
    ],
)
def test_a_caller_out_of_shape_is_an_error_and_leaves_no_row(
    session: Session, caller: tuple[str, str, str | None]
) -> None:
    with counting(session) as it:
        with pytest.raises(psycopg.errors.InvalidParameterValue), session.transaction():
            it.take(caller)
        with pytest.raises(psycopg.errors.InvalidParameterValue), session.transaction():
            it.charge("q", caller)
        assert (it.count("caller_day"), it.count("limit_day")) == (0, 0)


def test_rows_tell_of_no_caller(session: Session) -> None:
    """Hashes of the day's key: on another day, or at another archive, the same is another."""
    with counting(session) as it, counting(session, "other") as other:
        callers: list[object] = []
        questions: list[object] = []
        for _ in range(2):
            for counted in (it, other):
                assert counted.asks("a question", AT_HOME) is None
                counted.later(days=1)
            act(session, rows.ADMINISTRATOR, it.archive_id)
            callers += rows.column(session, "SELECT who FROM private.caller_day")
            questions += rows.column(session, "SELECT question FROM private.charged_question")
            told = rows.column(session, "SELECT c::text FROM private.caller_day c")
            assert "203.0.113" not in str(told)
    assert len(callers) == len(set(callers)) == 4, "and yesterday's have gone"
    assert (len(questions), len(set(questions))) == (8, 4)  # for the caller, and for all strangers


def test_days_that_are_over_go_also_of_an_archive_nobody_asks(session: Session) -> None:
    """Keys first of all: what they hashed tells nothing from then on. Bounded a request."""
    today = session.execute("SELECT date_trunc('day', now(), 'UTC')").fetchone()
    assert today is not None
    with counting(session) as it, counting(session, "idle") as idle:
        act(session, rows.ADMINISTRATOR, idle.archive_id)
        session.execute(
            "INSERT INTO private.limit_day (archive_id, day, day_key)"
            " VALUES (%s, %s::date - 1, decode(repeat('ab', 32), 'hex'))",
            (idle.archive_id, today[0].date()),
        )
        session.execute(
            "INSERT INTO private.caller_day SELECT %s, %s::date - 1, sha256(n::text::bytea), 1,"
            " 0, 1, array_fill(0, ARRAY[13]) FROM generate_series(1, 700) AS n",
            (idle.archive_id, today[0].date()),
        )
        it.at = today[0] + timedelta(seconds=64)
        it.take()
        assert idle.count("limit_day") == 2, "while the first minute lasts, the old key is needed"
        it.at = today[0] + timedelta(hours=1)
        assert it.takes(32) == 32
        assert it.count("limit_day") == 1
        assert it.count("caller_day") == 1 + 200
        it.later(minutes=2)
        it.takes(32)
        assert it.count("caller_day") == 1


def test_a_day_that_is_not_over_stays(session: Session) -> None:
    """The policy lets the counting see, and delete, nothing of another archive but what is over."""
    with counting(session) as it, counting(session, "other") as other:
        row = session.execute("SELECT now()").fetchone()
        assert row is not None
        other.at = row[0]
        other.take()
        act(session, "fonds_limiter", it.archive_id)
        for statement in (
            "DELETE FROM private.limit_day",
            "UPDATE private.caller_day SET requests = 0",
            "DELETE FROM private.charged_question",
        ):
            assert session.execute(statement.encode()).rowcount == 0
        assert rows.column(session, "SELECT archive_id FROM private.caller_day") == []
