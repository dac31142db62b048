"""`fonds serve` as a process of its own, for what only a process can show."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import IO

from tests.deploy.proxies import CEILING_SECONDS, Reply, asked


@dataclass(frozen=True, slots=True)
class Listening:
    """Where it listens."""

    host: str
    port: int

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        caller: str = "127.0.0.1",
    ) -> Reply:
        """One request past every proxy, from this address."""
        connection = HTTPConnection(
            self.host, self.port, timeout=CEILING_SECONDS, source_address=(caller, 0)
        )
        return asked(connection, method, path, body, headers)


@contextmanager
def served(
    arguments: Sequence[str],
    settings: Mapping[str, str] | None = None,
    said: IO[bytes] | None = None,
) -> Generator[Listening]:
    """The service: it listens when the block begins, and is told to end at its end.

    What it says of itself is written to `said`.
    """
    program = Path(sys.executable).parent / "fonds"
    with subprocess.Popen(
        [str(program), *arguments], stdout=subprocess.PIPE, stderr=said, env=settings
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, f"fonds serve ended with {process.wait(CEILING_SECONDS)}"
            host, _, port = str(json.loads(line)["listening"]).rpartition(":")
            yield Listening(host, int(port))
        finally:
            process.terminate()
            process.wait(CEILING_SECONDS)
