"""Something that takes spans over HTTP as a collector does, and keeps the bytes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Collected:
    """What was sent to `url`, bodies and heads as they came."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[bytes] = []
        self.heads: list[str] = []


@contextmanager
def collecting() -> Generator[Collected]:
    """A collector on a port of its own, until the end of the block."""
    collected = Collected()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collected.heads.append(f"{self.path} {self.headers}")
            collected.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Not to the output of the tests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collected.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield collected
        finally:
            server.shutdown()
            thread.join()
