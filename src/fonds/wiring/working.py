"""The job queue on the server the settings name: a worker over it, and what it shows (R191)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fonds.archive_config import ArchiveConfig
from fonds.contract.failures import Failure, Misconfigured, NothingServed
from fonds.contract.job_queue import JobQueue
from fonds.jobs.child import start_child
from fonds.jobs.job_modules import job_module, job_modules
from fonds.jobs.scheduling import HeldArchive
from fonds.jobs.worker import Say, Worker, WorkerTerms
from fonds.settings import Settings
from fonds.store.job_queue import PostgresJobQueue
from fonds.store.queue_schema import check_queue
from fonds.store.revision import check_revision
from fonds.store.servers import Server
from fonds.wiring.archives import config_of
from fonds.wiring.held import held_files
from fonds.wiring.serving import serving

UNREGISTERED = "not registered yet: run fonds ingest once"


@contextmanager
def queueing(settings: Settings) -> Generator[tuple[Server, PostgresJobQueue]]:
    """The server and its queue, as `fonds_queue`.

    Raises WrongRevision, and QueueMissing where the library or its tables are not there.
    """
    with serving(settings) as server:
        url = server.url_of("fonds_queue")
        check_revision(url)
        check_queue(url)
        queue = PostgresJobQueue(url)
        try:
            yield server, queue
        finally:
            queue.close()


@contextmanager
def worker_of(
    settings: Settings, archive: Path | None, say: Say, terms: WorkerTerms
) -> Generator[tuple[Worker, str]]:
    """A worker for the archives the settings name, or the one of `archive`, and its queue's URL."""
    with queueing(settings) as (_, queue):
        holding = _Holding(queue, settings, archive, say)
        yield Worker(queue, holding.archives, job_modules(), say, terms), queue.url


def run_here(settings: Settings, archive: Path | None, job: str) -> int:
    """The exit code of a job that runs now, in a process of its own, without the queue."""
    config = _one(settings, archive)
    child = start_child(job_module(job), [str(config.file)])
    try:
        code = child.wait()
    except BaseException:
        child.tell_to_end()
        child.wait()
        raise
    return Failure.exit_code if code is None else code


def enqueued(settings: Settings, archive: Path | None, job: str) -> int | None:
    """The id of a job that now waits for a worker; None when the same one waits already."""
    config = _one(settings, archive)
    job_module(job)
    with queueing(settings) as (_, queue):
        archive_id = queue.archive_id(config.slug)
        if archive_id is None:
            raise NothingServed(f"archive '{config.slug}' is {UNREGISTERED}")
        return queue.enqueue(archive_id, job)


def _one(settings: Settings, archive: Path | None) -> ArchiveConfig:
    if archive is None and settings.archives is not None:
        raise Misconfigured("several archives are hosted: name one by its folder with --archive")
    return config_of(settings, archive or settings.archive)


@dataclass(slots=True)
class _Holding:
    """What a worker asks at every look; says what cannot be used when that changes."""

    queue: JobQueue
    settings: Settings
    archive: Path | None
    say: Callable[[dict[str, object]], None]
    _said: frozenset[tuple[str, str]] = field(default_factory=frozenset[tuple[str, str]])

    def archives(self) -> Sequence[HeldArchive]:
        held = held_files(self.settings, self.archive)
        unusable = list(held.unusable)
        found: list[HeldArchive] = []
        for config in held.usable:
            archive_id = self.queue.archive_id(config.slug)
            if archive_id is None:
                unusable.append((config.slug, UNREGISTERED))
            else:
                found.append(
                    HeldArchive(archive_id, config.slug, config.file, dict(config.schedule))
                )
        for name, reason in unusable:
            if (name, reason) not in self._said:
                self.say({"archive": name, "unusable": reason})
        self._said = frozenset(unusable)
        return found
