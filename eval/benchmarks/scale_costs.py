"""What work costs the machine: processor time of a server process, memory, bytes on the disk."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import psycopg

from fonds.store.pools import Pool

_NANOSECONDS = 1e9
_SIZES = """
    SELECT n.nspname || '.' || c.relname,
           pg_table_size(c.oid)::bigint, pg_indexes_size(c.oid)::bigint
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('private', 'served') AND c.relkind IN ('r', 'p')
     ORDER BY 1
    """
_SPILLED = "SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()"


@dataclass(slots=True)
class Spent:
    """One piece of work: seconds on the wall, of this process and of the server's, and how far each
    rose above where it stood.
    """

    wall: float = 0.0
    own_cpu: float = 0.0
    server_cpu: float = 0.0
    own_peak_mb: float = 0.0
    server_peak_mb: float = 0.0


@dataclass(slots=True)
class Meter:
    """Watches the one connection of a pool, and this process. Linux only: it reads /proc."""

    pid: int
    spent: Spent = field(default_factory=Spent)

    @property
    def server_seconds(self) -> float:
        """Processor time of the server's process, to the nanosecond."""
        return float(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0]) / _NANOSECONDS

    @contextmanager
    def spending(self) -> Generator[Spent]:
        """What the block costs, filled in when it ends."""
        spent = Spent()
        before = [_reset(process) for process in ("self", str(self.pid))]
        cpu, own, began = self.server_seconds, process_time(), perf_counter()
        yield spent
        spent.wall = perf_counter() - began
        spent.own_cpu = process_time() - own
        spent.server_cpu = self.server_seconds - cpu
        peaks = [_status(process, "VmHWM") for process in ("self", str(self.pid))]
        spent.own_peak_mb, spent.server_peak_mb = (
            round(peak - stood, 1) for peak, stood in zip(peaks, before, strict=True)
        )


def meter(pool: Pool) -> Meter:
    """A meter of a pool that holds one connection."""
    with pool.connection() as connection:
        return Meter(connection.info.backend_pid)


def private_mb(pid: int) -> float:
    """Memory that is a process's own, in megabytes: shared buffers are not counted in each."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def table_bytes(admin: psycopg.Connection[Any]) -> dict[str, tuple[int, int]]:
    """Bytes of every table of the two schemas and of its indexes."""
    return {name: (table, indexes) for name, table, indexes in admin.execute(_SIZES)}


def spilled(admin: psycopg.Connection[Any]) -> tuple[int, int]:
    """Temporary files that the server wrote for this database, and their bytes."""
    row = admin.execute(_SPILLED).fetchone()
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def _reset(process: str) -> float:
    """Forgets the peak of a process; megabytes it holds."""
    Path(f"/proc/{process}/clear_refs").write_text("5", encoding="ascii")
    return _status(process, "VmRSS")


def _status(process: str, name: str) -> float:
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024
