"""The scheduled jobs: thin, locked per archive, safe to run twice, silent about content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from fonds.contract.failures import Busy
from fonds.settings import ROLE_FIELDS
from fonds.store.archives import job_lock
from ingest_jobs import build, ingest
from tests.archives import essay, house_of, ingested, written
from tests.servers import Database

WORDS = "Brindlewick kept the tide tables."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "archive", {"essays/a.md": essay("A", WORDS)})


@pytest.fixture
def environment(tmp_path: Path, database: Database) -> dict[str, str]:
    urls = {f"FONDS_{field.upper()}": database.url(role) for role, field in ROLE_FIELDS.items()}
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
        with job_lock(database.url(role), 1, job), pytest.raises(Busy, match=job):
            ingested(house) if job == "ingest" else house.build()
        ingested(house)


def test_another_archive_is_not_locked_out(
    folder: Path, tmp_path: Path, database: Database
) -> None:
    other = written(tmp_path / "other", {"essays/b.md": essay("B", "Kites.")}, "other")
    with house_of(folder, database) as house, house_of(other, database) as second:
        ingested(house)
        with job_lock(database.url("fonds_ingest"), 1, "ingest"):
            assert ingested(second).done == 1


def test_a_failing_job_leaves_the_old_build(folder: Path, environment: dict[str, str]) -> None:
    run_module("ingest", folder, environment)
    run_module("build", folder, environment)
    (folder / "archive.toml").write_text("name = ", encoding="utf-8")
    done = run_module("ingest", folder, environment)
    assert done.returncode == 2
    assert json.loads(done.stderr.splitlines()[-1])["exitCode"] == 2


def test_jobs_are_found_by_entry_point() -> None:
    found = {point.name: point.load() for point in entry_points(group="fonds.jobs")}
    assert found == {"ingest": ingest.run, "build": build.run}
