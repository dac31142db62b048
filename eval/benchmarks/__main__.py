"""Every benchmark in turn, each in a process of its own, and one report of what met its goal.

    python -m eval.benchmarks [--only NAME ...] [--quick] [--json FILE] [--html FILE]

Needs no key and no network. Prints a line a figure; `--json` and `--html` write the report. Leaves
with 1 when a benchmark broke down, not when a goal is missed: that is what the report says.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from eval.benchmarks.environment import environment
from eval.benchmarks.goal import Benchmark
from eval.benchmarks.goals import BENCHMARKS
from eval.benchmarks.goals_page import goals_page
from eval.benchmarks.judging import Json, Judged, Ran, counts, judged

LACKING = 69  # the exit of a benchmark that needs what is not installed; its last line says what
ROOT = Path(__file__).parents[2]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks")
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--html", type=Path)
    asked = parser.parse_args(arguments)
    chosen = [one for one in BENCHMARKS if asked.only is None or one.name in asked.only]
    runs = [_told(ran(one, quick=asked.quick)) for one in chosen]
    rows, terms = judged(runs), environment()
    if asked.json:
        asked.json.write_text(json.dumps(report(runs, terms, quick=asked.quick), indent=2) + "\n")
    if asked.html:
        asked.html.write_text(goals_page(rows, terms, quick=asked.quick), encoding="utf-8")
    said = ", ".join(f"{number} {kind}" for kind, number in counts(rows).items())
    small = ", of a quick run, which says nothing of the goals" if asked.quick else ""
    sys.stdout.write(f"{said}{small}\n")
    sys.exit(1 if any(one.failed for one in runs) else 0)


def ran(benchmark: Benchmark, *, quick: bool) -> Ran:
    """Runs it by the command that the report names."""
    command = benchmark.command(quick=quick)
    if find_spec(benchmark.module) is None:
        return Ran(benchmark, command, None, "this benchmark is not in the tree")
    words = [sys.executable, *command.split()[1:]]
    with TemporaryDirectory(prefix="fonds-bench-") as folder:
        file = Path(folder) / "printed.json"
        words += ["--json", str(file)] if benchmark.to_file else []
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
        written = file.read_text(encoding="utf-8") if file.exists() else done.stdout
    said = (done.stderr.strip().splitlines() or [""])[-1]
    if done.returncode == LACKING:
        return Ran(benchmark, command, None, said)
    try:
        printed = cast("Json", json.loads(written))
    except ValueError:
        return Ran(benchmark, command, None, f"broke down with exit {done.returncode}", failed=True)
    return Ran(benchmark, command, printed)


def report(runs: Sequence[Ran], terms: Json, *, quick: bool) -> dict[str, object]:
    """The one JSON: rows, what they were measured on, and all that each benchmark printed."""
    rows = judged(runs)
    return {
        "quick": quick,
        "environment": terms,
        "counts": counts(rows),
        "rows": [row.as_json() for row in rows],
        "printed": {ran.benchmark.name: ran.printed for ran in runs if ran.printed is not None},
    }


def _told(one: Ran) -> Ran:
    """Says on the way what came of it; a whole run takes many minutes."""
    for line in _lines(judged([one])):
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
    return one


def _lines(rows: Iterable[Judged]) -> Iterable[str]:
    for row in rows:
        value = "" if row.value is None else f" {row.value:g}{row.goal.unit}"
        goal = f" ({row.goal.spelled})" if row.goal.spelled else ""
        why = f": {row.reason}" if row.reason else ""
        yield f"{row.outcome:12} {row.benchmark}: {row.goal.says}{value}{goal}{why}"


if __name__ == "__main__":
    main()
