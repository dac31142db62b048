"""`fonds eval` and `fonds scores`: tiers, selections, reports and codes, on a live build (R183)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tests.archives import essay, note, written
from tests.cli.conftest import Ran
from tests.servers import Database

Fonds = Callable[..., Ran]
KITES = "My aunt Ilse taught me to fly kites on the dyke at Norden in the spring of 1974."
PRIVATE = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."
GOLD = """\
queries:
- id: kites
  query: Who taught her to fly kites on the dyke at Norden?
  expectAnswerMode: partial
  expectSources: ["essay:on-kites#whole"]
- id: wrong
  query: Who taught her to fly kites on the dyke?
  expectAnswerMode: partial
  expectSources: ["essay:tides#whole"]
  forbidSources: ["essay:on-kites"]
- id: absent
  query: Which compiler flags does the telescope need?
  expectAnswerMode: not-found
- id: undecided
  query: Was it a good spring?
  expectAnswerMode: partial
  expectSources: ["essay:on-kites#whole"]
  requiresModel: true
canaries: ["pawnbroker Tolliver"]
"""


@pytest.fixture
def served(tmp_path: Path, fonds: Fonds) -> Path:
    files = {
        "essays/on-kites.md": essay("On Kites", KITES),
        "essays/tides.md": essay("Tides", "The harbour keeps a table of high water."),
        "notes/ilse.md": note("A note about Ilse", PRIVATE),
    }
    folder = written(tmp_path / "archive", files)
    (folder / "gold.yaml").write_text(GOLD, encoding="utf-8")
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[evaluation]\ngold = "gold.yaml"\n')
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("build", "--yes", "--archive", folder).code == 0
    return folder


def test_the_retrieval_tier_counts_failed_and_skipped_apart(served: Path, fonds: Fonds) -> None:
    """R183: what needs a model or an answer is no pass."""
    ran = fonds("eval", "--archive", served)
    assert ran.code == 1
    assert ran.out.splitlines()[0] == (
        "retrieval: 1 passed, 1 failed, 2 skipped of 4; 1 canaries swept"
    )
    assert (
        "  failed wrong: expectSources[0]: not retrieved; forbidSources[0]: retrieved\n" in ran.out
    )
    assert ran.err.splitlines() == ["failed wrong"]
    assert not (served / "reports").exists()


def test_the_answers_tier_shows_both_rates_and_leaves_no_record(
    served: Path, fonds: Fonds, database: Database
) -> None:
    """R170, R161: an evaluation's question is nobody's."""
    ran = fonds("eval", "--full", "--ids", "kites, absent", "--archive", served)
    assert (ran.code, ran.err) == (0, "")
    assert "answers: 2 passed, 0 failed, 0 skipped of 2" in ran.out
    assert "  false answers: 0 of 1\n  false refusals: 0 of 1\n" in ran.out
    with psycopg.connect(database.admin_url) as session:
        assert session.execute("SELECT count(*) FROM private.refusal").fetchone() == (0,)
    assert fonds("ask", "Which compiler flags?", "--archive", served).code == 3
    with psycopg.connect(database.admin_url) as session:
        assert session.execute("SELECT count(*) FROM private.refusal").fetchone() == (1,)


def test_a_kept_report_is_its_owners_and_is_repeated(served: Path, fonds: Fonds) -> None:
    first = fonds("eval", "--report", "--json", "--archive", served)
    assert json.loads(first.out)["failed"] == 1
    page, report = sorted((served / "reports").iterdir())
    assert (page.suffix, report.suffix) == (".html", ".json")
    for kept in (served / "reports", page, report):
        assert kept.stat().st_mode & 0o077 == 0
    again = fonds("eval", "--from-report", "latest", "--json", "--archive", served)
    assert [one["id"] for one in json.loads(again.out)["results"]] == ["wrong"]
    assert again.code == 1
    by_path = fonds("eval", "--from-report", report, "--archive", served)
    assert by_path.out.startswith("retrieval: 0 passed, 1 failed")


def test_a_page_is_the_same_twice_but_for_its_time_and_holds_nothing_private(
    served: Path, fonds: Fonds, tmp_path: Path
) -> None:
    """R184: the suite's questions, and neither a canary nor a private word."""
    pages: list[str] = []
    for name in ("first.html", "second.json"):
        file = tmp_path / "elsewhere" / name
        assert fonds("eval", "--full", "--report-to", file, "--archive", served).code == 1
        kept = file.with_suffix(".html").read_text(encoding="utf-8")
        pages.append(re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "", kept))
        assert json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))["full"]
    assert pages[0] == pages[1]
    assert "Who taught her to fly kites on the dyke at Norden?" in pages[0]
    assert "essay:on-kites#whole" in pages[0]
    for private in ("Tolliver", "pawnbroker", "honeycomb", "Zephyrine"):
        assert private not in pages[0]


@pytest.mark.parametrize("place", ["essays", "essays/kept/run.html", "notes/kept"])
def test_no_report_is_kept_where_it_would_be_read_in(
    served: Path, fonds: Fonds, place: str
) -> None:
    """A page of questions and ids is none of the author's, and nothing is made of it."""
    held = {file.relative_to(served) for file in served.rglob("*")}
    ran = fonds("eval", "--report-to", served / place, "--archive", served)
    folder = place.partition("/")[0]
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"fonds: {folder} is read by fonds ingest: keep reports elsewhere (--report-to)\n"
    )
    assert {file.relative_to(served) for file in served.rglob("*")} == held


