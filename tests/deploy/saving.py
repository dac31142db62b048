"""deploy/backup.sh and deploy/restore.sh, run as an administrator runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from tests.database.pg_tools import pg_tool
from tests.house.tree import ROOT

Done = subprocess.CompletedProcess[str]

_VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "dbname": "PGDATABASE",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "passfile": "PGPASSFILE",
}


def saved(url: str, file: Path, *, programs: str | None = None) -> Done:
    """A backup taken with this login, by the programs of these folders where any are named."""
    return _run(url, ROOT / "deploy/backup.sh", str(file), programs=programs)


def put_back(url: str, file: Path) -> Done:
    """A backup restored with this login."""
    return _run(url, ROOT / "deploy/restore.sh", str(file))


def backup_role_made(url: str) -> None:
    """The login that takes backups, as its file makes it, by this superuser in this database."""
    file = ROOT / "deploy/backup-role.sql"
    for _ in range(2):
        done = _run(url, pg_tool("psql", url), "-XAtqv", "ON_ERROR_STOP=1", "-f", str(file))
        assert done.returncode == 0, done.stderr


def _run(url: str, program: Path, *arguments: str, programs: str | None = None) -> Done:
    given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value}
    told = {_VARIABLES[name]: value for name, value in given.items() if name in _VARIABLES}
    path = f"{programs or pg_tool('pg_dump', url).parent}{os.pathsep}{os.environ['PATH']}"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **told, "PATH": path},
    )
