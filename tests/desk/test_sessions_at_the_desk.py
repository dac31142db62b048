"""How somebody comes to sit at the desk, and how that ends (R190)."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from fonds.desk.desk import Desk
from fonds.desk.way_in import (
    CODE_SECONDS,
    IDLE_SECONDS,
    MOST_SESSIONS,
    MOST_WRONG,
    WRONG_SECONDS,
    WayIn,
)
from fonds.wiring.house import House
from tests.desk.conftest import Clock
from tests.desks import KEY, NAMES, sitting_at, visitor_at


def entered(client: TestClient, key: str = KEY) -> int:
    return client.post("/enter", data={"key": key}).status_code


def test_the_key_lets_in_and_nothing_near_it(visitor: TestClient) -> None:
    for wrong in ("", KEY[:-1], KEY + "x", KEY.upper(), "\x00"):
        assert entered(visitor, wrong) == 403
    assert entered(visitor) == 303
    assert visitor.get("/").status_code == 200


def test_a_code_opens_one_session_once(visitor: TestClient, timed: Desk) -> None:
    """And the one at whose link a program looked ahead is still good."""
    code = timed.way_in.entry_code()
    assert visitor.head(f"/enter/{code}").status_code == 405
    assert visitor.get(f"/enter/{code}x").status_code == 403
    assert visitor.get(f"/enter/{code}").status_code == 303
    assert visitor.get("/").status_code == 200
    visitor.cookies.clear()
    assert visitor.get(f"/enter/{code}").status_code == 403


def test_a_code_that_nobody_used_is_over_after_an_hour(
    visitor: TestClient, timed: Desk, clock: Clock
) -> None:
    """A service writes what it shows at its start into a log."""
    first, second = timed.way_in.entry_code(), timed.way_in.entry_code()
    clock.now += CODE_SECONDS
    assert visitor.get(f"/enter/{first}").status_code == 303
    visitor.cookies.clear()
    clock.now += 1
    late = visitor.get(f"/enter/{second}")
    assert late.status_code == 403
    assert "older than an hour" in late.text


def test_wrong_keys_close_the_door_for_a_while(visitor: TestClient, clock: Clock) -> None:
    """No key is looked at meanwhile, not even the right one; who is in stays in."""
    assert entered(visitor) == 303
    for _ in range(MOST_WRONG):
        assert entered(visitor, "wrong") == 403
    closed = visitor.post("/enter", data={"key": KEY})
    assert closed.status_code == 429
    assert 0 < int(closed.headers["retry-after"]) <= WRONG_SECONDS + 1
    assert visitor.get("/").status_code == 200
    clock.now += WRONG_SECONDS + 1
    assert entered(visitor) == 303


def test_a_closed_door_looks_at_no_key_whoever_asks(timed: Desk, clock: Clock) -> None:
    """Also one that came past the look before it: two may be told at once that it is open."""
    way_in = timed.way_in
    assert [way_in.by_key("wrong") for _ in range(MOST_WRONG)] == [None] * MOST_WRONG
    assert way_in.by_key(KEY) is None
    clock.now += way_in.closed_seconds() + 1
    assert way_in.by_key(KEY) is not None


def test_wrong_keys_that_come_slowly_close_nothing(visitor: TestClient, clock: Clock) -> None:
    for _ in range(3 * MOST_WRONG):
        assert entered(visitor, "wrong") == 403
        clock.now += WRONG_SECONDS / (MOST_WRONG - 1)


def test_a_session_ends_when_it_is_left_or_not_used(visitor: TestClient, clock: Clock) -> None:
    assert entered(visitor) == 303
    clock.now += IDLE_SECONDS
    assert visitor.get("/").status_code == 200
    clock.now += IDLE_SECONDS
    assert visitor.get("/").status_code == 200
    clock.now += IDLE_SECONDS + 1
    assert visitor.get("/").status_code == 303


def test_a_session_that_was_left_is_over(timed: Desk) -> None:
    with sitting_at(timed) as sitting:
        kept = dict(sitting.client.cookies)
        assert sitting.post("/leave", {}) == "/enter"
        assert not sitting.client.cookies
        sitting.client.cookies.update(kept)
        assert sitting.client.get("/").status_code == 303


def test_a_session_ends_with_the_process(house: House, timed: Desk) -> None:
    with sitting_at(timed) as sitting, visitor_at(Desk(house, WayIn(KEY, NAMES))) as later:
        later.cookies.update(sitting.client.cookies)
        assert later.get("/").status_code == 303


def test_sessions_are_bounded_and_the_one_in_use_stays(clock: Clock) -> None:
    way_in = WayIn(KEY, NAMES, clock)
    first, second = way_in.by_key(KEY), way_in.by_key(KEY)
    assert first is not None
    assert second is not None
    for _ in range(MOST_SESSIONS - 1):
        assert way_in.knows(first)
        way_in.by_key(KEY)
    assert way_in.knows(first)
    assert not way_in.knows(second)


def test_the_cookie_goes_to_nobody_else(visitor: TestClient) -> None:
    """A script cannot read it, another site's page does not send it, and two desks of one machine
    do not take it from each other.
    """
    plain = visitor.post("/enter", data={"key": KEY}, headers={"host": "localhost:8011"})
    cookie = plain.headers["set-cookie"].lower()
    assert cookie.startswith("fonds_desk_8011=")
    assert ("httponly" in cookie, "samesite=strict" in cookie, "path=/" in cookie) == (True,) * 3
    assert ("secure" in cookie, "domain" in cookie, "max-age" in cookie) == (False,) * 3


@pytest.mark.parametrize("says", [{"origin": "https://localhost"}, {"x-forwarded-proto": "https"}])
def test_over_https_the_cookie_is_secure(visitor: TestClient, says: dict[str, str]) -> None:
    headers = {"host": "localhost"} | says
    reply = visitor.post("/enter", data={"key": KEY}, headers=headers)
    cookie = reply.headers["set-cookie"].lower()
    assert cookie.startswith("__host-fonds_desk=")
    assert "secure" in cookie
    session = reply.headers["set-cookie"].split(";")[0]
    seen = visitor.get("/", headers={"host": "localhost", "cookie": session})
    assert seen.status_code == 200
