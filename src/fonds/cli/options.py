"""Options that several commands share, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

ArchiveOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--archive",
        help="The archive file, its folder or, of a host, its slug. Default: FONDS_ARCHIVE, else"
        " ./archive.toml.",
        show_default=False,
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
