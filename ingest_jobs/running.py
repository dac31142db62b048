"""How a job ends: one JSON line on stderr with its exit code, and no words of the archive."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from fonds.cli.main import prepare_process, run_guarded


def run_job(name: str, job: Callable[[Path | None], int]) -> int:
    """Runs a job on the archive file of the first argument, else of FONDS_ARCHIVE."""
    prepare_process()
    archive = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    began = time.monotonic()
    code = run_guarded(lambda: job(archive))
    line = {"job": name, "exitCode": code, "seconds": round(time.monotonic() - began, 1)}
    sys.stderr.write(json.dumps(line) + "\n")
    return code
