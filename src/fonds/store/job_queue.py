"""The queue of jobs in Postgres, as `fonds_queue` (R191): the library's tables and functions, and
the slots of schedules. Its connection is its own, and is made again when the server was gone.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import psycopg
from psycopg import Connection

from fonds.contract.job_queue import Attempt, AttemptOutcome, QueuedJob, TakenJob
from fonds.store.errors import translated
from fonds.store.pools import CONNECT_SECONDS
from fonds.store.statements import Row, dict_rows, statements

_FAILED = "failed"
_STATUS = {"done": "succeeded"}  # the library's word; every other outcome is its `failed`


@dataclass(slots=True)
class PostgresJobQueue:
    """Implements `contract.job_queue.JobQueue`. Close it when done; it opens by itself."""

    url: str = field(repr=False)
    _held: Connection[Any] | None = field(default=None, repr=False)

    def close(self) -> None:
        """Leaves the server; the next call comes back."""
        held, self._held = self._held, None
        if held is not None:
            held.close()

    def archive_id(self, slug: str) -> int | None:
        with self._working() as connection:
            row = connection.execute(
                statements("archives")["open_archive"], {"slug": slug}
            ).fetchone()
        return None if row is None or row[0] is None else int(row[0])

    def now(self) -> datetime:
        with self._working() as connection:
            row = connection.execute(statements("queue")["queue_now"]).fetchone()
        assert row is not None  # noqa: S101 - a function call answers one row
        return row[0]

    def slots(self) -> Mapping[tuple[int, str], datetime]:
        with self._working() as connection:
            rows = dict_rows(connection, "queue", "slots")
        return {(row["archive_id"], row["job"]): row["taken"] for row in rows}

    def enqueue(self, archive_id: int, job: str) -> int | None:
        with self._working() as connection:
            return _enqueued(connection, archive_id, job)

    def take_slot(self, archive_id: int, job: str, slot: datetime) -> bool:
        of = {"archive": archive_id, "job": job}
        with self._working() as connection:
            if _rows(connection, "open_slot", **of):
                return False
            _rows(connection, "mend_slot", **of)
            if not _rows(connection, "take_slot", **of, slot=slot):
                return False
            _enqueued(connection, archive_id, job)
            return True

    def register(self) -> int:
        with self._working() as connection:
            return int(dict_rows(connection, "queue", "register_worker")[0]["worker_id"])

    def beat(self, worker_id: int) -> bool:
        with self._working() as connection:
            return _rows(connection, "beat", worker=worker_id) == 1

    def unregister(self, worker_id: int) -> None:
        with self._working() as connection:
            _rows(connection, "unregister_worker", worker=worker_id)

    def take(self, worker_id: int, archive_ids: Collection[int]) -> TakenJob | None:
        if not archive_ids:
            return None
        with self._working() as connection:
            _rows(connection, "call_back")
            found = _fetched(connection, sorted(archive_ids), worker_id)
            if not found:
                return None
            of: Row = found[0]
            _rows(connection, "close_lost_attempts", job_id=of["job_id"])
            opened = dict_rows(
                connection,
                "queue",
                "open_attempt",
                archive=of["archive_id"],
                job=of["job"],
                job_id=of["job_id"],
            )
            return TakenJob(attempt_id=opened[0]["attempt_id"], worker_id=worker_id, **of)

    def finish(self, taken: TakenJob, outcome: AttemptOutcome, exit_code: int | None) -> bool:
        with self._working() as connection:
            if not _still_held(connection, taken, outcome, exit_code):
                return False
            _finish(connection, taken.job_id, _STATUS.get(outcome, _FAILED))
            return True

    def retry(
        self, taken: TakenJob, outcome: AttemptOutcome, exit_code: int | None, seconds: int
    ) -> bool:
        with self._working() as connection:
            if not _still_held(connection, taken, outcome, exit_code):
                return False
            _retry(connection, taken.job_id, seconds)
            return True

    def give_back_stalled(
        self, seconds: int, most_attempts: int, *, worker_id: int | None, running: Collection[int]
    ) -> int:
        of = {"seconds": seconds, "worker": worker_id, "running": list(running)}
        with self._working() as connection:
            stalled = dict_rows(connection, "queue", "stalled_jobs", **of)
            for job in stalled:
                _rows(connection, "close_lost_attempts", job_id=job["job_id"])
                if job["attempts"] + 1 >= most_attempts:
                    _finish(connection, job["job_id"], _FAILED)
                else:
                    _retry(connection, job["job_id"], 0)
            _rows(connection, "forget_workers", seconds=seconds)
            return len(stalled)

    def forget_old(self, days: int) -> None:
        with self._working() as connection:
            _rows(connection, "forget_jobs", days=days)
            _rows(connection, "forget_attempts", days=days)

    def queued(self, archive_id: int) -> tuple[QueuedJob, ...]:
        """What waits or runs of an archive, and the last that ended of each job; oldest first."""
        with self._working() as connection:
            rows = dict_rows(connection, "queue", "queued_jobs", archive=archive_id)
        return tuple(QueuedJob(**row) for row in rows)

    def attempts(self, archive_id: int, most: int) -> tuple[Attempt, ...]:
        """The last runs of an archive's jobs by workers, youngest first."""
        with self._working() as connection:
            rows = dict_rows(connection, "queue", "last_attempts", archive=archive_id, most=most)
        return tuple(Attempt(**row) for row in rows)

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Jobs by name and the library's status, over all archives."""
        with self._working() as connection:
            rows = dict_rows(connection, "queue", "job_counts")
        return {(row["job"], row["status"]): row["count"] for row in rows}

    @contextmanager
    def _working(self) -> Generator[Connection[Any]]:
        """One transaction. A connection that failed in it is not used again."""
        with translated():
            if self._held is None or self._held.closed:
                self._held = psycopg.connect(
                    self.url, autocommit=True, connect_timeout=CONNECT_SECONDS
                )
                self._held.prepare_threshold = None
            try:
                with self._held.transaction():
                    self._held.execute(statements("queue")["set_patience"])
                    yield self._held
            except psycopg.OperationalError:
                self.close()
                raise


