"""A worker that is killed, cut off or told to end loses no job, and pays nothing twice (C08)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

from fonds.archive_file import read_archive_file
from fonds.jobs.job_modules import job_modules
from fonds.jobs.scheduling import HeldArchive
from fonds.jobs.worker import Worker, WorkerTerms
from fonds.store.archives import job_lock
from fonds.store.job_queue import PostgresJobQueue
from tests.archives import essay, written
from tests.jobs.queue_bed import CEILING, LOOKING, SILENT, Bed, is_gone, until, worked_off
from tests.providers.stub_provider import Answer, embedded, stub_provider

ESSAYS = 150  # two batches
OPENAI = '\n[embedding]\nprovider = "openai"\nmodel = "stub"\ndimensions = 4\n'


@pytest.fixture
def environment(bed: Bed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process of ours is told, and the children of a worker in this one as well."""
    for name, value in bed.database.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FONDS_HOME", str(tmp_path / "unused"))
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")


@contextmanager
def working(folder: Path) -> Generator[subprocess.Popen[str]]:
    """A worker as an operator starts it, once it took up its work."""
    fonds = Path(sys.executable).with_name("fonds")
    command = [str(fonds), "jobs", "worker", "--poll", "1", "--archive", str(folder)]
    worker = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    limit = threading.Timer(CEILING, worker.kill)
    limit.start()
    try:
        yield worker
    finally:
        limit.cancel()
        worker.kill()
        worker.wait(CEILING)
        assert worker.stderr is not None
        worker.stderr.close()


def held(bed: Bed, folder: Path) -> HeldArchive:
    """The archive of the folder, registered."""
    config = read_archive_file(folder)
    archive = bed.archive(config.slug)
    return HeldArchive(archive.archive_id, config.slug, config.file, {})


def real_worker(bed: Bed, archive: HeldArchive, queue: PostgresJobQueue) -> Worker:
    """A worker of this process over the installed jobs, with a clock that the test moves."""
    return Worker(queue, lambda: [archive], job_modules(), bed.said.append, LOOKING, bed.clock)


