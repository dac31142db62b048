"""`fonds init`: a commented archive file and folders for a new archive."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from fonds.cli.options import JsonOption
from fonds.cli.output import say, show_json
from fonds.wiring.starting import start_archive


def init_command(
    folder: Annotated[
        Path, typer.Argument(help="Folder of the archive; made when missing.")
    ] = Path(),
    *,
    name: Annotated[str, typer.Option(help="Name of the archive.")] = "My Archive",
    author: Annotated[str, typer.Option(help="Its owner.")] = "The Author",
    base_url: Annotated[
        str, typer.Option(help="Where the published pages are.")
    ] = "https://example.org",
    as_json: JsonOption = False,
) -> None:
    """Write archive.toml, a folder for essays and one for private notes; nothing is overwritten."""
    made = start_archive(folder, name=name, author=author, base_url=base_url)
    if as_json:
        show_json({"made": [str(path) for path in made]})
        return
    say(*(f"made {path}" for path in made))
    named = "" if folder == Path() else f" --archive {shlex.quote(str(folder))}"
    say("next: put Markdown files into its essays/ and notes/, then run")
    say(f"  fonds ingest{named}", f"  fonds preview{named}", f"  fonds build --yes{named}")
