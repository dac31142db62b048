"""`[schedule]` says when: five fields in UTC, or the file is refused with the key's name (R191)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from fonds.archive_file import read_archive_file
from fonds.contract.failures import Misconfigured
from fonds.cron_line import CronLine

HEAD = 'name = "A"\nauthor = "B"\nbase_url = "https://example.org"\n[schedule]\n'
NOON = datetime(2026, 5, 6, 12, 0, tzinfo=UTC)


def read(folder: Path, line: str) -> tuple[tuple[str, CronLine], ...]:
    (folder / "archive.toml").write_text(HEAD + line, encoding="utf-8")
    return read_archive_file(folder).schedule


def test_a_schedule_is_a_line_a_job(tmp_path: Path) -> None:
    written = 'build = "30 4 * * SUN"\ningest = "17 * * * *"\nwiden = "ask"\n'
    assert read(tmp_path, written) == (
        ("ingest", CronLine("17 * * * *")),
        ("build", CronLine("30 4 * * SUN")),
    )
    assert read(tmp_path, "") == ()


@pytest.mark.parametrize(
    "line",
    [
        '"61 * * * *"',
        '"0 0 31 2 *"',
        '"0 0 31 4,6,9,11 *"',
        '"0 0 */29 2 1#5"',
        '"* * * * * *"',
        '"@daily"',
        '""',
        '"17"',
        f'"{",".join("0" for _ in range(60))} * * * *"',
        '"a b c d e"',
        "17",
        "[]",
        "{ at = 5 }",
        "true",
    ],
)
def test_an_impossible_line_is_refused_by_its_key(tmp_path: Path, line: str) -> None:
    with pytest.raises(Misconfigured, match=r"archive\.toml: schedule\.build") as refused:
        read(tmp_path, f"build = {line}\n")
    assert "\n" not in str(refused.value)
    assert "a b c" not in str(refused.value)


def test_an_unknown_job_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"schedule\.ingst: did you mean ingest\?"):
        read(tmp_path, 'ingst = "17 * * * *"\n')


def test_the_latest_slot_is_the_one_that_came_and_now_counts() -> None:
    line = CronLine("0 12 * * *")
    assert line.latest(NOON) == NOON
    assert line.latest(NOON - timedelta(microseconds=1)) == NOON - timedelta(days=1)
    assert line.after(NOON) == NOON + timedelta(days=1)
    elsewhere = NOON.astimezone(timezone(timedelta(hours=9)))
    assert line.latest(elsewhere) == NOON


def test_a_slot_of_every_fourth_year_is_found_both_ways() -> None:
    line = CronLine("0 0 29 2 *")
    assert line.latest(NOON) == datetime(2024, 2, 29, tzinfo=UTC)
    assert line.after(NOON) == datetime(2028, 2, 29, tzinfo=UTC)
