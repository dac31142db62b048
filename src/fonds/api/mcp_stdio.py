"""MCP on this process's own standard streams, for the client that started it (R189)."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import anyio
from anyio import to_thread
from mcp.server.stdio import stdio_server

from fonds.api.mcp_tool import Context, Search, search_server
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse

AT_ONCE: Final = 2  # calls one client may have at work; the others wait
_READ_BYTES: Final = 65_536


def serve_stdio(search: Callable[[SearchRequest], SearchResponse]) -> None:
    """Answers until the client closes its end. `search` is called from threads.

    Standard output belongs to the protocol meanwhile; whatever else is printed goes to stderr. Told
    to end by a signal, it ends what is at work and raises SystemExit with the signal's code.
    """
    told = anyio.run(_served, search)
    if told is not None:
        raise SystemExit(128 + told)


async def _served(search: Callable[[SearchRequest], SearchResponse]) -> int | None:
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def found(request: SearchRequest) -> SearchResponse:
        return await to_thread.run_sync(search, request, limiter=limiter)

    def search_of(context: Context) -> Search:
        return found

    server, incoming = search_server(search_of), _Incoming()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(incoming.end_with_signal)
        lines = anyio.wrap_file(os.fdopen(incoming.readable, encoding="utf-8", errors="replace"))
        async with lines, stdio_server(stdin=lines) as (read, written):
            await server.run(read, written, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    return incoming.told


class _Incoming:
    """Standard input through a pair of sockets of this process: a read of the client's end cannot
    be broken off, one of the pair ends when its other half is shut.
    """

    def __init__(self) -> None:
        self.told: int | None = None
        self._writing, reading = socket.socketpair()
        self.readable = reading.detach()
        # Raw reads: a thread that held a buffer's lock could not be left behind at the end.
        threading.Thread(target=self._pump, name="mcp-stdin", daemon=True).start()

    async def end_with_signal(self) -> None:
        """Ends the input at the first signal, as the client does by closing its end."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            async for number in signals:
                self.told = int(number)
                self._end()
                return

    def _pump(self) -> None:
        with suppress(OSError):
            while data := os.read(0, _READ_BYTES):
                self._writing.sendall(data)
        self._end()

    def _end(self) -> None:
        with suppress(OSError):
            self._writing.shutdown(socket.SHUT_WR)