def test_a_killed_worker_is_replaced_and_nothing_embedded_is_paid_for_again(
    bed: Bed, environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C08: the worker dies with kill -9 in the second batch; its child ends with it; the next one
    asks for what lacks.
    """
    asked, go_on = threading.Event(), threading.Event()

    def second_hangs(number: int, inputs: list[str]) -> Answer:
        if number == 2:
            asked.set()
            go_on.wait(CEILING)
        return embedded(inputs)

    files = {f"essays/{n:03}.md": essay(f"Wind {n}", f"On kites, {n}.") for n in range(ESSAYS)}
    folder = written(tmp_path / "archive", files)
    file = folder / "archive.toml"
    file.write_text(file.read_text().replace('\n[embedding]\nprovider = "hashing"\n', OPENAI))
    with stub_provider(second_hangs) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url)
        archive = held(bed, folder)
        bed.queue.enqueue(archive.archive_id, "ingest")
        with working(folder) as worker:
            child = int(str(told(worker, "pid")[-1]["pid"]))
            assert asked.wait(CEILING)
            worker.send_signal(signal.SIGKILL)
            worker.wait(CEILING)
        until(lambda: is_gone(child))
        go_on.set()
        first = dict(stub.seen)
        assert bed.standing() == [("ingest", "doing", 0)]
        _replaced(bed, archive)
    assert bed.standing() == [("ingest", "succeeded", 2)]
    assert bed.outcomes() == [("ingest", "lost", None), ("ingest", "done", 0)]
    assert len(first) == len(stub.seen) == ESSAYS
    again = {text for text, count in stub.seen.items() if count > 1}
    assert again == set(stub.requests[1]["input"])
    assert bed.rows("SELECT count(*) FROM private.embedding") == [(ESSAYS,)]


def _replaced(bed: Bed, archive: HeldArchive) -> None:
    """Another worker comes; the heart of the first stopped, and it has seen so for long enough."""
    queue = PostgresJobQueue(bed.queue.url)
    try:
        worker = real_worker(bed, archive, queue)
        worked_off(worker)
        bed.changed(SILENT + " WHERE id <> %(mine)s", mine=bed.first_worker())
        worked_off(worker)
        assert bed.standing() == [("ingest", "doing", 0)], "others are given their time"
        bed.clock.now += WorkerTerms().stalled_after + 1
        worked_off(worker)
        worker.leave(sleep)
    finally:
        queue.close()


def told(worker: subprocess.Popen[str], key: str) -> list[dict[str, object]]:
    """What a worker says, up to the first line that has the key."""
    assert worker.stderr is not None
    lines: list[dict[str, object]] = []
    for line in worker.stderr:
        lines.append(json.loads(line))
        if key in lines[-1]:
            return lines
    raise AssertionError("the worker ended")


def test_a_worker_told_to_end_gives_back_and_says_so(
    bed: Bed, environment: None, tmp_path: Path
) -> None:
    """SIGTERM: exit 0, one JSON line a thing done, no word of the archive."""
    folder = written(tmp_path / "archive", {"essays/a.md": essay("A", "Brindlewick.")})
    archive = held(bed, folder)
    bed.queue.enqueue(archive.archive_id, "ingest")
    with working(folder) as worker:
        lines = told(worker, "outcome")
        worker.send_signal(signal.SIGTERM)
        lines += told(worker, "ended")
        assert worker.wait(CEILING) == 0
    (ended,) = [line for line in lines if "outcome" in line]
    assert (ended["archive"], ended["job"], ended["outcome"]) == ("example", "ingest", "done")
    assert lines[-1] == {"worker": ended["worker"], "ended": True}
    assert {"job": "ingest", "exitCode": 0} in [
        {key: line.get(key) for key in ("job", "exitCode")} for line in lines if len(line) == 3
    ]
    assert "Brindlewick" not in str(lines)
    assert bed.rows("SELECT count(*) FROM jobs.procrastinate_workers") == [(0,)]


def test_a_worker_that_was_given_up_has_no_say_over_its_jobs(bed: Bed, tmp_path: Path) -> None:
    archive = bed.archive("a", f"pid {tmp_path / 'a.pid'}")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker(archive)
    worker.turn()
    until((tmp_path / "a.pid").exists)
    bed.changed(SILENT)
    assert bed.queue.give_back_stalled(60, 5, worker_id=None, running=()) == 1
    archive.file.write_text("exit 0", encoding="utf-8")
    bed.clock.now += WorkerTerms().beat
    worked_off(worker)
    assert bed.standing() == [("ingest", "succeeded", 2)]
    assert bed.outcomes() == [("ingest", "lost", None), ("ingest", "done", 0)]
    assert is_gone(int((tmp_path / "a.pid").read_text()))
    assert [said for said in bed.said if said.get("kept") is False]


def test_a_job_that_kills_its_workers_is_given_up(bed: Bed) -> None:
    archive = bed.archive("a")
    bed.queue.enqueue(archive.archive_id, "ingest")
    for attempt in range(1, 6):
        taken = bed.queue.take(bed.queue.register(), [archive.archive_id])
        assert taken is not None
        bed.changed(SILENT)
        assert bed.queue.give_back_stalled(60, 5, worker_id=None, running=()) == 1
        status = "failed" if attempt == 5 else "todo"
        assert bed.standing() == [("ingest", status, attempt)]
    assert bed.outcomes() == [("ingest", "lost", None)] * 5


def test_a_job_whose_taking_was_never_told_is_given_back(bed: Bed) -> None:
    """The answer of a transaction is lost: the job is its worker's, which knows nothing of it."""
    archive = bed.archive("a")
    bed.queue.enqueue(archive.archive_id, "ingest")
    worker = bed.worker()
    worker.turn()
    mine = bed.first_worker()
    assert bed.queue.take(mine, [archive.archive_id]) is not None
    known = bed.queue.give_back_stalled(3600, 5, worker_id=mine, running=[10**9])
    assert known == 1
    assert bed.standing() == [("ingest", "todo", 1)]


@pytest.mark.parametrize(("act", "by"), [("pid", signal.SIGTERM), ("stubborn", signal.SIGKILL)])
def test_a_child_ends_when_its_worker_does(tmp_path: Path, act: str, by: signal.Signals) -> None:
    """Its stdin closes, whatever ended the worker; one that hangs on is ended as a worker would."""
    acts, said = tmp_path / "act.txt", tmp_path / "a.pid"
    acts.write_text(f"{act} {said}", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.acting", str(acts)], stdin=subprocess.PIPE
    )
    until(said.exists)
    assert process.poll() is None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(CEILING) == -by
    assert os.getpid() != process.pid


def test_a_run_that_holds_the_archive_is_waited_for(
    bed: Bed, environment: None, tmp_path: Path
) -> None:
    """A job that was given back may meet the child of the worker that lost it: it is not lost."""
    archive = held(bed, written(tmp_path / "archive", {"essays/a.md": essay("A", "Kites.")}))
    bed.queue.enqueue(archive.archive_id, "ingest")
    queue = PostgresJobQueue(bed.queue.url)
    try:
        with job_lock(bed.database.login("fonds_ingest"), archive.archive_id, "ingest"):
            worker = real_worker(bed, archive, queue)
            worked_off(worker)
            worker.leave(sleep)
    finally:
        queue.close()
    assert bed.outcomes() == [("ingest", "unavailable", 69)]
    assert bed.standing() == [("ingest", "todo", 1)]
