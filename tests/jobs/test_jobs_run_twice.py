"""The scheduled jobs: thin, locked per archive, safe to run twice, silent about content."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

from fonds.contract.failures import Busy
from fonds.store import pools
from fonds.store.archives import job_lock
from fonds.store.pools import single_connection
from ingest_jobs import build, ingest
from ingest_jobs.running import run_job
from tests.archives import essay, house_of, ingested, written
from tests.servers import Database

WORDS = "Brindlewick kept the tide tables."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "archive", {"essays/a.md": essay("A", WORDS)})


@pytest.fixture
def environment(tmp_path: Path, database: Database) -> dict[str, str]:
    urls = database.environment
    return {**os.environ, **urls, "FONDS_HOME": str(tmp_path / "unused")}


def run_module(
    name: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"ingest_jobs.{name}", str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_ingest_then_build_twice(folder: Path, environment: dict[str, str]) -> None:
    for _ in range(2):
        for name in ("ingest", "build"):
            done = run_module(name, folder, environment)
            assert done.returncode == 0, done.stderr
            line = json.loads(done.stderr.splitlines()[-1])
            assert (line["job"], line["exitCode"]) == (name, 0)
            assert "Brindlewick" not in done.stdout + done.stderr


@pytest.mark.parametrize("job", ["ingest", "build"])
def test_a_second_run_of_the_same_archive_is_refused(
    folder: Path, database: Database, job: str
) -> None:
    """R191: one run of a job at a time; the lock goes with its holder."""
    with house_of(folder, database) as house:
        ingested(house)
        role = f"fonds_{job}"
        with job_lock(database.login(role), 1, job), pytest.raises(Busy, match=job):
            ingested(house) if job == "ingest" else house.build(yes=True)
        ingested(house)


def test_the_server_asks_after_a_job_that_holds_its_archive(
    folder: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R191: a machine that went does not hold its archive for the two hours a system allows it."""
    held: list[Connection[Any]] = []

    @contextmanager
    def kept(url: str) -> Generator[Connection[Any]]:
        with single_connection(url) as connection:
            held.append(connection)
            yield connection

    with house_of(folder, database) as house:
        ingested(house)
    monkeypatch.setattr(pools, "single_connection", kept)
    with job_lock(database.login("fonds_ingest"), 1, "ingest"):
        asked = held[0].execute("SELECT name FROM pg_settings WHERE source = 'session'").fetchall()
    assert {name for (name,) in asked} >= {
        "tcp_keepalives_idle",
        "tcp_keepalives_interval",
        "tcp_keepalives_count",
        "tcp_user_timeout",
    }


def test_another_archive_is_not_locked_out(
    folder: Path, tmp_path: Path, database: Database
) -> None:
    other = written(tmp_path / "other", {"essays/b.md": essay("B", "Kites.")}, "other")
    with house_of(folder, database) as house, house_of(other, database) as second:
        ingested(house)
        with job_lock(database.login("fonds_ingest"), 1, "ingest"):
            assert ingested(second).done == 1


def test_a_failing_job_leaves_the_old_build(folder: Path, environment: dict[str, str]) -> None:
    run_module("ingest", folder, environment)
    run_module("build", folder, environment)
    (folder / "archive.toml").write_text("name = ", encoding="utf-8")
    done = run_module("ingest", folder, environment)
    assert done.returncode == 2
    assert json.loads(done.stderr.splitlines()[-1])["exitCode"] == 2


def test_a_job_without_a_server_says_two_lines_and_no_url(
    folder: Path, environment: dict[str, str]
) -> None:
    """R097: a driver's own log quotes the server; a job's says what to do, and how it ended."""
    url = "postgresql://fonds:sesame@127.0.0.1:1/none"
    done = run_module("ingest", folder, {**environment, "FONDS_INGEST_URL": url})
    said, ended = done.stderr.splitlines()
    assert said.startswith("fonds: the database cannot be reached")
    assert json.loads(ended)["exitCode"] == done.returncode == 69
    assert "sesame" not in done.stderr


def test_a_job_logs_as_a_command_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pool that cannot connect logs the driver's words; so does nothing here."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    monkeypatch.setattr(sys, "argv", ["ingest"])

    def job(archive: Path | None) -> int:
        logging.getLogger("psycopg.pool").warning("sesame")
        return 0 if archive is None else 1

    try:
        assert run_job("ingest", job) == 0
        assert signal.getsignal(signal.SIGTERM) is not kept[signal.SIGTERM]
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    assert json.loads(capsys.readouterr().err)["exitCode"] == 0


def test_jobs_are_found_by_entry_point() -> None:
    found = {point.name: point.load() for point in entry_points(group="fonds.jobs")}
    assert found == {"ingest": ingest.run, "build": build.run}
