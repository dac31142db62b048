"""One database for the tests of a file; each finds it without an archive, job or worker."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest

from tests.database.rows import cloned
from tests.house.tree import ROOT
from tests.jobs.queue_bed import Bed, bed_of
from tests.scopes import enter
from tests.servers import Database, TestServer


@pytest.fixture(autouse=True)
def _jobs_of_tests_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker's children import what is installed; `tests.jobs.acting` is not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture(scope="module")
def queue_database(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def bed(queue_database: Database, tmp_path: Path) -> Generator[Bed]:
    with bed_of(queue_database, tmp_path) as made:
        yield made
    with psycopg.connect(queue_database.admin_url) as session:
        session.execute("UPDATE private.archive SET leaving_at = now()")
        for archive in session.execute("SELECT archive_id FROM private.archive").fetchall():
            enter(session, archive[0])
            session.execute("DELETE FROM private.archive WHERE archive_id = %s", archive)
        session.execute("DELETE FROM jobs.procrastinate_workers")
