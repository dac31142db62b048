"""`fonds gist`: descriptions the author authorises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.contract.failures import PublicSafeLintError
from fonds.settings import read_settings
from fonds.wiring.house import opened

gist_app = typer.Typer(
    help="Gists: descriptions that may travel in place of a text.", no_args_is_help=True
)


@gist_app.command("import")
def gist_import_command(
    *,
    file: Annotated[
        Path | None, typer.Argument(help="Gist file; default: [gists] file of the archive.")
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Lint and store hand-written gists; the next build serves those that pass."""
    with opened(read_settings(), archive) as house:
        done = house.import_gists(file)
    if as_json:
        show_json(done.as_json())
    else:
        refused = len(done.refused)
        say(f"{done.written} gist(s) stored, {done.unchanged} unchanged, {refused} refused")
        say(*(f"  {fragment_id}: {reason}" for fragment_id, reason in done.refused))
    return PublicSafeLintError.exit_code if done.refused else 0
