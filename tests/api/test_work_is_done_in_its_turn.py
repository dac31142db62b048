"""Threads and the event loop joined: who left the line, who hung up, who failed (R187)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

import pytest

from fonds.api import workers as threads
from fonds.api.crowd import Crowd
from fonds.api.turns import CallerGone, Turns
from fonds.api.workers import Workers
from fonds.contract.failures import Overloaded

T = TypeVar("T")


class HandWorked:
    """Does nothing by itself: a test ends each piece of work when it wants to."""

    def __init__(self) -> None:
        self.begun: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self.begun.append((future, work))
        return future

    def end(self, position: int) -> None:
        future, work = self.begun[position]
        future.set_result(work())


async def never() -> None:
    await asyncio.Event().wait()


async def settled() -> None:
    """Lets everything that can go on do so: one turn of the loop a step of a chain of callbacks."""
    for _ in range(20):
        await asyncio.sleep(0)


def run(test: Callable[[HandWorked, Crowd, Turns], Coroutine[Any, Any, None]]) -> None:
    hand, crowd = HandWorked(), Crowd(threads=1, waiting=4)
    asyncio.run(test(hand, crowd, Turns(crowd, hand)))
    assert (crowd.at_work, crowd.in_line) == (0, 0)


def test_one_after_the_other() -> None:
    async def test(hand: HandWorked, crowd: Crowd, turns: Turns) -> None:
        first = asyncio.ensure_future(turns.work("a", "x", lambda: 1, never))
        second = asyncio.ensure_future(turns.work("b", "y", lambda: 2, never))
        await settled()
        assert len(hand.begun) == 1
        hand.end(0)
        assert await first == 1
        await settled()
        hand.end(1)
        assert await second == 2
        await settled()

    run(test)


def test_who_hung_up_in_line_begins_no_work() -> None:
    async def test(hand: HandWorked, crowd: Crowd, turns: Turns) -> None:
        hung_up = asyncio.Event()

        async def gone() -> None:
            await hung_up.wait()

        first = asyncio.ensure_future(turns.work("a", "x", lambda: 1, never))
        second = asyncio.ensure_future(turns.work("b", "y", lambda: 2, gone))
        await settled()
        hung_up.set()
        with pytest.raises(CallerGone):
            await second
        hand.end(0)
        assert await first == 1
        await settled()
        assert len(hand.begun) == 1

    run(test)


def test_work_that_was_begun_keeps_its_place_when_its_request_is_cancelled() -> None:
    async def test(hand: HandWorked, crowd: Crowd, turns: Turns) -> None:
        first = asyncio.ensure_future(turns.work("a", "x", lambda: 1, never))
        second = asyncio.ensure_future(turns.work("b", "y", lambda: 2, never))
        await settled()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await settled()
        assert (crowd.at_work, crowd.in_line) == (1, 1)
        hand.end(0)
        await settled()
        hand.end(1)
        assert await second == 2
        await settled()

    run(test)


def test_who_is_cancelled_in_line_makes_room() -> None:
    async def test(hand: HandWorked, crowd: Crowd, turns: Turns) -> None:
        first = asyncio.ensure_future(turns.work("a", "x", lambda: 1, never))
        second = asyncio.ensure_future(turns.work("b", "y", lambda: 2, never))
        await settled()
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert (crowd.at_work, crowd.in_line) == (1, 0)
        hand.end(0)
        assert await first == 1
        await settled()

    run(test)


def test_a_failure_of_the_work_is_the_callers_and_frees_the_thread() -> None:
    async def test() -> None:
        crowd, workers = Crowd(threads=1, waiting=0), Workers(1)
        turns = Turns(crowd, workers)

        def failing() -> None:
            raise Overloaded(7)

        with pytest.raises(Overloaded) as failed:
            await turns.work("a", "x", failing, never)
        assert failed.value.retry_after == 7
        await settled()
        assert await turns.work("a", "x", lambda: "next", never) == "next"
        workers.close()

    asyncio.run(test())


class Told(asyncio.SelectorEventLoop):
    """Counts what threads say to it."""

    messages = 0

    def call_soon_threadsafe(self, *given: Any, **named: Any) -> asyncio.Handle:  # noqa: ANN401
        self.messages += 1
        return super().call_soon_threadsafe(*given, **named)


def test_a_thread_says_one_thing_to_the_loop() -> None:
    """That its place is free and what it found: each message wakes the loop, and takes a turn."""

    async def test() -> None:
        loop, workers = asyncio.get_running_loop(), Workers(1)
        assert isinstance(loop, Told)
        turns = Turns(Crowd(threads=1, waiting=4), workers)
        for number in range(1, 4):
            assert await turns.work("a", "x", lambda one=number: one, never) == number
            assert loop.messages == number
        workers.close()

    with asyncio.Runner(loop_factory=Told) as runner:
        runner.run(test())


def test_work_that_no_thread_has_begun_is_not_begun_for_who_left() -> None:
    """It waits for a thread that does another's work, and not for a place."""

    async def test() -> None:
        crowd, workers, begun, go_on = Crowd(2, 0), Workers(1), threading.Event(), threading.Event()
        turns, done = Turns(crowd, workers), list[str]()

        def long() -> None:
            begun.set()
            go_on.wait(60)

        first = asyncio.ensure_future(turns.work("a", "x", long, never))
        second = asyncio.ensure_future(turns.work("b", "y", lambda: done.append("second"), never))
        await settled()
        assert begun.wait(60)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        go_on.set()
        await first
        assert await turns.work("b", "y", lambda: "third", never) == "third"
        await settled()
        assert done == []
        assert (crowd.at_work, crowd.in_line) == (0, 0)
        workers.close()

    asyncio.run(test())


def test_a_machine_out_of_threads_fails_a_request_and_takes_no_place_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where it has given one, that one does the work of those it does not give."""
    given = [True]

    class Thread(threads.threading.Thread):
        def start(self) -> None:
            if not given[0]:
                raise RuntimeError("can't start new thread")
            super().start()

    monkeypatch.setattr(threads.threading, "Thread", Thread)

    async def test() -> None:
        crowd, workers = Crowd(threads=2, waiting=0), Workers(2)
        turns = Turns(crowd, workers)
        given[0] = False
        with pytest.raises(RuntimeError):
            await turns.work("a", "x", lambda: 0, never)
        assert (crowd.at_work, crowd.in_line) == (0, 0)
        for number in (1, 2):
            given[0] = number == 1
            assert await turns.work("a", "x", lambda one=number: one, never) == number
        workers.close()

    asyncio.run(test())
