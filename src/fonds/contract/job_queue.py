"""The queue of jobs as a worker uses it: what waits, what runs, how it ended (R191)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from fonds.contract.sealed import sealed

AttemptOutcome: TypeAlias = Literal[
    "done", "waits", "failed", "unavailable", "timed-out", "given-back", "lost"
]


@sealed
@dataclass(frozen=True, slots=True)
class TakenJob:
    """A job that this worker runs. `attempts` ended before this one."""

    job_id: int
    attempt_id: int
    worker_id: int
    archive_id: int
    job: str
    attempts: int


@sealed
@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job as it stands in the queue; `status` is the library's word."""

    job_id: int
    job: str
    status: str
    attempts: int
    not_before: datetime | None


@sealed
@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a job by a worker; `outcome` and `ended_at` are None while it runs."""

    job_id: int
    job: str
    began_at: datetime
    ended_at: datetime | None
    outcome: AttemptOutcome | None
    exit_code: int | None


class JobQueue(Protocol):
    """Every time is the database's. Each method raises Unavailable while that does not answer; the
    next call tries again.
    """

    def archive_id(self, slug: str) -> int | None:
        """None for an archive that was never registered."""
        ...

    def now(self) -> datetime: ...

    def slots(self) -> Mapping[tuple[int, str], datetime]:
        """The youngest slot that was taken, by archive and job."""
        ...

    def enqueue(self, archive_id: int, job: str) -> int | None:
        """The job's id; None when the same job of this archive waits already."""
        ...

    def take_slot(self, archive_id: int, job: str, slot: datetime) -> bool:
        """Enqueues the job of a slot that came, if no worker has taken it or a later one.

        True when this call took it. The first look at a schedule takes what came before, and
        enqueues nothing.
        """
        ...

    def register(self) -> int:
        """A worker's id, which lives until `unregister` or until its heart stops."""
        ...

    def beat(self, worker_id: int) -> bool:
        """False when others have given up this worker, and given its jobs back."""
        ...

    def unregister(self, worker_id: int) -> None: ...

    def take(self, worker_id: int, archive_ids: Collection[int]) -> TakenJob | None:
        """The next job of these archives, one of an archive at a time."""
        ...

    def finish(self, taken: TakenJob, outcome: AttemptOutcome, exit_code: int | None) -> bool:
        """Ends a job for good. False when it is this worker's no longer, and nothing ended."""
        ...

    def retry(
        self, taken: TakenJob, outcome: AttemptOutcome, exit_code: int | None, seconds: int
    ) -> bool:
        """Ends an attempt; the job waits for so long and lets the archive's other jobs by.

        Where the same job waits already, that one stands for it. False as `finish`.
        """
        ...

    def give_back_stalled(
        self, seconds: int, most_attempts: int, *, worker_id: int | None, running: Collection[int]
    ) -> int:
        """Jobs of workers whose heart stopped for so long wait again, or fail after so many
        attempts; returns how many. So do jobs of `worker_id` beside those it is `running`: it
        took them in a transaction whose answer was lost.
        """
        ...

    def forget_old(self, days: int) -> None:
        """Removes jobs that ended so long ago, and old attempts."""
        ...
