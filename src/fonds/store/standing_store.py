"""How an archive stands, as the serving role may know it: figures, no content (R186)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fonds.contract.allowances import Allowances
from fonds.contract.archive_state import LastRun
from fonds.store.pools import Pool, transaction
from fonds.store.statements import statements


@dataclass(frozen=True, slots=True)
class Standing:
    """The last run of each job, refusals by reason, and the limits in force."""

    runs: tuple[LastRun, ...]
    refusals: Mapping[str, int]
    allowances: Allowances | None


def read_standing(pool: Pool, archive_id: int, days: int) -> Standing:
    """Of the archive, with the refusals of so many days; raises Unavailable."""
    with transaction(pool, archive_id) as connection:
        row = connection.execute(statements("served")["standing"], {"days": days}).fetchone()
    assert row is not None  # noqa: S101 - a function call answers one row
    found: dict[str, Any] = row[0]
    runs = tuple(
        LastRun(run["job"], run["outcome"], datetime.fromisoformat(run["finished"]))
        for run in found["runs"]
    )
    limits = found["limits"]
    return Standing(runs, found["refusals"], None if limits is None else Allowances(**limits))
