"""A real `fonds serve` on ports of its own, with its log in a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

HUNG_SECONDS = 120  # ends a process that hangs, and proves nothing by passing


@dataclass(frozen=True, slots=True)
class Served:
    """Where the service is reached, and where it writes."""

    port: int
    log: Path

    @property
    def events(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


@contextmanager
def served(folder: Path, settings: Mapping[str, str]) -> Generator[Served]:
    """Until the end of the block; then it is told to end, and has to end by itself."""
    log = folder / "serve.log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            [Path(sys.executable).parent / "fonds", "serve", "--port", "0"],
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        watch = Timer(HUNG_SECONDS, process.kill)
        watch.start()
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, log.read_text(encoding="utf-8")
            yield Served(int(json.loads(line)["listening"].rpartition(":")[2]), log)
            process.terminate()
            assert process.wait() == 0
        finally:
            process.kill()
            watch.cancel()
