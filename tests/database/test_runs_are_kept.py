"""What ran of an archive is kept with how it ended, in numbers (R191)."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import Unavailable, ValidationRefused
from fonds.store.archives import last_runs, open_archive
from tests.archives import essay, house_of, ingested, written
from tests.database.rows import column
from tests.servers import Database

CANARY = "Brindlewick kept the tide tables."


def test_a_build_says_how_it_ended_and_a_dry_one_says_nothing(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "archive", {"essays/a.md": essay("A", CANARY)})
    with house_of(folder, database) as house:
        ingested(house)
        house.build(dry_run=True)
        house.build(yes=True)
        house.build(yes=True)

        def refused(*_: object, **__: object) -> None:
            raise ValidationRefused("1 problem(s)")

        monkeypatch.setattr("fonds.wiring.house.build_served", refused)
        with pytest.raises(ValidationRefused):
            house.build(yes=True)
        archive_id = open_archive(house.pool("fonds_build"), house.config.slug)
        runs = last_runs(house.server.login_of("fonds_ingest"), archive_id, 9)
    with psycopg.connect(database.admin_url) as session:
        kept = column(
            session, "SELECT report::text FROM private.run WHERE job = 'build' ORDER BY run_id"
        )
    assert [run[:2] for run in runs] == [
        ("build", "failed"),
        ("build", "unchanged"),
        ("build", "done"),
        ("ingest", "done"),
    ]
    assert "ValidationRefused" in str(kept[-1])
    assert not [
        report for report in map(str, kept) if "Brindlewick" in report or "essay:" in report
    ]


def test_a_build_that_is_live_is_not_kept_as_failed_where_nothing_can_be_kept(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []

    def away(pool: object, archive_id: int, job: str, outcome: str, report: object) -> None:
        kept.append(outcome)
        raise Unavailable("the database cannot be reached")

    folder = written(tmp_path / "archive", {"essays/a.md": essay("A", CANARY)})
    with house_of(folder, database) as house:
        ingested(house)
        monkeypatch.setattr("fonds.wiring.noted_build.record_run", away)
        with pytest.raises(Unavailable):
            house.build(yes=True)
        assert house.live_build().build_id == 1
    assert kept == ["done"]
