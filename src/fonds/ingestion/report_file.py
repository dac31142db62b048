"""The report of an ingest as a file: every file that was looked at, with what became of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from fonds.archive_config import ArchiveConfig
from fonds.contract.failures import Misconfigured
from fonds.ingestion.private_file import write_private_file
from fonds.ingestion.report import IngestReport
from fonds.ingestion.roots import checked_roots, holds


def check_report_place(file: Path, config: ArchiveConfig) -> None:
    """Raises Misconfigured where a report must not or cannot stand, before anything is read.

    In a folder of the archive the next run would find it among the author's files.
    """
    folder = os.path.realpath(file.parent)
    if not os.path.isdir(folder) or file.is_dir():
        raise Misconfigured(f"--report: {file.name} needs a name in a folder that is there")
    for root in checked_roots(config) if config.has_folders else ():
        if holds(root.path, folder):
            raise Misconfigured(f"--report: {root.shown} is read by fonds ingest: choose another")


def write_ingest_report(report: IngestReport, file: Path) -> None:
    """The report in place whole, its owner's alone; raises MisauthoredInput."""
    text = json.dumps(report.as_file_json(), ensure_ascii=False, indent=2) + "\n"
    write_private_file(file, text)