def test_two_reports_are_compared_and_worse_is_exit_one(
    served: Path, fonds: Fonds, tmp_path: Path
) -> None:
    """R185: what a floor that is too high does, seen before it is kept."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    assert fonds("eval", "--full", "--report-to", before, "--archive", served).code == 1
    with (served / "archive.toml").open("a", encoding="utf-8") as file:
        file.write("[floors]\nscore = 0.9\n")
    assert fonds("build", "--archive", served).code == 0
    fonds("eval", "--full", "--report-to", after, "--archive", served)
    ran = fonds("eval", "compare", before, after)
    assert (ran.code, ran.err) == (1, "")
    assert "  kites: passed -> failed\n" in ran.out
    assert "  false refusals: 0 of 2 -> 2 of 2\n" in ran.out
    assert "  terms that differ: build, floors\n" in ran.out
    assert ran.out.endswith("worse: kites, false refusals\n")
    back = fonds("eval", "compare", after, before, "--json")
    assert (back.code, json.loads(back.out)["worse"]) == (0, [])
    same = fonds("eval", "compare", before, before)
    assert (same.code, same.out.splitlines()[-1]) == (0, "nothing got worse")
    assert fonds("eval", "compare", before, tmp_path / "nowhere.json").code == 2


def test_a_report_without_failures_selects_nothing_and_exits_zero(
    served: Path, fonds: Fonds
) -> None:
    assert fonds("eval", "--ids", "kites", "--report", "--archive", served).code == 0
    ran = fonds("eval", "--from-report", "latest", "--archive", served)
    assert ran.code == 0
    assert "nothing failed in that report" in ran.out


def test_a_run_that_is_to_fail_fast_stops(served: Path, fonds: Fonds) -> None:
    ran = fonds("eval", "--fail-fast", "--archive", served)
    assert ran.code == 1
    assert "  aborted: fail-fast" in ran.out


def test_the_cases_are_listed_and_not_asked(served: Path, fonds: Fonds) -> None:
    ran = fonds("eval", "--list", "--archive", served)
    assert ran.out.splitlines()[0] == "kites  partial"
    assert (ran.code, len(ran.out.splitlines()), "Norden" in ran.out) == (0, 4, False)
    listed = json.loads(fonds("eval", "--list", "--json", "--archive", served).out)
    assert listed["cases"][2] == {"id": "absent", "expects": "not-found"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--ids", "Tolliver"), 2, "ids[0]: the id of a gold case"),
        (("--ids", "kites", "--from-report", "nowhere.json"), 2, "cannot read the report"),
        (("--from-report", "latest"), 2, "none has been kept yet"),
    ],
)
def test_a_wish_that_cannot_be_met_is_one_line(
    served: Path, fonds: Fonds, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = fonds("eval", *arguments, "--archive", served)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "Tolliver" not in ran.err


def test_a_report_that_cannot_be_kept_is_refused_before_anything_is_asked(
    served: Path, fonds: Fonds
) -> None:
    (served / "reports").write_text("a file", encoding="utf-8")
    ran = fonds("eval", "--report", "--archive", served)
    assert (ran.code, ran.out) == (2, "")
    assert "reports: cannot be made" in ran.err


def test_a_canary_that_is_served_is_exit_four_before_any_question(
    served: Path, fonds: Fonds, database: Database
) -> None:
    """R182: here somebody wrote into the served table by hand."""
    with psycopg.connect(database.admin_url) as session:
        session.execute(
            "UPDATE served.fragment SET exposure = 'semantic', gist = %s, gist_source = 'edited',"
            " gist_review = 'reviewed' WHERE raw = 'private'",
            ("On the pawnbroker Tolliver.",),
        )
    ran = fonds("eval", "--archive", served)
    assert ran.code == 4
    assert "  canary found: canaries[0]: in the gist of note:ilse#p-4" in ran.out
    assert "0 passed, 0 failed, 0 skipped of 4" in ran.out
    assert "Tolliver" not in ran.out + ran.err


def test_scores_stand_side_by_side(served: Path, fonds: Fonds) -> None:
    """R173."""
    ran = fonds("scores", "--archive", served)
    assert ran.code == 0
    assert "  kites  essay:on-kites#whole\n" in ran.out.partition("unanswerable")[0]
    assert "  absent  " in ran.out.partition("unanswerable")[2]
    assert "gap " in ran.out
    assert "Norden" not in ran.out
    table = json.loads(fonds("scores", "--json", "--archive", served).out)
    assert table


def test_an_archive_without_a_suite_says_where_to_name_one(tmp_path: Path, fonds: Fonds) -> None:
    folder = written(tmp_path / "archive", {"essays/a.md": essay("A", KITES)})
    for command in ("eval", "scores"):
        ran = fonds(command, "--archive", folder)
        assert (ran.code, ran.out) == (2, "")
        assert "[evaluation] gold" in ran.err


@pytest.mark.parametrize("command", ["eval", "scores"])
def test_a_case_that_names_no_id_of_the_archive_is_refused_before_anything_is_asked(
    served: Path, fonds: Fonds, command: str
) -> None:
    """R180: a slip in an id would make a case that tests nothing; the id is not repeated."""
    gold = served / "gold.yaml"
    slipped = gold.read_text(encoding="utf-8").replace("essay:on-kites#whole", "essay:on-kite")
    gold.write_text(slipped, encoding="utf-8")
    ran = fonds(command, "--archive", served)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == ("fonds: gold case kites: expectSources[0]: the archive holds no such id\n")
