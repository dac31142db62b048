"""The scheduled build of one archive: `python -m ingest_jobs.build [ARCHIVE_FILE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from fonds.settings import read_settings
from fonds.wiring.house import opened
from ingest_jobs.running import run_job


def run(archive: Path | None = None) -> int:
    """The exit code of `fonds build`; nothing changed makes no build."""
    with opened(read_settings(), archive) as house:
        house.build()
    return 0


if __name__ == "__main__":
    sys.exit(run_job("build", run))
