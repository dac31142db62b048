"""A worker outlives an outage of its database, says so, and gives nobody up for it (R191)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import psycopg
from psycopg import sql

from fonds.jobs.waking import Waking
from fonds.jobs.worker import WorkerTerms
from tests.jobs.queue_bed import SILENT, Bed, is_gone, until, worked_off


@contextmanager
def cut_off(bed: Bed) -> Generator[None]:
    """The database takes no connection, and ended those there were."""
    name = sql.Identifier(bed.database.name)
    with psycopg.connect(bed.database.server.admin_url(), autocommit=True) as session:
        session.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        session.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s",
            (bed.database.name,),
        )
        try:
            yield
        finally:
            session.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))


def test_a_worker_outlives_its_database_and_says_how_its_jobs_ended(bed: Bed) -> None:
    """What ended in the outage is said after it, and not run again."""
    archive = bed.archive("a")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive)
    worker.turn()
    with cut_off(bed):
        for _ in range(3):
            assert not worker.turn()
        assert [said["outage"] for said in bed.said if "outage" in said] == [1, 2, 3]
        assert all("\n" not in str(said.get("why")) for said in bed.said)
        assert len(worker.running) == 1
    worked_off(worker)
    assert bed.said[-1].get("outcome") or {"worker": 1, "outage": 0} in bed.said
    assert bed.standing() == [("ingest", "succeeded", 1)]
    assert bed.outcomes() == [("ingest", "done", 0)]


def test_a_worker_leaves_in_an_outage_and_its_jobs_are_found_by_another(
    bed: Bed, tmp_path: Path
) -> None:
    archive = bed.archive("a", f"pid {tmp_path / 'a.pid'}")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive)
    worker.turn()
    until((tmp_path / "a.pid").exists)
    with cut_off(bed):
        worker.leave(lambda _: None)
    assert bed.said[-1] == {"worker": bed.first_worker(), "ended": True}
    assert "cannot be reached" in str(bed.said[-2]["why"])
    assert is_gone(int((tmp_path / "a.pid").read_text()))
    assert bed.standing() == [("ingest", "doing", 0)]
    bed.changed(SILENT)
    bed.queue.close()
    assert bed.queue.give_back_stalled(60, 5, worker_id=None, running=()) == 1


def test_a_worker_that_leaves_in_a_long_outage_lets_its_jobs_end_by_themselves(
    bed: Bed, tmp_path: Path
) -> None:
    """What a job does on its way out, giving locks back, is not cut short by the outage."""
    archive = bed.archive("a", f"tidy {tmp_path / 'a.pid'}")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive)
    worker.turn()
    until((tmp_path / "a.pid").exists)
    with cut_off(bed):
        for _ in range(3):
            worker.turn()
        worker.leave(sleep)
    assert (tmp_path / "a.tidied").exists()


def test_an_outage_is_waited_out_a_little_longer_each_time(bed: Bed) -> None:
    """Told to end in it, a worker ends: the sleeps it asks for are counted, none is slept."""
    asked: list[float] = []

    class Signals(Waking):
        def sleep(self, seconds: float) -> None:
            asked.append(seconds)
            self.told_to_end = len(asked) == 8

    worker = bed.worker(bed.archive("a"))
    with cut_off(bed):
        worker.run(Signals(-1))
    assert asked == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


def test_a_worker_that_comes_back_gives_the_others_their_time(bed: Bed) -> None:
    """After an outage every heart has stopped for a while: nobody's job is given away at once."""
    archive = bed.archive("a")
    bed.queue.enqueue(archive.archive_id, "ingest")
    other = bed.queue.register()
    assert bed.queue.take(other, [archive.archive_id]) is not None
    worker = bed.worker(archive)
    worked_off(worker)
    bed.clock.now += 10_000
    with cut_off(bed):
        worker.turn()
    bed.queue.close()
    bed.changed(SILENT + " WHERE id = %(other)s", other=other)
    worked_off(worker)
    assert bed.standing() == [("ingest", "doing", 0)]
    bed.queue.beat(other)
    bed.clock.now += WorkerTerms().stalled_after + 1
    worked_off(worker)
    assert bed.standing() == [("ingest", "doing", 0)]
