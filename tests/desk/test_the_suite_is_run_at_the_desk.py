"""Runs, reports and the gate in a browser's hands; report files are believed no further (R184)."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from fonds.desk.desk import Desk
from fonds.wiring.evaluating import reports_folder
from fonds.wiring.house import House
from tests.desk.asked_archive import SECRET, asked_house
from tests.desks import Sitting
from tests.servers import Database

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def house(desk_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with asked_house(tmp_path_factory.mktemp("asked"), desk_database) as opened:
        yield opened


@pytest.fixture(scope="module")
def reports(house: House, desk: Desk, sitting: Sitting) -> Path:
    """The folder after a run of each tier, and one more with answers."""
    for wanted in ("retrieval", "answers", "answers"):
        ran(desk, sitting, wanted)
    return reports_folder(house.config)


def ran(desk: Desk, sitting: Sitting, wanted: str) -> str:
    """The page after a run came to its end."""
    assert sitting.post("/evaluation/run", {"run": wanted}) == "/evaluation"
    desk.runs.wait()
    return sitting.get("/evaluation")


def names(page: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r'href="/evaluation/reports/([^"/]+)"', page)))


def test_a_run_is_kept_listed_and_opened(sitting: Sitting, reports: Path) -> None:
    page = sitting.get("/evaluation")
    assert "What the last run found" in page
    assert "2 passed, 0 failed, 0 skipped of 2" in page
    kept = sorted((file.name for file in reports.glob("*.json")), reverse=True)
    assert names(page) == kept
    shown = sitting.get(f"/evaluation/reports/{kept[0]}")
    assert "false answers" in shown
    assert "Who taught her to fly kites?" in shown
    assert SECRET not in shown


@pytest.mark.usefixtures("reports")
def test_two_reports_stand_side_by_side(sitting: Sitting, reports: Path) -> None:
    after, before, retrieval = sorted((file.name for file in reports.glob("*.json")), reverse=True)
    page = sitting.get(f"/evaluation/compare?before={before}&after={after}")
    assert "Nothing got worse." in page
    reply = sitting.client.get(f"/evaluation/compare?before={retrieval}&after={after}")
    assert (reply.status_code, "of the same tier" in reply.text) == (422, True)


def test_a_kept_page_runs_and_asks_for_nothing(sitting: Sitting, reports: Path) -> None:
    name = max(file.name for file in reports.glob("*.json"))
    reply = sitting.client.get(f"/evaluation/reports/{name}/page")
    policy = reply.headers["content-security-policy"]
    assert reply.status_code == 200
    assert {"default-src 'none'", "sandbox", "form-action 'none'"} <= set(policy.split("; "))
    assert "script-src" not in policy
    assert "allow-" not in policy


def test_a_file_that_is_no_report_is_one_line_and_harms_no_other(
    sitting: Sitting, reports: Path
) -> None:
    good = json.loads(max(reports.glob("*.json")).read_text())
    good["results"][0]["query"] = HOSTILE
    good["note"] = HOSTILE
    made = {
        "zz-broken.json": "{",
        "zz-forged.json": json.dumps(good | {"passed": 99}),
        "zz-marked.json": json.dumps(good),
        "zz <b>.json": "{}",
    }
    try:
        for name, text in made.items():
            (reports / name).write_text(text)
        (reports / "zz-link.json").symlink_to(reports.parent / "archive.toml")
        (reports / "zz-folder.json").mkdir()
        page = sitting.get("/evaluation")
        assert "zz-broken.json: not JSON in UTF-8" in page
        assert "zz-forged.json: passed: 99, and the results give 2" in page
        assert "zz-link" not in page
        assert "zz <b>" not in page
        assert len(names(page)) == 4
        shown = sitting.get("/evaluation/reports/zz-marked.json")
        assert "&lt;script&gt;" in shown
        assert HOSTILE not in page + shown
        assert sitting.client.get("/evaluation/reports/zz-broken.json").status_code == 422
    finally:
        (reports / "zz-folder.json").rmdir()
        for file in reports.glob("zz*"):
            file.unlink()


@pytest.mark.parametrize(
    "name",
    ["..%2Farchive.toml", "%2Fetc%2Fpasswd", "absent.json", "..%2Freports%2Fabsent.json", ".json"],
)
def test_nothing_but_a_report_of_the_folder_is_opened(
    sitting: Sitting, reports: Path, name: str
) -> None:
    for path in (f"/evaluation/reports/{name}", f"/evaluation/reports/{name}/page"):
        assert sitting.client.get(path).status_code in (404, 422)
    reply = sitting.client.get(f"/evaluation/compare?before={name}&after={name}")
    assert reply.status_code == 422


def test_scores_are_measured_with_their_plots(
    desk: Desk, sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ran(desk, sitting, "scores")
    assert "floor of this build" in page
    assert "Answerable, lowest first" in page
    monkeypatch.setattr("fonds.desk.evaluation_runs.can_plot", lambda: False)
    assert "No plots" in ran(desk, sitting, "scores")


def test_plots_hold_no_style_a_policy_of_ours_forbids(desk: Desk, sitting: Sitting) -> None:
    pytest.importorskip("matplotlib", reason="the extra eval is missing")
    page = ran(desk, sitting, "scores")
    assert page.count('<svg role="img" aria-label="') == 2
    assert not re.search(r"\sstyle=|<style", page)
    assert 'fill="#2a78d0"' in page


def test_the_gate_is_shown_fitted_and_measured(desk: Desk, sitting: Sitting) -> None:
    assert "gate: provisional" in sitting.get("/evaluation")
    assert "The gate was fitted." in ran(desk, sitting, "fit")
    assert "no held-out answerable question" in ran(desk, sitting, "measure"), "the bank has none"


def test_one_run_at_a_time_and_none_that_no_button_begins(desk: Desk, sitting: Sitting) -> None:
    goes_on = threading.Event()
    desk.runs.begin("build", lambda tell: goes_on.wait(60))
    try:
        assert "a run is at work" in sitting.post("/evaluation/run", {"run": "scores"}, 503)
        assert 'value="scores" disabled' in sitting.get("/evaluation")
    finally:
        goes_on.set()
        desk.runs.wait()
    sitting.post("/evaluation/run", {"run": "erase"}, 422)
    sitting.post("/evaluation/run", {"run": "scores", "csrf": "forged"}, 422)


def test_a_run_that_fails_says_why_in_one_line(house: House, desk: Desk, sitting: Sitting) -> None:
    assert house.config.gold is not None
    kept = house.config.gold.read_text()
    house.config.gold.write_text(f"queries: {HOSTILE}\n")
    try:
        page = ran(desk, sitting, "retrieval")
    finally:
        house.config.gold.write_text(kept)
    assert "gold.yaml" in page
    assert "script&gt;" not in page, "no message repeats what a suite holds"
