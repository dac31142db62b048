"""A worker process of the service, a caller of it over one connection, and what a call came to."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from eval.benchmarks.load_bed import Bed

CEILING_SECONDS = 60
UNREACHED = 0  # the status of a call that came to nothing: no worker answered
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Worker:
    """One process of the service, listening."""

    process: subprocess.Popen[str]
    port: int

    @property
    def cpu_seconds(self) -> float:
        """Processor time its threads have used, their own and the kernel's for them: to the
        nanosecond, where the process as a whole is told in hundredths of a second.
        """
        tasks = Path(f"/proc/{self.process.pid}/task")
        told = [(task / "schedstat").read_text(encoding="ascii") for task in tasks.iterdir()]
        return sum(int(one.split()[0]) for one in told) / 1e9

    @property
    def resident_bytes(self) -> int:
        """Memory it holds."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * _PAGE


def started(bed: Bed) -> Worker:
    """A worker over the archives of a bed; returns when it listens."""
    given = {
        "--home": bed.server.home,
        "--database": bed.database,
        "--archives": len(bed.archives),
        "--fragments": len(bed.vectors),
        "--questions": len(bed.questions),
    }
    process = subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, "-m", "eval.benchmarks.load_service"]
        + [str(part) for pair in given.items() for part in pair],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    ceiling = threading.Timer(CEILING_SECONDS, process.kill)
    ceiling.start()
    line = process.stdout.readline()
    ceiling.cancel()
    if not line:
        raise RuntimeError("the service did not start: see its last lines above")
    return Worker(process, int(json.loads(line)["port"]))


@contextmanager
def worker(bed: Bed) -> Generator[Worker]:
    """A worker for the length of the block."""
    made = started(bed)
    try:
        yield made
    finally:
        ended(made)


def ended(one: Worker) -> None:
    """Told to end, and ended."""
    one.process.terminate()
    with suppress(subprocess.TimeoutExpired):
        one.process.wait(CEILING_SECONDS)
    one.process.kill()
    one.process.wait()
    if one.process.stdout is not None:
        one.process.stdout.close()


@dataclass(frozen=True, slots=True)
class Call:
    """One request and its reply, by the clock of this process."""

    worker: int
    slug: str
    began: float
    ended: float
    status: int
    titles: tuple[str, ...] = field(default=(), repr=False)
    fragment_ids: tuple[str, ...] = field(default=(), repr=False)

    @property
    def seconds(self) -> float:
        return self.ended - self.began


class Caller:
    """One key at one archive, over a connection that is kept."""

    def __init__(self, port: int, slug: str, key: str, number: int = 0) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CEILING_SECONDS)
        self._slug = slug
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._number = number

    def close(self) -> None:
        self._connection.close()

    def search(self, question: str) -> Call:
        """Whatever comes of it is a Call, a lost connection too."""
        body = json.dumps({"q": question, "limit": 10})
        began = monotonic()
        try:
            self._connection.request(
                "POST", f"/v1/archives/{self._slug}/search", body, self._headers
            )
            reply = self._connection.getresponse()
            sent = reply.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return Call(self._number, self._slug, began, monotonic(), UNREACHED)
        ended_at = monotonic()
        hits: list[Any] = json.loads(sent)["hits"] if reply.status == 200 else []
        return Call(
            self._number,
            self._slug,
            began,
            ended_at,
            reply.status,
            tuple(hit["entity"]["title"] for hit in hits),
            tuple(hit["fragmentId"] for hit in hits),
        )

    def alive(self) -> None:
        """The endpoint that does nothing."""
        self._connection.request("GET", "/livez")
        self._connection.getresponse().read()
