"""`fonds jobs`: run here, left to a worker, looked at; hosted archives apart (R191, R192, R196)."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fonds.cli.main import run
from fonds.contract.failures import Unavailable
from fonds.jobs.job_modules import job_module, job_modules
from fonds.observing.measuring import Measures
from fonds.settings import ROLE_FIELDS, Settings, read_settings
from fonds.wiring import working
from fonds.wiring.held import held_files
from fonds.wiring.observed_worker import measured, queue_figures
from fonds.wiring.working import worker_of
from tests.archives import essay, written
from tests.jobs.queue_bed import ACTING, LOOKING, Bed, is_gone, until, worked_off
from tests.scopes import COMMON

Typed = Callable[..., tuple[int, Any, str]]
HOURLY = '\n[schedule]\ningest = "17 * * * *"\n'
# No slot comes while a test runs, but for one minute a year.
YEARLY = '\n[schedule]\ningest = "17 4 1 1 *"\n'


@pytest.fixture
def typed(
    bed: Bed,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Typed:
    """Does `fonds jobs` in this process: exit code, what it printed as JSON, and its remarks."""
    for name, value in bed.database.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FONDS_HOME", str(tmp_path / "unused"))

    def done(*arguments: str) -> tuple[int, Any, str]:
        code = run(["jobs", *arguments])
        out, err = capfd.readouterr()
        return code, json.loads(out) if out.startswith("{") else out, err

    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "archive", {"essays/a.md": essay("A", "Brindlewick.")})


def test_a_job_runs_here_with_its_exit_code_and_is_then_seen(
    typed: Typed, bed: Bed, folder: Path
) -> None:
    """The run of a job by hand, the job left to a worker, and what a list tells of both."""
    archive = ("--archive", str(folder))
    (folder / "archive.toml").write_text((folder / "archive.toml").read_text() + HOURLY)
    assert "example: cannot be used: not registered yet" in typed("list", *archive)[1]
    code, _, said = typed("run", "ingest", "--queue", *archive)
    assert (code, "not registered yet" in said) == (1, True)
    assert typed("run", "ingest", "--json", *archive)[:2] == (0, {"job": "ingest", "exitCode": 0})
    code, made, _ = typed("run", "build", "--queue", "--json", *archive)
    assert (code, made["queued"]) == (0, True)
    assert typed("run", "build", "--queue", "--json", *archive)[1]["queued"] is False
    code, listed, said = typed("list", "--json", *archive)
    assert (code, said, listed["unusable"]) == (0, "", [])
    (one,) = listed["archives"]
    assert one["archive"] == "example"
    assert [(due["job"], due["line"]) for due in one["schedule"]] == [("ingest", "17 * * * *")]
    assert one["schedule"][0]["next"][14:19] == "17:00"
    assert one["queue"] == [
        {"id": made["id"], "job": "build", "status": "todo", "attempts": 0, "notBefore": None}
    ]
    assert [(ran["job"], ran["outcome"]) for ran in one["runs"]] == [("ingest", "done")]
    with worker_of(read_settings(), folder, bed.said.append, LOOKING) as (worker, _):
        worked_off(worker)
    _, text, _ = typed("list", *archive)
    assert "  ingest: at 17 * * * *, next " in text
    assert f"  job {made['id']} build: succeeded, 1 attempt(s)" in text
    assert " UTC build: done, exit 0" in text
    assert "Brindlewick" not in text


def test_a_job_run_here_ends_with_its_command(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever interrupts the command leaves no job behind."""
    said = tmp_path / "a.pid"
    (folder / "act.txt").write_text(f"pid {said}", encoding="utf-8")
    monkeypatch.setattr(working, "job_module", {"ingest": ACTING}.__getitem__)

    def interrupt() -> None:
        until(said.exists)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            until(lambda: is_gone(int(said.read_text())))
        except AssertionError:  # else a job that stays would hold this test for ever
            os.kill(int(said.read_text()), signal.SIGKILL)
            raise

    # A runner of tests in several processes has its own take no interruption.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            working.run_here(Settings(), folder, "ingest")
    finally:
        signal.signal(signal.SIGINT, before)
        thread.join()
    assert is_gone(int(said.read_text()))


def test_a_command_without_the_extra_names_the_remedy(
    typed: Typed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "procrastinate.schema", None)
    for command in (("list",), ("worker",), ("run", "ingest", "--queue")):
        code, _, said = typed(*command, "--archive", str(folder))
        (line,) = (line for line in said.splitlines() if line.startswith("fonds: "))
        assert (code, 'pip install "fonds[jobs]"' in line) == (2, True)
    assert run(["migrate"]) == 0


