"""What waits is run in a child, its exit code is the outcome, and only an outage is tried again
(R191, C08).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import sleep

import pytest

from fonds.jobs.ending import BACKOFF_SECONDS, MOST_ATTEMPTS, outcome_of, retry_after
from tests.jobs.queue_bed import LOOKING, Bed, is_gone, until, worked_off

SKIP_WAIT = "UPDATE jobs.procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'"


@pytest.mark.parametrize(
    ("code", "status", "outcome"),
    [
        (0, "succeeded", "done"),
        (1, "failed", "failed"),
        (2, "failed", "failed"),
        (4, "failed", "waits"),
        (77, "failed", "failed"),
    ],
)
def test_an_exit_code_is_the_outcome_and_final(
    bed: Bed, code: int, status: str, outcome: str
) -> None:
    archive = bed.archive("a", f"exit {code}")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worked_off(bed.worker(archive))
    assert bed.standing() == [("ingest", status, 1)]
    assert bed.outcomes() == [("ingest", outcome, code)]
    (line,) = [said for said in bed.said if "outcome" in said]
    assert (line["archive"], line["job"], line["exitCode"]) == ("a", "ingest", code)


def test_a_service_that_does_not_answer_is_waited_for_and_not_for_ever(bed: Bed) -> None:
    archive = bed.archive("a", "exit 69")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive)
    for ended in range(1, MOST_ATTEMPTS):
        worked_off(worker)
        assert bed.standing() == [("ingest", "todo", ended)]
        ((wait,),) = bed.rows(
            "SELECT extract(epoch FROM scheduled_at - ended_at)::int FROM"
            " jobs.procrastinate_jobs, jobs.attempt ORDER BY attempt_id DESC LIMIT 1"
        )
        assert wait == BACKOFF_SECONDS[ended - 1]
        bed.changed(SKIP_WAIT)
    worked_off(worker)
    assert bed.standing() == [("ingest", "failed", MOST_ATTEMPTS)]
    assert bed.outcomes() == [("ingest", "unavailable", 69)] * MOST_ATTEMPTS


def test_a_build_does_not_wait_for_an_ingest_that_waits_for_its_provider(bed: Bed) -> None:
    archive = bed.archive("a", "exit 69")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive)
    worked_off(worker)
    archive.file.write_text("exit 0", encoding="utf-8")
    bed.queue.enqueue(archive.archive_id, "build")
    worked_off(worker)
    assert bed.standing() == [("ingest", "todo", 1), ("build", "succeeded", 1)]


def test_one_job_of_an_archive_at_a_time_and_others_beside_it(bed: Bed, tmp_path: Path) -> None:
    first = bed.archive("a", f"pid {tmp_path / 'a.pid'}")
    second = bed.archive("b", f"pid {tmp_path / 'b.pid'}")
    for archive in (first, second):
        bed.queue.enqueue(archive.archive_id, "ingest")
        bed.queue.enqueue(archive.archive_id, "build")
    worker, other = (bed.worker(first, second, terms=replace(LOOKING, at_once=4)) for _ in range(2))
    worker.turn()
    other.turn()
    taken = (*worker.running, *other.running)
    assert sorted((one.archive_id, one.job) for one in taken) == sorted(
        (one.archive_id, "ingest") for one in (first, second)
    )
    for one in (worker, other):
        one.leave(sleep)


def test_a_job_that_takes_too_long_is_ended_and_seen(bed: Bed, tmp_path: Path) -> None:
    archive = bed.archive("a", f"pid {tmp_path / 'a.pid'}")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive, terms=replace(LOOKING, time_limit=600.0))
    worker.turn()
    until((tmp_path / "a.pid").exists)
    bed.clock.now += 599
    worker.turn()
    assert worker.running
    bed.clock.now += 2
    worked_off(worker)
    assert bed.standing() == [("ingest", "failed", 1)]
    assert bed.outcomes() == [("ingest", "timed-out", 143)]


def test_a_job_that_will_not_end_is_ended(bed: Bed, tmp_path: Path) -> None:
    archive = bed.archive("a", f"stubborn {tmp_path / 'a.pid'}")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive, terms=replace(LOOKING, time_limit=600.0, grace=30.0))
    worker.turn()
    until((tmp_path / "a.pid").exists)
    for seconds in (601, 31):
        bed.clock.now += seconds
        worker.turn()
    worked_off(worker)
    assert bed.outcomes() == [("ingest", "timed-out", 137)]
    assert is_gone(int((tmp_path / "a.pid").read_text()))


def test_a_worker_that_leaves_gives_back_what_runs(bed: Bed, tmp_path: Path) -> None:
    """R191: nothing is lost by an update in the middle of an ingest, and nothing waits for it."""
    archive = bed.archive("a", f"pid {tmp_path / 'a.pid'}")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive)
    worker.turn()
    until((tmp_path / "a.pid").exists)
    worker.leave(sleep)
    assert bed.standing() == [("ingest", "todo", 1)]
    assert bed.outcomes() == [("ingest", "given-back", 143)]
    assert bed.rows("SELECT count(*) FROM jobs.procrastinate_workers") == [(0,)]
    archive.file.write_text("exit 0", encoding="utf-8")
    worked_off(bed.worker(archive))
    assert bed.standing() == [("ingest", "succeeded", 2)]


def test_a_job_that_no_package_brings_fails_and_the_next_runs(bed: Bed) -> None:
    archive = bed.archive("a")
    for job in ("polish", "build"):
        bed.queue.enqueue(archive.archive_id, job)
    worked_off(bed.worker(archive))
    assert bed.standing() == [("polish", "failed", 1), ("build", "succeeded", 1)]


def test_jobs_of_an_archive_whose_file_is_bad_wait(bed: Bed) -> None:
    held, other = bed.archive("a"), bed.archive("b")
    for archive in (held, other):
        bed.queue.enqueue(archive.archive_id, "ingest")
    worked_off(bed.worker(held))
    assert bed.standing() == [("ingest", "succeeded", 1), ("ingest", "todo", 0)]


def test_the_same_job_waits_once(bed: Bed) -> None:
    archive = bed.archive("a")
    assert bed.queue.enqueue(archive.archive_id, "ingest") is not None
    assert bed.queue.enqueue(archive.archive_id, "ingest") is None
    assert bed.queue.enqueue(archive.archive_id, "build") is not None


def test_what_is_tried_again_meets_the_same_job_that_came_meanwhile(bed: Bed) -> None:
    """A job in the queue stands for the one that would go back into it."""
    archive = bed.archive("a", "exit 69")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker_id = bed.queue.register()
    taken = bed.queue.take(worker_id, [archive.archive_id])
    assert taken is not None
    assert bed.queue.enqueue(archive.archive_id, "ingest") is not None
    assert bed.queue.retry(taken, "unavailable", 69, 60)
    assert bed.standing() == [("ingest", "failed", 1), ("ingest", "todo", 0)]


def test_every_code_of_a_signal_is_a_failure() -> None:
    assert {outcome_of(128 + number) for number in range(1, 65)} == {"failed"}
    assert retry_after("unavailable", len(BACKOFF_SECONDS)) is None
    assert retry_after("failed", 0) is None


def test_a_job_that_is_tried_again_has_its_turn_before_jobs_that_came_later(bed: Bed) -> None:
    """Two archives whose jobs are always due keep nobody's second attempt waiting for good."""
    archive, busy = bed.archive("a", "exit 69"), bed.archive("b")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worked_off(bed.worker(archive))
    archive.file.write_text("exit 0", encoding="utf-8")
    bed.queue.enqueue(busy.archive_id, "ingest")
    both, worker_id = [archive.archive_id, busy.archive_id], bed.queue.register()
    bed.changed(SKIP_WAIT)
    taken = [bed.queue.take(worker_id, both) for _ in range(2)]
    assert [one.archive_id for one in taken if one is not None] == both
