"""`fonds ingest`: corpus to private schema."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import progress_bar, say, show_json
from fonds.ingestion.report import EmbeddingStopped, IngestReport
from fonds.settings import read_settings
from fonds.wiring.house import opened


def ingest_command(
    *,
    publish: Annotated[
        list[str] | None,
        typer.Option(
            "--publish", help="Entity id that was private and is to be public.", metavar="ID"
        ),
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Read the corpus into the private schema; what did not change costs nothing."""
    with opened(read_settings(), archive) as house:
        try:
            with progress_bar() as progress:
                report = house.ingest(progress=progress, publish=frozenset(publish or ()))
        except EmbeddingStopped as stopped:
            _show(stopped.report, as_json=as_json)  # what was stored stays, and what was refused
            raise
    _show(report, as_json=as_json)
    return report.exit_code


def _show(report: IngestReport, *, as_json: bool) -> None:
    if as_json:
        show_json(report.as_json())
    else:
        say(*report.as_lines())
