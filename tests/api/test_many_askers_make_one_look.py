"""However many ask at once whether the service is ready, it looks once (R186)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from fonds.api.health_routes import Looking
from fonds.wiring.readiness import Ready

T = TypeVar("T")
READY = Ready(database=True, revision=True, role_proof=True, spaces=True)
AWAY = Ready(database=False, revision=False, role_proof=False, spaces=False)


class HandWorked:
    """Begins each piece of work and ends none by itself."""

    def __init__(self) -> None:
        self.begun: list[Future[Any]] = []

    def submit(self, work: Callable[[], T]) -> Future[T]:
        self.begun.append(Future[T]())
        self.begun[-1].set_running_or_notify_cancel()
        return self.begun[-1]


def test_who_asks_while_a_look_lasts_is_told_what_it_finds() -> None:
    async def run() -> None:
        hand = HandWorked()
        looking = Looking(lambda: READY, hand)
        asked = [asyncio.ensure_future(looking.found()) for _ in range(50)]
        await asyncio.sleep(0)  # each has asked, and waits
        assert len(hand.begun) == 1
        asked[0].cancel()
        with suppress(asyncio.CancelledError):
            await asked[0]
        hand.begun[0].set_result(AWAY)
        assert await asyncio.gather(*asked[1:]) == [AWAY] * 49
        later = asyncio.ensure_future(looking.found())
        await asyncio.sleep(0)
        hand.begun[1].set_result(READY)
        assert await later == READY
        assert len(hand.begun) == 2

    asyncio.run(run())
