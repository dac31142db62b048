"""A reader with more power than serving needs answers nothing, and says what to revoke (R094)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tests.archives import essay, written
from tests.cli.conftest import Ran
from tests.servers import Database


@pytest.mark.parametrize(
    "power",
    [
        "GRANT USAGE ON SCHEMA private TO fonds_reader",
        "GRANT SELECT ON served.embedding TO fonds_reader",
    ],
)
@pytest.mark.parametrize("command", ["ask", "search"])
def test_more_power_than_serving_needs_is_refused_at_the_start(
    tmp_path: Path, database: Database, fonds: Callable[..., Ran], command: str, power: str
) -> None:
    folder = written(tmp_path / "archive", {"essays/a.md": essay("A", "One page of kites.")})
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("build", "--yes", "--archive", folder).code == 0
    assert fonds(command, "page of kites", "--archive", folder).code == 0
    with psycopg.connect(database.admin_url) as session:
        session.execute(power.encode())
    ran = fonds(command, "page of kites", "--archive", folder)
    assert (ran.code, ran.out) == (4, "")
    assert "fonds_reader has more power than serving needs" in ran.err
    assert len(ran.err.splitlines()) == 1
