"""A service that keeps what reaches it: what a proxy passes on is seen, not supposed."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived: header names in lower case, each with all its values."""

    method: str
    path: str
    headers: dict[str, list[str]]
    body: bytes


@dataclass(slots=True)
class Upstream:
    """Where it listens, what it was asked, and what it answers."""

    port: int
    seen: list[Seen] = field(default_factory=list[Seen])
    answer: bytes = b'{"hits": []}'

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


@contextmanager
def running_upstream() -> Generator[Upstream]:
    """Listens on a port of its own for the length of the block."""
    upstream = Upstream(0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("_Kept", (_Keeping,), {"kept": upstream}))
    server.daemon_threads = True
    upstream.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield upstream
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Keeping(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kept: Upstream

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said."""

    def _answer(self) -> None:
        kept = type(self).kept
        body = self._body()
        if body is None:
            self.close_connection = True
            return
        names = {name.lower() for name in self.headers}
        headers = {name: self.headers.get_all(name, []) for name in names}
        kept.seen.append(Seen(self.command, self.path, headers, body))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(kept.answer)))
        self.end_headers()
        self.wfile.write(kept.answer)

    def _body(self) -> bytes | None:
        """The whole body; None for one that was cut off, which no server would answer."""
        if self.headers.get("Transfer-Encoding") != "chunked":
            length = int(self.headers.get("Content-Length", "0"))
            whole = self.rfile.read(length)
            return whole if len(whole) == length else None
        parts: list[bytes] = []
        while told := self.rfile.readline().strip():
            size = int(told, 16)
            parts.append(self.rfile.read(size))
            self.rfile.readline()
            if size == 0:
                return b"".join(parts)
        return None
