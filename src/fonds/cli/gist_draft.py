"""`fonds gist draft`: has a model describe what asks to be described (R082)."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, progress_bar, say, show_json
from fonds.contract.failures import Failure, PublicSafeLintError, Unavailable
from fonds.ingestion.drafting import DraftReport
from fonds.settings import read_settings
from fonds.wiring.gists import GistDesk
from fonds.wiring.opening import opened


def gist_draft_command(
    fragments: Annotated[
        list[str] | None,
        typer.Argument(metavar="FRAGMENT", help="Draft these anew, and no others."),
    ] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Draft anew also what is current; your edits stay.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Draft a gist where one is asked for; the text goes to the model of the archive file."""
    with opened(read_settings(), archive) as house, progress_bar() as progress:
        report = GistDesk(house).draft(
            tuple(fragments or ()), redraft=everything, progress=progress
        )
    if as_json:
        show_json(report.as_json())
    else:
        say(*report.as_lines())
    if report.stopped is not None:
        note(f"fonds: the drafter is not there: {report.stopped}; run it again to go on")
    return _exit_code(report)


def _exit_code(report: DraftReport) -> int:
    if report.stopped is not None:
        return Unavailable.exit_code
    if report.edits_failed:
        return PublicSafeLintError.exit_code
    return Failure.exit_code if report.undrafted or report.not_found else 0