def test_migrate_says_what_it_did_not_install(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["migrate", "--json"]) == 0
    out, err = capfd.readouterr()
    assert (json.loads(out)["queue"] is not None, err) == (True, "")
    monkeypatch.setitem(sys.modules, "procrastinate.schema", None)
    assert run(["migrate", "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["queue"] is None
    assert (err.count("\n"), 'pip install "fonds[jobs]"' in err) == (1, True)


def test_an_unknown_job_is_refused_with_those_there_are(typed: Typed, folder: Path) -> None:
    for more in ((), ("--queue",)):
        code, _, said = typed("run", "polish", *more, "--archive", str(folder))
        assert (code, "no such job: there are build, ingest" in said) == (2, True)
    assert set(job_modules()) == {"ingest", "build"}
    assert job_module("build") == "ingest_jobs.build"


@pytest.fixture
def hosted(bed: Bed, tmp_path: Path) -> tuple[Settings, Path]:
    """Three folders: two archives, registered, and one whose file names another's slug."""
    root = tmp_path / "archives"
    for slug, says in (("one", "one"), ("three", "three"), ("two", "one")):
        folder = written(root / slug, {"essays/a.md": essay("A", f"Of {slug}.")}, says)
        (folder / "archive.toml").write_text((folder / "archive.toml").read_text() + YEARLY)
    for slug in ("one", "two", "three"):
        bed.archive(slug)
    urls = {field: bed.database.url(role) for role, field in ROLE_FIELDS.items()}
    return Settings.model_validate({"archives": root, "scope_key": COMMON, **urls}), root


def test_a_worker_holds_hosted_archives_and_no_file_speaks_for_another(
    bed: Bed, hosted: tuple[Settings, Path], typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R192: a bad file is named and stops nobody's schedule; its jobs wait."""
    settings, root = hosted
    monkeypatch.setenv("FONDS_ARCHIVES", str(root))
    two = bed.queue.archive_id("two")
    assert two is not None
    bed.queue.enqueue(two, "ingest")
    with worker_of(settings, None, bed.said.append, LOOKING) as (worker, _):
        worked_off(worker)
        bed.changed("UPDATE jobs.slot SET taken = now() - interval '2 years'")
        worked_off(worker)
    ended = [said for said in bed.said if "outcome" in said]
    assert sorted((said["archive"], said["outcome"]) for said in ended) == [
        ("one", "done"),
        ("three", "done"),
    ]
    ((name, reason),) = [
        (said["archive"], said["unusable"]) for said in bed.said if "unusable" in said
    ]
    assert (name, "slug" in str(reason)) == ("two", True)
    assert bed.rows("SELECT status::text FROM jobs.procrastinate_jobs ORDER BY id LIMIT 1") == [
        ("todo",)
    ]
    code, listed, _ = typed("list", "--json")
    assert code == 0
    assert [one["archive"] for one in listed["archives"]] == ["one", "three"]
    assert [one["archive"] for one in listed["unusable"]] == ["two"]


def test_a_job_reads_its_file_again_and_holds_it_to_its_folder(
    typed: Typed, hosted: tuple[Settings, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changed after the worker looked names no other archive to the job either."""
    _, root = hosted
    monkeypatch.setenv("FONDS_ARCHIVES", str(root))
    code, _, said = typed("run", "ingest", "--archive", str(root / "two"))
    assert (code, "two: slug: another than the folder's name" in said) == (2, True)
    code, _, said = typed("run", "ingest")
    assert (code, "name one by its folder with --archive" in said) == (2, True)


def test_a_folder_of_archives_that_cannot_be_listed_is_said(tmp_path: Path) -> None:
    held = held_files(Settings.model_validate({"archives": tmp_path / "gone"}), None)
    assert (held.usable, held.unusable[0][0]) == ((), "gone")
    held = held_files(Settings(), tmp_path / "none.toml")
    assert (held.usable, held.unusable[0][0]) == ((), "none.toml")


def test_the_queue_of_a_server_that_is_gone_is_unavailable(bed: Bed) -> None:
    bed.queue.url = "postgresql://fonds_queue:sesame@127.0.0.1:1/none"
    with pytest.raises(Unavailable) as refused:
        bed.queue.slots()
    assert "sesame" not in str(refused.value) + repr(bed.queue)


def test_what_a_worker_does_is_measured(bed: Bed) -> None:
    """R186: jobs that ended by exit code, and the queue as it stands, without a word."""
    archive = bed.archive("one")
    for job in ("ingest", "build", "polish"):
        bed.queue.enqueue(archive.archive_id, job)
    assert sorted(queue_figures(bed.queue.url), key=str) == [
        ("fonds_queue_jobs", {"job": job, "state": "waiting"}, 1.0)
        for job in ("build", "ingest", "other")
    ]
    measures = Measures()
    say = measured(bed.said.append, measures)
    say({"archiveId": 1, "job": "ingest", "outcome": "done", "exitCode": 0, "seconds": 2.5})
    say({"worker": 1, "began": True})
    back = {"archiveId": 1, "job": "ingest", "exitCode": 143, "seconds": 2.5}
    say({**back, "outcome": "given-back"})
    say({**back, "outcome": "lost", "kept": False})
    page = measures.page().decode()
    assert 'fonds_jobs_total{exit_code="0",job="ingest"} 1.0' in page
    assert 'fonds_job_seconds_sum{job="ingest"} 2.5' in page
    assert 'exit_code="143"' not in page, (
        "an update of the worker alerts nobody of a job that failed"
    )
    assert len(bed.said) == 4
