"""How the jobs of archives stand: what is scheduled, what waits or runs, and how the last ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from fonds.contract.job_queue import Attempt, QueuedJob
from fonds.settings import Settings
from fonds.store.archives import last_runs
from fonds.store.job_queue import PostgresJobQueue
from fonds.store.servers import Server
from fonds.wiring.held import held_files
from fonds.wiring.working import UNREGISTERED, queueing


@dataclass(frozen=True, slots=True)
class JobStanding:
    """One archive; times are the database's. `schedule` is (job, line, next slot), `runs` (job,
    outcome, when it ended) of whoever ran it.
    """

    slug: str
    schedule: tuple[tuple[str, str, datetime], ...]
    queued: tuple[QueuedJob, ...]
    attempts: tuple[Attempt, ...]
    runs: tuple[tuple[str, str, datetime], ...]

    def as_json(self) -> dict[str, object]:
        return {
            "archive": self.slug,
            "schedule": [
                {"job": job, "line": line, "next": _told(due)} for job, line, due in self.schedule
            ],
            "queue": [
                {
                    "id": one.job_id,
                    "job": one.job,
                    "status": one.status,
                    "attempts": one.attempts,
                    "notBefore": _told(one.not_before),
                }
                for one in self.queued
            ],
            "attempts": [
                {
                    "id": one.job_id,
                    "job": one.job,
                    "beganAt": _told(one.began_at),
                    "endedAt": _told(one.ended_at),
                    "outcome": one.outcome,
                    "exitCode": one.exit_code,
                }
                for one in self.attempts
            ],
            "runs": [
                {"job": job, "outcome": outcome, "finishedAt": _told(ended)}
                for job, outcome, ended in self.runs
            ],
        }


@dataclass(frozen=True, slots=True)
class JobStandings:
    """Of all archives held; `unusable` pairs a name with the reason."""

    archives: tuple[JobStanding, ...]
    unusable: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, object]:
        return {
            "archives": [one.as_json() for one in self.archives],
            "unusable": [{"archive": name, "reason": why} for name, why in self.unusable],
        }


def job_standings(settings: Settings, archive: Path | None, most: int) -> JobStandings:
    """At most so many attempts and runs of each archive; raises what `queueing` raises."""
    held = held_files(settings, archive)
    unusable = list(held.unusable)
    found: list[JobStanding] = []
    with queueing(settings) as (server, queue):
        now = queue.now()
        for config in held.usable:
            archive_id = queue.archive_id(config.slug)
            if archive_id is None:
                unusable.append((config.slug, UNREGISTERED))
                continue
            schedule = tuple((job, one.text, one.after(now)) for job, one in config.schedule)
            found.append(_standing(server, queue, archive_id, (config.slug, schedule), most))
    return JobStandings(tuple(found), tuple(unusable))


def _standing(
    server: Server,
    queue: PostgresJobQueue,
    archive_id: int,
    of: tuple[str, tuple[tuple[str, str, datetime], ...]],
    most: int,
) -> JobStanding:
    slug, schedule = of
    return JobStanding(
        slug,
        schedule,
        queue.queued(archive_id),
        queue.attempts(archive_id, most),
        last_runs(server.login_of("fonds_ingest"), archive_id, most),
    )


def _told(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
