"""What whoever keeps an archive is told of it: numbers, times and closed words (R186)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from fonds.contract.allowances import Allowances
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run of a job, and how it ended."""

    job: str
    outcome: str
    finished_at: datetime


@sealed
@dataclass(frozen=True, slots=True)
class LiveFigures:
    """The build that answers; `gate` is how its calibration stands."""

    build_id: int
    built_at: datetime
    entity_count: int
    fragment_count: int
    gate: str


@sealed
@dataclass(frozen=True, slots=True)
class ArchiveState:
    """`live` is None before the first build; `refusals` are of the last `days`, by reason;
    `allowances` are those in force, None where none were registered.
    """

    slug: str
    live: LiveFigures | None
    runs: tuple[LastRun, ...]
    days: int
    refusals: Mapping[str, int]
    allowances: Allowances | None
