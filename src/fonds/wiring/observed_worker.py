"""A worker that is measured: its lines as they are, and the same as counts and gauges (R186)."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from fonds.jobs.worker import Say, Worker, WorkerTerms
from fonds.observing.checked import Event
from fonds.observing.events import JobEnded
from fonds.observing.measures import Figure
from fonds.observing.observer import Sink
from fonds.observing.vocabulary import JobName, JobState
from fonds.settings import Settings
from fonds.store.job_queue import PostgresJobQueue
from fonds.wiring.observing_process import observed_process
from fonds.wiring.working import worker_of

_STATES: Final[Mapping[str, JobState]] = {"todo": "waiting", "doing": "working", "failed": "failed"}


@contextmanager
def observed_worker(
    settings: Settings, archive: Path | None, say: Say, terms: WorkerTerms
) -> Generator[Worker]:
    """As `worker_of`; FONDS_METRICS_PORT shows its jobs, and the queue whenever it is asked."""
    with observed_process("worker", settings) as process:
        told = measured(say, process.observer.note)
        with worker_of(settings, archive, told, terms) as (worker, url):
            process.read_from(lambda: queue_figures(url))
            process.ready()
            yield worker
            process.ending()


def queue_figures(url: str) -> list[Figure]:
    """How many jobs wait, are worked on, or failed and are still remembered; a connection of its
    own, since it is asked from another thread.
    """
    with closing(PostgresJobQueue(url)) as queue:
        counts = queue.counts()
    figures: dict[tuple[JobName, JobState], int] = {}
    for (job, status), count in counts.items():
        if status in _STATES:
            of = (_name(job), _STATES[status])
            figures[of] = figures.get(of, 0) + count
    return [
        ("fonds_queue_jobs", {"job": job, "state": state}, float(count))
        for (job, state), count in figures.items()
    ]


def measured(say: Say, measures: Sink) -> Say:
    """Says a line, and counts what it tells of."""

    def said(line: Mapping[str, object]) -> None:
        say(line)
        ended = _ended(line)
        if ended is not None:
            measures(ended)

    return said


def _ended(line: Mapping[str, object]) -> Event | None:
    """What a job that was given back came to is told by its next attempt: it failed nothing."""
    match line:
        case {"outcome": "given-back"} | {"kept": False}:
            return None
        case {
            "outcome": str(),
            "archiveId": int() as archive,
            "job": str() as job,
            "exitCode": int() as code,
            "seconds": int() | float() as seconds,
        }:
            return JobEnded(archive, _name(job), code, 1000.0 * seconds)
        case _:
            return None


def _name(job: str) -> JobName:
    return "ingest" if job == "ingest" else "build" if job == "build" else "other"
