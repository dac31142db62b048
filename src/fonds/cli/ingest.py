"""`fonds ingest`: corpus to private schema, and gists where a drafter is configured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import progress_bar, say, show_json
from fonds.ingestion.report import DraftingStopped, EmbeddingStopped, IngestReport
from fonds.ingestion.report_file import check_report_place, write_ingest_report
from fonds.settings import read_settings
from fonds.wiring.ingesting import ingest_and_draft
from fonds.wiring.opening import opened


def ingest_command(
    *,
    publish: Annotated[
        list[str] | None,
        typer.Option(
            "--publish",
            help="Entity id that was private and is to be public; may be given again.",
            metavar="ID",
        ),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft/--no-draft", help="Have gists drafted where a model is named.")
    ] = True,
    file: Annotated[
        Path | None,
        typer.Option("--report", help="Write what became of every file here, for you alone."),
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Read the corpus into the private schema; what did not change costs nothing."""
    with opened(read_settings(), archive) as house:
        if file is not None:
            check_report_place(file, house.config)
        try:
            with progress_bar() as progress:
                report = ingest_and_draft(
                    house, progress=progress, publish=frozenset(publish or ()), draft=draft
                )
        except (EmbeddingStopped, DraftingStopped) as stopped:
            # What was stored stays, and what was refused is said.
            _show(stopped.report, file, as_json=as_json)
            raise
    _show(report, file, as_json=as_json)
    return report.exit_code


def _show(report: IngestReport, file: Path | None, *, as_json: bool) -> None:
    if as_json:
        show_json(report.as_json())
    else:
        say(*report.as_lines())
    if file is not None:
        write_ingest_report(report, file)
