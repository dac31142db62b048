"""`fonds demo`: everything on the bundled example, with no key and no network."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.cli.ask import answer_lines
from fonds.cli.build import build_lines
from fonds.cli.options import JsonOption
from fonds.cli.output import progress_bar, say, show_json
from fonds.settings import read_settings
from fonds.wiring.demonstration import demonstrate


def demo_command(
    *,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Remove the demonstration's data first.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ingest the example archive, build it, and ask it three questions."""
    with progress_bar() as progress:
        shown = demonstrate(read_settings(), fresh=fresh, progress=progress)
    if as_json:
        show_json(shown.as_json())
        return
    say(*shown.ingest.as_lines(), *build_lines(shown.build))
    for demonstrated in shown.answers:
        say("", f"? {demonstrated.question}", *answer_lines(demonstrated.given))
        say(f"  ({demonstrated.shows})")
    say("", f"The data are in {shown.home}; fonds demo --fresh begins anew.")
