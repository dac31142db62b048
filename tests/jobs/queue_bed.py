"""A queue, archives and a worker of a test: real rows, and children that do as they are told."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from fonds.cron_line import CronLine
from fonds.jobs.scheduling import HeldArchive
from fonds.jobs.worker import Worker, WorkerTerms
from fonds.store.archives import register_archive
from fonds.store.job_queue import PostgresJobQueue
from fonds.store.pools import open_pool
from tests.servers import Database

CEILING = 120.0  # seconds; it only ends a test that hangs
ACTING = "tests.jobs.acting"
# Every heart stopped long ago, for those that a test does not leave out.
SILENT = "UPDATE jobs.procrastinate_workers SET last_heartbeat = now() - interval '1 hour'"
LOOKING = WorkerTerms(look=0.0)  # at every turn


@dataclass
class Clock:
    """A monotonic clock that a test moves."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Bed:
    """One database with its queue; `said` gathers what workers say."""

    database: Database
    folder: Path
    queue: PostgresJobQueue
    said: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])
    clock: Clock = field(default_factory=Clock)
    _ended: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        """Ends the children of workers that a failing test left behind."""
        self._ended.close()
        self.queue.close()

    def archive(self, slug: str, act: str = "exit 0", **schedule: str) -> HeldArchive:
        """A registered archive whose jobs do what `act` says (tests.jobs.acting)."""
        pool = open_pool(self.database.login("fonds_ingest"), size=1)
        try:
            archive_id = register_archive(
                pool, slug=slug, name="N", author="A", base_url="https://e.org"
            )
        finally:
            pool.close()
        file = self.folder / slug / "act.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(act, encoding="utf-8")
        lines = {job: CronLine(line) for job, line in schedule.items()}
        return HeldArchive(archive_id, slug, file, lines)

    def worker(self, *archives: HeldArchive, terms: WorkerTerms = LOOKING) -> Worker:
        """A worker of these archives; both jobs act."""
        queue = PostgresJobQueue(self.queue.url)
        made = Worker(
            queue,
            lambda: archives,
            {"ingest": ACTING, "build": ACTING},
            self.said.append,
            terms,
            self.clock,
        )
        self._ended.callback(queue.close)
        self._ended.callback(made.leave, time.sleep)
        return made

    def changed(self, statement: str, **values: object) -> None:
        """Changes rows as the superuser, past triggers: what only a clock or a crash could do."""
        with psycopg.connect(self.database.admin_url) as session:
            session.execute("SET session_replication_role = replica")
            session.execute(statement.encode(), values)

    def rows(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database.admin_url) as session:
            return session.execute(statement.encode(), values).fetchall()

    def standing(self) -> list[tuple[str, str, int]]:
        """(job, status, attempts ended) of every job, oldest first."""
        return self.rows(
            "SELECT task_name, status::text, attempts FROM jobs.procrastinate_jobs ORDER BY id"
        )

    def first_worker(self) -> int:
        """The id of the first worker that said it began."""
        return next(int(str(said["worker"])) for said in self.said if said.get("began"))

    def outcomes(self) -> list[tuple[str, str | None, int | None]]:
        """(job, outcome, exit code) of every attempt, oldest first."""
        return self.rows("SELECT job, outcome, exit_code FROM jobs.attempt ORDER BY attempt_id")


@contextmanager
def bed_of(database: Database, folder: Path) -> Generator[Bed]:
    bed = Bed(database, folder, PostgresJobQueue(database.url("fonds_queue")))
    try:
        yield bed
    finally:
        bed.close()


def until(holds: Callable[[], bool]) -> None:
    """Waits for what another process does; raises when the ceiling ends it."""
    limit = time.monotonic() + CEILING
    while not holds():
        if time.monotonic() > limit:
            raise AssertionError("waited in vain")
        time.sleep(0.01)


def worked_off(worker: Worker) -> None:
    """Turns until nothing runs and nothing may be taken."""
    until(lambda: not worker.turn() and not worker.running)


def is_gone(pid: int) -> bool:
    """Whether a process ended; one that nobody waited for counts as ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return not Path("/proc").exists()
