"""A report of benchmarks tells what met its goal, what missed it and what nobody measured."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from eval.benchmarks.__main__ import main, ran, report
from eval.benchmarks.goal import Benchmark, Goal
from eval.benchmarks.goals import BENCHMARKS
from eval.benchmarks.goals_page import goals_page, nearness
from eval.benchmarks.judging import Judged, Outcome, Ran, judged
from tests.house.tree import ROOT

SLOW = Goal("a planted slow way over a quick one", ("slow", "ratio"), 2.0)
FAST = Goal("rows a second over bare ones", ("fast",), 0.5, "at least")
SHOWN = Goal("rows a second", ("rows",))
BROKEN = Goal("promises broken", ("broken",), 0)
PLANTED = Benchmark("planted", (SLOW, FAST, SHOWN, BROKEN))
PRINTED: dict[str, Any] = {"slow": {"ratio": 3.1}, "fast": 0.8, "rows": 120, "broken": {}}


def planted(printed: dict[str, Any] | None, reason: str = "") -> list[Judged]:
    return judged([Ran(PLANTED, "python -m planted", printed, reason)])


def outcomes(printed: dict[str, Any] | None) -> list[Outcome]:
    return [row.outcome for row in planted(printed)]


def test_a_planted_slow_row_is_missed_and_the_rest_is_told_apart() -> None:
    """The one that is slow, one that is fast enough, one without a goal, and a count of nothing."""
    assert outcomes(PRINTED) == ["missed", "met", "shown", "met"]


@pytest.mark.parametrize(
    ("goal", "value", "met"),
    [
        (SLOW, 2.0, True),
        (SLOW, 2.001, False),
        (FAST, 0.5, True),
        (FAST, 0.499, False),
        (BROKEN, 1.0, False),
        (SHOWN, 5.0, None),
    ],
)
def test_a_goal_includes_its_limit_and_nothing_beyond(
    goal: Goal, value: float, met: bool | None
) -> None:
    assert goal.is_met_by(value) is met


def test_a_count_by_kind_is_held_to_its_sum() -> None:
    row = planted(PRINTED | {"broken": {"unreached": 1, "status 500": 2}})[3]
    assert (row.value, row.outcome) == (3.0, "missed")


@pytest.mark.parametrize("absent", [{}, {"slow": None}, {"slow": {"ratio": float("nan")}}])
def test_a_figure_that_is_not_there_is_not_measured(absent: dict[str, Any]) -> None:
    """Neither met nor missed: nothing, an empty value and no number say nothing of a goal."""
    assert outcomes(absent)[0] == "not measured"


def test_a_library_that_is_not_there_is_named_and_meets_no_goal() -> None:
    """Alone, or beside others that are: the reason stands where the figure would."""
    alone = planted(None, "a_library is not installed")
    assert {row.outcome for row in alone} == {"not measured"}
    beside = planted(PRINTED | {"slow": "a_library is not installed"})
    for row in (*alone, beside[0]):
        assert (row.outcome, row.reason) == ("not measured", "a_library is not installed")


def test_a_page_and_its_json_say_the_same_of_a_missed_row() -> None:
    rows = planted(PRINTED)
    page = goals_page(rows, {"cores": 2}, quick=False)
    assert "1 missed" in page
    assert re.search(r"planted slow way.*?3\.1.*?at most 2.*?missed", page, re.DOTALL)
    told = report([Ran(PLANTED, "python -m planted", PRINTED)], {"cores": 2}, quick=False)
    assert told["counts"] == {"met": 2, "missed": 1, "shown": 1, "not measured": 0}
    assert told["printed"] == {"planted": PRINTED}


def test_a_page_asks_for_nothing_and_no_figure_becomes_a_tag() -> None:
    hostile = replace(SLOW, says="<script src='https://evil.example'>")
    rows = judged([Ran(replace(PLANTED, goals=(hostile,)), "python -m planted", PRINTED)])
    page = goals_page(rows, {}, quick=True)
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert not re.search(r"@import|url\((?!#)|(?:src|href)=\"(?!#)", page)
    assert "A quick run" in page


def test_the_plot_stands_right_of_its_line_where_a_goal_is_missed() -> None:
    """Both ways a goal can be bound; what has no share of its goal is left out of the plot."""
    shares = [nearness(row) for row in planted(PRINTED)]
    assert shares == [pytest.approx(1.55), pytest.approx(0.625), None, None]
    assert [nearness(row) for row in planted({"fast": 0})] == [None] * 4


def test_a_benchmark_that_is_not_in_the_tree_says_so() -> None:
    came = ran(Benchmark("nowhere_to_be_found", (SLOW,)), quick=True)
    assert (came.printed, came.failed) == (None, False)
    assert came.reason == "this benchmark is not in the tree"


def test_a_benchmark_that_breaks_down_fails_the_run() -> None:
    """Its usage error is no measurement."""
    broken = Benchmark("recall", (SLOW,), quick=("--no-such-option",))
    for one in (broken, replace(broken, to_file=True)):
        came = ran(one, quick=True)
        assert came.failed
        assert [row.outcome for row in judged([came])] == ["not measured"]


def test_a_quick_run_reports_what_is_there_and_what_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Recall is counted, not timed: it is 1 at any size. A Python without packages has no rival."""
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', encoding="utf-8")
    bare.chmod(0o755)
    monkeypatch.setenv("FONDS_RIVALS_PYTHON", str(bare))
    files = ["--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "r.html")]
    with pytest.raises(SystemExit) as ended:
        main(["--quick", "--only", "recall", "--only", "rivals", *files])
    assert ended.value.code == 0
    told = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    found = [(row["measured"], row["outcome"], row["reason"]) for row in told["rows"]]
    lacking = "langchain_postgres is not installed; llama_index is not installed"
    assert set(found[:-2]) == {(None, "not measured", lacking)}
    assert found[-2:] == [(1.0, "met", None), (0.0, "met", None)]
    assert told["environment"]["pgvector"]
    assert "not measured rivals" in capsys.readouterr().out
    assert "A quick run" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_every_registered_benchmark_is_in_the_table_with_its_goals() -> None:
    """Each is in the tree, a trial among them; no figure is registered twice."""
    page = (ROOT / "eval/benchmarks/README.md").read_text(encoding="utf-8")
    for benchmark in BENCHMARKS:
        assert find_spec(benchmark.module) is not None
        assert f"python -m {benchmark.module}" in page
        for goal in benchmark.goals:
            if goal.limit is not None:
                assert f"| {goal.says} | {goal.spelled} |" in page
    paths = [(one.name, goal.path) for one in BENCHMARKS for goal in one.goals]
    assert len(set(paths)) == len(paths)
