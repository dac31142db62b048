"""What benchmarks run on, without a date, a path or a name: versions, cores, memory."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

import psycopg

from fonds.store.embedded import running

_VERSIONS = """
    SELECT current_setting('server_version'),
           (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')
    """


def environment() -> dict[str, object]:
    """Starts the embedded server once, to ask which it is."""
    with (
        tempfile.TemporaryDirectory(prefix="fonds-bench-") as folder,
        running(Path(folder) / "home") as server,
        psycopg.connect(server.admin_url()) as session,
    ):
        row = session.execute(_VERSIONS).fetchone() or ("", "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "postgres": row[0],
        "pgvector": row[1],
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "memoryGB": round(memory / 1e9),
    }
