"""A benchmark of growth that could not find a curve too steep would be no evidence."""

from __future__ import annotations

from typing import Any

from eval.benchmarks.scale import QUICK, measured, rows, table


def report(**exponents: float) -> dict[str, Any]:
    return {
        "growth": {"1000": {"seconds": {"build": 1.0}}, "10000": {"seconds": {"build": 9.5}}},
        "exponents": exponents,
        "beside": {"others": 100, "serverCpuRatios": {"1000": 1.05, "10000": 1.31}},
    }


def test_a_cost_that_grows_faster_than_the_archive_is_missed() -> None:
    assert [row.met for row in rows(report(build=1.02, searchServerCpu=2.0))[:2]] == [True, False]


def test_a_search_that_others_slow_down_is_missed() -> None:
    assert [(row.measured, row.met) for row in rows(report())] == [(1.05, True), (1.31, False)]


def test_the_table_has_a_column_a_size_and_says_what_is_missed() -> None:
    lines = table(report(build=1.02)).splitlines()
    assert lines[0].split() == ["fragments", "1000", "10000"]
    assert lines[1].split() == ["seconds.build", "1.0", "9.5"]
    assert [line.endswith("missed)") for line in lines[3:]] == [False, False, True]


def test_every_cost_of_the_curve_is_measured() -> None:
    """The whole of it in small: what it measures there is not judged."""
    made = measured(QUICK)
    assert list(made["growth"]) == ["300", "600", "900"]
    assert made["growth"]["300"]["load"]["2"]["ofAnotherArchive"] == 0
    assert made["growth"]["600"]["load"] == {}
    assert set(made["exponents"]) >= {"ingestCpu", "unchangedIngestCpu", "buildCpu", "askServerCpu"}
    assert set(made["beside"]["serverCpuRatios"]) == {"300"}
    for found in made["growth"].values():
        assert all(value > 0 for value in found["diskBytesAFragment"].values())
        assert all(value > 0 for value in found["seconds"].values())
