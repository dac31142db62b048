"""The scheduled build of one archive: `python -m ingest_jobs.build [ARCHIVE_FILE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from fonds.build.build_report import waiting_lines
from fonds.cli.output import note
from fonds.settings import read_settings
from fonds.wiring.opening import opened
from ingest_jobs.running import run_job


def run(archive: Path | None = None) -> int:
    """The exit code of `fonds build`; nothing changed makes no build.

    4 while something waits for its owner: the rest was published, and a line names the command.
    """
    with opened(read_settings(), archive) as house:
        report = house.build()
    note(*waiting_lines(report.waiting))
    return report.exit_code


if __name__ == "__main__":
    sys.exit(run_job("build", run))
