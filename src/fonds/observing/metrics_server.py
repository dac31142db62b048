"""Where measures are fetched: a port of its own, apart from what callers reach.

It knows one address, `GET /metrics`, answers no other with more than a status, and logs nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread, Timer
from typing import Final

from fonds.observing.measuring import CONTENT_TYPE

PATH: Final = "/metrics"
SLOWEST_SECONDS: Final = 5  # for a head that never ends; one caller is served at a time


@contextmanager
def metrics_served(page: Callable[[], bytes], *, host: str, port: int) -> Generator[int]:
    """Serves `page` in a thread until the end of the block; gives the port, chosen where it was 0.

    Raises OSError when the port cannot be had.
    """
    with _Server((host, port), _handler(page)) as server:
        thread = Thread(target=server.serve_forever, args=(0.1,), name="metrics", daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


class _Server(HTTPServer):
    def server_bind(self) -> None:
        # HTTPServer asks the resolver for the name of its host, which may take seconds.
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "metrics", self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that hung up; the library's own prints a traceback."""


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _handler(page: Callable[[], bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = SLOWEST_SECONDS  # of each read and write

        def handle(self) -> None:
            # Of the whole head: one that comes byte by byte would hold the only turn there is.
            self._head = Timer(SLOWEST_SECONDS, _hang_up, (self.connection,))
            self._head.daemon = True
            self._head.start()
            try:
                super().handle()
            finally:
                self._head.cancel()

        def do_GET(self) -> None:
            self._head.cancel()
            known = self.path == PATH
            self._answer(*((200, page()) if known else (404, b"")))

        def send_error(
            self, code: int, message: str | None = None, explain: str | None = None
        ) -> None:
            self._answer(code, b"")  # the library's own repeats the request

        def log_message(self, format: str, *args: object) -> None:
            """Nobody's requests are logged here."""

        def version_string(self) -> str:
            return "metrics"

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

    return Handler
