"""A slot of a schedule is taken once over all workers, by the database's clock, and forward only
(R191).
"""

from __future__ import annotations

import threading
from datetime import timedelta

import psycopg
import pytest

from fonds.cron_line import CronLine
from fonds.jobs.scheduling import HeldArchive, enqueue_due
from fonds.store.job_queue import PostgresJobQueue
from tests.jobs.queue_bed import Bed

MINUTELY = "* * * * *"
DAILY = "30 4 * * *"
YEARLY = "30 4 1 1 *"  # no two slots while a test runs
MOVE = "UPDATE jobs.slot SET taken = now() + %(by)s WHERE job = %(job)s"
SLOT = "SELECT taken <= now(), taken > now() - interval '1 hour' FROM jobs.slot"


def unexpected(slug: str, job: str, why: str) -> None:
    raise AssertionError(f"{slug}: {job}: {why}")


def due(bed: Bed, *archives: HeldArchive) -> list[tuple[str, str]]:
    return list(enqueue_due(bed.queue, archives, unexpected))


def moved(bed: Bed, job: str, **by: int) -> None:
    """Time passes, or a clock was wrong: the slot is so far from the present."""
    bed.changed(MOVE, by=timedelta(**by), job=job)


def test_the_first_look_at_a_schedule_enqueues_nothing(bed: Bed) -> None:
    """Whoever writes a line at noon did not ask for the morning's."""
    archive = bed.archive("a", ingest=MINUTELY)
    assert due(bed, archive) == []
    assert bed.standing() == []
    assert bed.rows(SLOT) == [(True, True)]


def test_an_outage_of_a_year_enqueues_one_job(bed: Bed) -> None:
    archive = bed.archive("a", ingest=MINUTELY, build=DAILY)
    due(bed, archive)
    for job in ("ingest", "build"):
        moved(bed, job, days=-365)
    assert due(bed, archive) == [("a", "ingest"), ("a", "build")]
    assert due(bed, archive) in ([], [("a", "ingest")])  # a minute may have ended meanwhile
    assert bed.standing() == [("ingest", "todo", 0), ("build", "todo", 0)]


def test_a_slot_that_came_is_taken_by_one_of_many_workers(bed: Bed) -> None:
    archive = bed.archive("a", build=YEARLY)
    due(bed, archive)
    moved(bed, "build", days=-800)
    together, took = threading.Barrier(6), list[tuple[str, str]]()

    def work() -> None:
        queue = PostgresJobQueue(bed.queue.url)
        try:
            together.wait(60)
            took.extend(enqueue_due(queue, [archive], unexpected))
        finally:
            queue.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert took == [("a", "build")]
    assert bed.standing() == [("build", "todo", 0)]


def test_a_schedule_survives_a_clock_that_was_ahead(bed: Bed) -> None:
    """Slots of a wrong future are no slots: the next one that comes is taken."""
    archive = bed.archive("a", build=DAILY)
    due(bed, archive)
    moved(bed, "build", days=5000)
    assert due(bed, archive) == []
    assert bed.rows(SLOT) == [(True, True)]
    moved(bed, "build", days=-2)
    assert due(bed, archive) == [("a", "build")]


def test_a_slot_that_waits_stands_for_the_next(bed: Bed) -> None:
    archive = bed.archive("a", build=DAILY)
    due(bed, archive)
    for _ in range(2):
        moved(bed, "build", days=-2)
        assert due(bed, archive) == [("a", "build")]
    assert bed.standing() == [("build", "todo", 0)]


def test_no_worker_moves_a_slot_back_or_ahead_of_the_clock(bed: Bed) -> None:
    archive = bed.archive("a", build=DAILY)
    due(bed, archive)
    with psycopg.connect(bed.queue.url, autocommit=True) as session:
        for by, rule in ((-1, "slots_only_move_forward"), (1, "a_slot_has_come")):
            with pytest.raises(psycopg.errors.CheckViolation) as refused:
                session.execute(
                    "UPDATE jobs.slot SET taken = taken + make_interval(days => %s)", (by,)
                )
            assert refused.value.diag.constraint_name == rule
        with pytest.raises(psycopg.errors.CheckViolation):
            session.execute(
                "INSERT INTO jobs.slot VALUES (%s, 'other', now() + interval '1 day')",
                (archive.archive_id,),
            )
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("DELETE FROM jobs.slot")
    assert not bed.queue.take_slot(
        archive.archive_id, "build", bed.queue.now() + timedelta(hours=1)
    )


def test_a_slot_and_its_job_are_one_transaction_and_one_that_is_refused_stops_no_other(
    bed: Bed,
) -> None:
    """A queue that refuses the job leaves the slot to be taken again; the others' are taken."""
    archive, other = bed.archive("a"), bed.archive("b", build=DAILY)
    due(bed, other)
    moved(bed, "build", days=-2)
    line = {"no such name": CronLine(DAILY)}
    held = HeldArchive(archive.archive_id, "a", archive.file, line)
    told: list[tuple[str, str, str]] = []

    def refused(slug: str, job: str, why: str) -> None:
        told.append((slug, job, why))

    taken = enqueue_due(bed.queue, [held, other], refused)
    assert taken == (("b", "build"),)
    ((slug, job, why),) = told
    assert (slug, job, "a_job_has_a_name" in why) == ("a", "no such name", True)
    assert bed.rows("SELECT archive_id FROM jobs.slot") == [(other.archive_id,)]


def test_an_archive_that_left_meanwhile_stops_no_workers_look(bed: Bed) -> None:
    """R192: its row is gone while a worker still knows its number."""
    archive, other = bed.archive("a", build=DAILY), bed.archive("b", build=DAILY)
    gone = HeldArchive(10**6, "gone", archive.file, archive.schedule)
    worker = bed.worker(gone, other)
    worker.turn()
    assert [said["archive"] for said in bed.said if "unscheduled" in said] == ["gone"]
    assert [said for said in bed.said if "outage" in said] == []
    assert bed.rows("SELECT archive_id FROM jobs.slot") == [(other.archive_id,)]
