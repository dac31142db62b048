"""How what fonds costs grows with an archive, and with the archives beside it.

    python -m eval.benchmarks.scale [--fragments 1000 3000 10000 30000 100000] [--served SIZE]
        [--others 100] [--rounds 40] [--requests 400] [--json FILE] [--quick]

One temporary server; each archive of the curve in a database of its own, from files by the real
ingest and the real build, asked by the way a service asks, with vectors given. The archives beside
one are rows written by the build login; so are those of the sizes after `--served`, of which no
ingest and no build is measured. `--fragments` with no size leaves the curve out, `--others 0` the
other archives. Prints a table, and writes JSON to FILE; what is reached goes to standard error on
the way. `--quick` takes small sizes: it shows that the benchmark runs, and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import psycopg

from eval.benchmarks.scale_bed import Ground, Site, ground, site
from eval.benchmarks.scale_beside import GOAL, beside_others
from eval.benchmarks.scale_growth import exponents, grown_together

CALLERS = (1, 4, 8)
LOADED = (1_000, 10_000, 100_000)  # requests a second are counted for these
_SERVER = """
    SELECT name, setting || coalesce(' ' || unit, '') FROM pg_settings
     WHERE name IN ('server_version', 'shared_buffers', 'work_mem', 'max_connections')
    """
LINEAR = 1.15  # an exponent above this is more than linear


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is measured."""

    fragments: tuple[int, ...] = (1_000, 3_000, 10_000, 30_000, 100_000)
    served: tuple[int, ...] = ()  # without files
    loaded: tuple[int, ...] = LOADED
    callers: tuple[int, ...] = CALLERS
    asked: tuple[int, ...] = (1_000, 10_000)  # the archives that have others beside them
    others: int = 100
    of_each: int = 1_000
    rounds: int = 40
    requests: int = 400


QUICK = Sizes((300, 600), (900,), (300,), (2,), (300,), 2, 100, 3, 20)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a report of all benchmarks."""

    what: str
    measured: float
    goal: float
    met: bool


def main() -> None:
    """Measures and prints; exits with 1 when a goal is missed."""
    sizes, file = _arguments()
    report = measured(sizes, lambda line: sys.stderr.write(f"{line}\n"))
    if file is not None:
        file.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(table(report))
    sys.exit(0 if all(row.met for row in rows(report)) else 1)


def measured(sizes: Sizes, told: Callable[[str], object] = lambda line: None) -> dict[str, Any]:
    """The whole report, as JSON has it; `told` hears how far it is."""
    with ground() as made:
        grown = grown_together(_sites(made, sizes), sizes.rounds, told)
        for one in grown:
            if one.site.fragments in sizes.loaded:
                one.be_loaded(sizes.callers, sizes.requests)
                told(f"{one.site.fragments} fragments: {json.dumps(one.load)}")
        asked = sizes.asked if sizes.others else ()
        beside = beside_others(made, asked, sizes.others, sizes.of_each, sizes.rounds)
        with psycopg.connect(made.server.admin_url()) as admin:
            server = {name: shown for name, shown in admin.execute(_SERVER)}
    return {
        "server": server,
        "growth": {str(one.site.fragments): one.report() for one in grown},
        "exponents": exponents(grown),
        "beside": beside,
    }


def _sites(made: Ground, sizes: Sizes) -> list[Site]:
    with_files = [site(made, size, files=True) for size in sizes.fragments]
    return with_files + [site(made, size, files=False) for size in sizes.served]


def rows(report: dict[str, Any]) -> list[Row]:
    """What of a report has a goal: each curve at most linear, each ratio at most its goal."""
    judged = [
        Row(f"{name} grows with the archive to the power of", power, LINEAR, power <= LINEAR)
        for name, power in report["exponents"].items()
    ]
    beside: dict[str, Any] = report["beside"]
    for size, ratio in beside["serverCpuRatios"].items():
        what = f"a search of {size} fragments with {beside['others']} archives beside it"
        judged.append(Row(f"{what}, to the same alone", ratio, GOAL, ratio <= GOAL))
    return judged


def table(report: dict[str, Any]) -> str:
    """The report for a reader: a column a size, then what has a goal."""
    growth: dict[str, dict[str, Any]] = report["growth"]
    flat = {size: dict(_leaves(found)) for size, found in growth.items()}
    names = list(dict.fromkeys(name for found in flat.values() for name in found))
    wide = max(map(len, names), default=10) + 2
    lines = ["fragments".ljust(wide) + "".join(f"{size:>12}" for size in flat)]
    for name in names:
        shown = (found.get(name, "") for found in flat.values())
        lines.append(name.ljust(wide) + "".join(f"{value!s:>12}" for value in shown))
    lines.append("")
    for row in rows(report):
        verdict = "met" if row.met else "missed"
        lines.append(f"{row.what}: {row.measured} (at most {row.goal}: {verdict})")
    return "\n".join(lines) + "\n"


def _leaves(found: dict[str, Any], above: str = "") -> list[tuple[str, object]]:
    leaves: list[tuple[str, object]] = []
    for name, value in found.items():
        path = f"{above}.{name}" if above else name
        if isinstance(value, dict):
            leaves += _leaves(cast("dict[str, Any]", value), path)
        elif not isinstance(value, list):
            leaves.append((path, value))
    return leaves


def _arguments() -> tuple[Sizes, Path | None]:
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.scale")
    usual = Sizes()
    parser.add_argument("--fragments", type=int, nargs="*", default=list(usual.fragments))
    parser.add_argument("--served", type=int, nargs="+", default=[])
    parser.add_argument("--others", type=int, default=usual.others)
    parser.add_argument("--rounds", type=int, default=usual.rounds)
    parser.add_argument("--requests", type=int, default=usual.requests)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        return QUICK, asked.json
    sizes = Sizes(
        fragments=tuple(sorted(asked.fragments)),
        served=tuple(sorted(asked.served)),
        others=asked.others,
        rounds=asked.rounds,
        requests=asked.requests,
    )
    return sizes, asked.json


if __name__ == "__main__":
    main()
