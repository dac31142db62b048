"""The scheduled ingest of one archive: `python -m ingest_jobs.ingest [ARCHIVE_FILE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from fonds.settings import read_settings
from fonds.wiring.ingesting import ingest_and_draft
from fonds.wiring.opening import opened
from ingest_jobs.running import run_job


def run(archive: Path | None = None) -> int:
    """As `fonds ingest` exits, drafts included; safe to run twice, and beside another archive's."""
    with opened(read_settings(), archive) as house:
        report = ingest_and_draft(house, progress=lambda step, done, total: None)
    return report.exit_code


if __name__ == "__main__":
    sys.exit(run_job("ingest", run))
