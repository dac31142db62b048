"""Serves an application on one socket, in one process, until it is told to end (R186)."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from fonds.contract.failures import Misconfigured
from fonds.settings import Settings

BACKLOG = 128
KEEP_ALIVE_SECONDS = 75  # longer than a proxy keeps one, so that it is the proxy who ends it
HEADER_BYTES = 16_384


def bound_socket(host: str, port: int, prefix: str = "FONDS_SERVE") -> socket.socket:
    """A socket that is bound and does not listen yet; port 0 takes a free one. Raises
    Misconfigured, naming the settings of that prefix.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as trouble:
        raise Misconfigured(
            f"{prefix}_HOST, {prefix}_PORT: cannot be listened on ({trouble.strerror})"
        ) from None
    return made


def address_of(bound: socket.socket) -> tuple[str, int]:
    """Host and port a socket is bound to."""
    host, port = bound.getsockname()[:2]
    return str(host), int(port)


def serve(
    app: ASGIApp, bound: socket.socket, settings: Settings, on_listening: Callable[[], None]
) -> None:
    """Serves until SIGTERM or SIGINT, then lets what runs end within FONDS_SHUTDOWN_SECONDS.

    `on_listening` is called once connections are taken.
    """
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=settings.shutdown_seconds,
        h11_max_incomplete_event_size=HEADER_BYTES,
    )
    _Server(config, on_listening).run(sockets=[bound])


class _Server(uvicorn.Server):
    """Says when it listens, and takes a signal for an order instead of passing it on."""

    def __init__(self, config: uvicorn.Config, on_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._on_listening()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """A signal ends the serving and nothing else: pools and server are closed behind it."""
        told = (signal.SIGTERM, signal.SIGINT)
        before = {one: signal.signal(one, self._told_to_end) for one in told}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def _told_to_end(self, number: int, frame: FrameType | None) -> None:
        self.handle_exit(number, frame)
