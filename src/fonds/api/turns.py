"""Work in its turn: the crowd's bookkeeping joined to an event loop and to threads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

from fonds.api.crowd import Crowd, Ticket
from fonds.api.workers import Executor

T = TypeVar("T")
Gone = Callable[[], Awaitable[None]]
"""Returns when the caller has hung up."""


class CallerGone(Exception):
    """Nobody waits for the reply any more, and no work was begun."""


class Turns:
    """One event loop's; every method is called on it."""

    def __init__(self, crowd: Crowd, workers: Executor) -> None:
        self._crowd = crowd
        self._workers = workers
        self._calls: dict[int, asyncio.Future[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def work(
        self,
        archive: str,
        caller: str,
        work: Callable[[], T],
        gone: Gone,
        origin: str | None = None,
        *,
        elsewhere: bool = False,
    ) -> T:
        """What `work` returns or raises, done by a thread once it is this caller's turn.

        Raises Overloaded at once, CallerGone for a caller who left the line. Work that was begun is
        ended, whoever still waits for it, and keeps its place until then.
        """
        self._loop = loop = asyncio.get_running_loop()
        ticket = self._crowd.arrive(archive, caller, origin, elsewhere=elsewhere)
        if not self._crowd.is_at_work(ticket):
            await self._called(ticket, gone)
        try:
            future = self._workers.submit(work)
        except BaseException:
            self._left(ticket)  # else its place is nobody's for good
            raise

        awaited: asyncio.Future[T] = loop.create_future()

        def ended(done: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop is over, and the crowd with it
                loop.call_soon_threadsafe(self._ended, ticket, done, awaited)

        future.add_done_callback(ended)
        try:
            return await awaited
        except asyncio.CancelledError:
            future.cancel()  # where no thread has begun it
            raise

    def vouch(self, caller: str) -> None:
        """Tells the crowd that a caller was let in; called by a thread at work for it."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is over, and the crowd with it
                self._loop.call_soon_threadsafe(self._vouched, caller)

    async def _called(self, ticket: Ticket, gone: Gone) -> None:
        call = self._calls[ticket.number] = asyncio.get_running_loop().create_future()
        listener = asyncio.ensure_future(gone())
        try:
            await asyncio.wait({call, listener}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._left(ticket)
            raise
        finally:
            listener.cancel()
            self._calls.pop(ticket.number, None)
        if not call.done():
            self._left(ticket)
            raise CallerGone

    def _ended(self, ticket: Ticket, done: Future[T], awaited: asyncio.Future[T]) -> None:
        """The one message of a thread to the loop: the place is free, and this is the result."""
        self._left(ticket)
        if awaited.done():
            return  # cancelled
        if done.cancelled():
            awaited.cancel()
        elif (raised := done.exception()) is not None:
            awaited.set_exception(raised)
        else:
            awaited.set_result(done.result())

    def _left(self, ticket: Ticket) -> None:
        self._call(self._crowd.leave(ticket))

    def _vouched(self, caller: str) -> None:
        self._call(self._crowd.vouch(caller))

    def _call(self, tickets: tuple[Ticket, ...]) -> None:
        for called in tickets:
            call = self._calls.get(called.number)
            if call is not None and not call.done():
                call.set_result(None)
