"""`fonds ingest`: corpus to private schema."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import progress_bar, say, show_json
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
    with opened(read_settings(), archive) as house, progress_bar() as progress:
        report = house.ingest(progress=progress, publish=frozenset(publish or ()))
    if as_json:
        show_json(report.as_json())
    else:
        say(*report.as_lines())
    return report.exit_code
