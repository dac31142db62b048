"""Whoever makes up a key for each request has one share of the line, and leaves others theirs
(R187, R192).
"""

from __future__ import annotations

import asyncio
import threading

import httpx2
import pytest

from fonds.api.crowd import Crowd
from fonds.api.line_names import LineNames
from fonds.contract.admitted import Admitted
from fonds.contract.failures import NotAdmitted, Overloaded
from fonds.contract.key_scope import KeyScope
from fonds.settings import Settings
from tests.api.conftest import Hosted
from tests.hosts import app_of, host_of

CEILING = 60.0  # ends a test that hangs, and decides nothing
HOME, AWAY = "203.0.113.1", "203.0.113.2"


def test_a_key_has_an_origin_until_it_is_let_in_and_again_when_it_is_turned_away() -> None:
    line = LineNames()
    at_home, of_nobody = line.names("mill", None, HOME)
    assert of_nobody is None
    caller, origin = line.names("mill", "a key", HOME)
    assert caller != at_home == origin
    line.let_in("mill", "a key")
    assert line.names("mill", "a key", HOME) == line.names("mill", "a key", AWAY) == (caller, None)
    assert line.names("harbour", "a key", HOME) == (caller, at_home)
    line.turned_away("mill", "a key")
    assert line.names("mill", "a key", HOME) == (caller, at_home)


def test_what_is_known_is_bounded_and_holds_no_key() -> None:
    line = LineNames(most=2)
    for key in ("first", "second", "first", "third"):
        line.let_in("mill", key)
    known = [line.names("mill", key, HOME)[1] is None for key in ("first", "second", "third")]
    assert known == [True, False, True]
    assert "first" not in str(line.names("mill", "first", HOME))


def test_keys_of_one_origin_that_nobody_vouched_for_have_half_together() -> None:
    crowd = Crowd(threads=4, waiting=2)
    made_up = [crowd.arrive(f"archive {n}", f"key {n}", "home") for n in range(3)]
    assert [crowd.is_at_work(one) for one in made_up] == [True, True, False]
    with pytest.raises(Overloaded):
        crowd.arrive("archive", "key", "home")
    others = [crowd.arrive("a", "vouched for"), crowd.arrive("b", "key", "away")]
    assert all(crowd.is_at_work(one) for one in others)
    assert crowd.leave(others[0]) == ()
    assert crowd.leave(made_up[0]) == (made_up[2],)


def test_who_is_let_in_makes_room_for_others_of_its_origin_while_it_is_at_work() -> None:
    crowd = Crowd(threads=2, waiting=2)
    first, second = crowd.arrive("a", "key 1", "home"), crowd.arrive("b", "key 2", "home")
    assert [crowd.is_at_work(one) for one in (first, second)] == [True, False]
    assert crowd.vouch("key 1") == (second,)
    assert crowd.at_work == 2


class HeldDoor:
    """Opens to nobody, and says so once the test lets it."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def admit(self, slug: str, key: str | None, scope: KeyScope) -> Admitted:
        assert self.let_go.wait(CEILING)
        raise NotAdmitted("no-archive")


def test_a_flood_of_made_up_keys_and_archives_has_half_of_the_threads(hosted: Hosted) -> None:
    """Four threads, no line: of three requests at once from an address, two are at the door."""
    door, settings = HeldDoor(), Settings(serve_threads=4, serve_waiting=0)

    async def flood(client: httpx2.AsyncClient) -> list[int]:
        asked = [
            asyncio.ensure_future(
                client.get(f"/v1/archives/made-up-{n}", headers={"Authorization": f"Bearer {n}"})
            )
            for n in range(3)
        ]
        done, rest = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        door.let_go.set()
        return [one.result().status_code for one in done] + [
            (await one).status_code for one in rest
        ]

    async def run() -> list[int]:
        transport = httpx2.ASGITransport(app_of(hosting))
        async with httpx2.AsyncClient(transport=transport, base_url="http://fonds") as client:
            return await flood(client)

    with host_of(hosted.database, hosted.folders, settings=settings) as hosting:
        hosting.door = door
        assert asyncio.run(run()) == [503, 404, 404]
