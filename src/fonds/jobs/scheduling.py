"""Puts what is due into the queue: each slot once over all workers, by the database's clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from fonds.contract.failures import StoreRefused
from fonds.contract.job_queue import JobQueue
from fonds.cron_line import CronLine

Refused: TypeAlias = Callable[[str, str, str], None]
"""Told slug, job and why, without content."""


@dataclass(frozen=True, slots=True)
class HeldArchive:
    """An archive whose jobs a worker may run: registered, with a file that can be used."""

    archive_id: int
    slug: str
    file: Path
    schedule: Mapping[str, CronLine]


def enqueue_due(
    queue: JobQueue, archives: Iterable[HeldArchive], refused: Refused
) -> tuple[tuple[str, str], ...]:
    """(slug, job) of the slots that this call took. However many passed, a schedule gives one.

    A slot the database refuses, of an archive that is leaving, say, is told to `refused` and asked
    for again at the next look; every other archive goes on.
    """
    now, slots = queue.now(), queue.slots()
    taken: list[tuple[str, str]] = []
    for archive in archives:
        for job, line in archive.schedule.items():
            slot = line.latest(now)
            if not _may_be_due(slots.get((archive.archive_id, job)), slot, now):
                continue
            try:
                if queue.take_slot(archive.archive_id, job, slot):
                    taken.append((archive.slug, job))
            except StoreRefused as trouble:
                refused(archive.slug, job, str(trouble))
    return tuple(taken)


def _may_be_due(taken: datetime | None, slot: datetime, now: datetime) -> bool:
    """Whether the queue has to be asked: no look yet, a slot that came, a clock that was wrong."""
    return taken is None or taken < slot or taken > now