def _rows(connection: Connection[Any], name: str, **values: object) -> int:
    """How many rows a statement changed or answered."""
    return connection.execute(statements("queue")[name], values).rowcount


def _enqueued(connection: Connection[Any], archive_id: int, job: str) -> int | None:
    try:
        with connection.transaction():
            rows = dict_rows(connection, "queue", "enqueue", archive=archive_id, job=job)
    except psycopg.errors.UniqueViolation:
        return None
    return int(rows[0]["job_id"])


def _fetched(connection: Connection[Any], archive_ids: list[int], worker_id: int) -> list[Row]:
    """The next job, if any; none when another worker took one of that archive this moment."""
    try:
        with connection.transaction():
            return dict_rows(
                connection, "queue", "take_job", archives=archive_ids, worker=worker_id
            )
    except psycopg.errors.UniqueViolation:
        return []


def _still_held(
    connection: Connection[Any], taken: TakenJob, outcome: AttemptOutcome, exit_code: int | None
) -> bool:
    """Closes the attempt; whether its worker still has a say over the job, whose row is locked.

    The job comes first: whoever gives back what is stalled takes the rows in the same order.
    """
    held = _rows(connection, "held_job", job_id=taken.job_id, worker=taken.worker_id) == 1
    _rows(
        connection,
        "close_attempt",
        archive=taken.archive_id,
        attempt=taken.attempt_id,
        outcome=outcome,
        exit_code=exit_code,
    )
    return held


def _finish(connection: Connection[Any], job_id: int, status: str) -> None:
    _rows(connection, "finish_job", job_id=job_id, status=status)


def _retry(connection: Connection[Any], job_id: int, seconds: int) -> None:
    """Back into the queue, unless the same job waits there: also when it came this moment."""
    try:
        with connection.transaction():
            _rows(connection, "retry_job", job_id=job_id, seconds=seconds)
    except psycopg.errors.UniqueViolation:
        _finish(connection, job_id, _FAILED)
