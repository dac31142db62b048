"""How a job ends: one JSON line on stderr with its exit code, and no words of the archive."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from fonds.cli.main import prepare_process, run_guarded
from fonds.jobs.child import WATCHED
from fonds.jobs.watched import end_with_worker


def run_job(name: str, job: Callable[[Path | None], int]) -> int:
    """Runs a job on the archive file of the first argument, else of FONDS_ARCHIVE.

    With `--watched`, as a worker starts it, it ends when its stdin does.
    """
    files = [Path(given) for given in sys.argv[1:] if given != WATCHED]
    archive = files[0] if files else None
    began = time.monotonic()
    with prepare_process():
        if WATCHED in sys.argv[1:]:
            end_with_worker()
        code = run_guarded(lambda: job(archive))
    line = {"job": name, "exitCode": code, "seconds": round(time.monotonic() - began, 1)}
    sys.stderr.write(json.dumps(line) + "\n")
    return code
