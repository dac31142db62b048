"""What ran of an archive and how it ended: a job, a word and counts (R191)."""

from __future__ import annotations

from collections.abc import Mapping

from psycopg.types.json import Jsonb

from fonds.store.pools import Pool, transaction
from fonds.store.statements import statements


def record_run(
    pool: Pool, archive_id: int, job: str, outcome: str, report: Mapping[str, object]
) -> None:
    """Keeps one run, as the ingest or build role; `report` holds ids, reasons and counts alone."""
    noted = {"job": job, "outcome": outcome, "report": Jsonb(dict(report))}
    with transaction(pool, archive_id) as connection:
        connection.execute(statements("archives")["record_run"], noted)


def last_outcome(pool: Pool, archive_id: int, job: str) -> str | None:
    """How the last run of a job on record ended, as the ingest or build role; None without one."""
    with transaction(pool, archive_id) as connection:
        row = connection.execute(statements("archives")["last_outcome"], {"job": job}).fetchone()
    return None if row is None else str(row[0])
