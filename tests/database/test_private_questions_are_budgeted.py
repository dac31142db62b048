"""How many distinct questions a day surface private hits: what bounds the score oracle (R187)."""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC, datetime, timedelta

import pytest

from tests.database import rows
from tests.database.limits import KEY, Counting, allow, counting, served_with
from tests.database.rows import Session, act, cloned, rolled_back
from tests.servers import Database, TestServer

MIDNIGHT = datetime(2031, 5, 7, tzinfo=UTC)
NEAR, FAR = "2001:db8:1::/48", "2001:db8:2::/48"
OTHER_KEY = ("key", "2", None)


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


def charged(it: Counting, *callers: tuple[str, str, str | None]) -> int:
    """How many questions, a new one each, these callers in turn may ask until all are refused."""
    done = 0
    refused = 0
    while refused < len(callers):
        caller = callers[done % len(callers)]
        unasked = f"question {it.count('charged_question')}"
        refused = 0 if it.asks(unasked, caller) is None else refused + 1
        done += 1
    return done - refused


@pytest.mark.parametrize(("dimensions", "allowed"), [(384, 192), (3, 1), (1, 1)])
def test_without_a_word_of_the_author_it_is_half_of_the_dimensions(
    session: Session, dimensions: int, allowed: int
) -> None:
    with counting(session, caller_per_minute=1000) as it:
        served_with(session, it.archive_id, dimensions)
        for number in range(allowed):
            assert it.asks(f"question {number}") is None
        assert it.take() == ("private", 12 * 3600)


def test_the_authors_word_stands_above_it(session: Session) -> None:
    with counting(session, private_per_day=2) as it:
        served_with(session, it.archive_id, 384)
        assert charged(it, KEY) == 2


def test_a_question_counts_once_a_day(session: Session) -> None:
    with counting(session, private_per_day=2) as it:
        for question in ("one", "two", "one"):
            it.take(OTHER_KEY)
            assert it.charge(question, OTHER_KEY) == (None, 0)
        assert it.asks("one") is None
        assert it.asks("one") is None
        assert it.asks("two") is None
        assert it.charge("one") == (None, 0), "known questions are free even now"
        assert it.charge("three") == ("private", 12 * 3600)


def test_when_it_is_used_up_every_request_is_refused(session: Session) -> None:
    """Were it those alone that touch private material, the refusal would tell which they are."""
    with counting(session, private_per_day=1) as it:
        assert it.asks("one") is None
        assert it.takes(3) == 0, "before anything is searched, whatever is asked"
        assert it.take(OTHER_KEY)[0] is None
        it.at = MIDNIGHT
        assert it.asks("one") is None
        assert it.take()[0] == "private"


def test_a_network_has_twice_a_callers_budget(session: Session) -> None:
    with counting(session, private_per_day=3) as it:
        assert charged(it, *(stranger(number, NEAR) for number in range(4))) == 6
        assert it.take(stranger(7, NEAR))[0] == "private"
        assert it.asks("from elsewhere", stranger(8, FAR)) is None


def test_strangers_together_have_four_times_a_callers_budget(session: Session) -> None:
    """Whoever gathers addresses gains no more; keys are not touched."""
    with counting(session, private_per_day=2) as it:
        assert charged(it, *(stranger(number) for number in range(12))) == 8
        assert it.take(stranger(99))[0] == "private"
        assert charged(it, KEY, OTHER_KEY) == 4


def test_what_many_ask_counts_once_for_all_of_them(session: Session) -> None:
    with counting(session, private_per_day=2) as it:
        for number in range(20):
            assert it.asks("what everybody asks", stranger(number, NEAR)) is None
        assert it.day()["stranger_questions"] == 1
        assert it.asks("another", stranger(30, NEAR)) is None


def test_a_refused_charge_writes_nothing(session: Session) -> None:
    with counting(session, private_per_day=1) as it:
        assert it.asks("one", stranger(1, NEAR)) is None
        before = (it.count("charged_question"), it.day())
        assert it.charge("two", stranger(1, NEAR))[0] == "private"
        assert (it.count("charged_question"), it.day()) == before


def test_no_question_without_a_request(session: Session) -> None:
    """Rows never outnumber what the limits allow, whatever a caller's process does."""
    with counting(session, archive_per_day=3) as it:
        served_with(session, it.archive_id, 384)
        counted = [it.charge(f"q{number}", ("key", str(number), None)) for number in range(5)]
        assert [limit for limit, _ in counted] == [None] * 3 + ["archive"] * 2
        assert it.day()["requests"] == 3
        assert (it.count("caller_day"), it.count("charged_question")) == (3, 3)


def test_a_reply_that_leaves_after_midnight_is_charged_to_the_new_day(session: Session) -> None:
    with counting(session, private_per_day=1) as it:
        it.at = MIDNIGHT - timedelta(seconds=1)
        it.take(stranger(1, NEAR))
        it.later(seconds=2)
        assert it.charge("one", stranger(1, NEAR)) == (None, 0)
        day = it.day()
        assert (day["stranger_requests"], day["stranger_questions"]) == (1, 1)
        assert it.take(stranger(1, NEAR))[0] == "private"


def test_a_switch_to_a_space_of_other_dimensions_holds_at_once(session: Session) -> None:
    with counting(session) as it:
        served_with(session, it.archive_id, 4)
        assert charged(it, KEY) == 2
        served_with(session, it.archive_id, 8, build_id=2)
        assert charged(it, KEY) == 2
        allow(session, it.archive_id, private_per_day=5)
        assert charged(it, KEY) == 1


def test_questions_of_another_archive_are_not_seen(session: Session) -> None:
    with (
        counting(session, private_per_day=1) as it,
        counting(session, "other", private_per_day=1) as other,
    ):
        assert it.asks("one") is None
        assert other.asks("one") is None
        act(session, "fonds_limiter", it.archive_id)
        seen = rows.column(session, "SELECT archive_id FROM private.charged_question")
        assert seen == [it.archive_id]
