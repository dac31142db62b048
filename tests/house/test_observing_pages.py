"""Events, measures, spans and alerts against their pages, and alerts against measures (R186)."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args, get_origin

import pytest
import yaml

from fonds.observing import measures as measured
from fonds.observing.events import EVENTS
from fonds.observing.measures import LABELS, MEASURES, Measure
from fonds.observing.spans import SPANS
from tests.house.tree import ROOT

OBSERVING = (ROOT / "docs/observing.md").read_text(encoding="utf-8")
ALERTS_PAGE = (ROOT / "docs/alerts.md").read_text(encoding="utf-8")
RULES_FILE = ROOT / "deploy/alerts.yml"
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
SELECTOR = re.compile(r"\b(fonds_[a-z_]+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'\s*([a-z_]+)(=~|!~|=|!=)"([^"]*)"\s*,?')


@dataclass(frozen=True, slots=True)
class Rule:
    """One alert of the rules' file."""

    name: str
    expression: str


def rules() -> list[Rule]:
    read = cast("dict[str, Any]", yaml.safe_load(RULES_FILE.read_text(encoding="utf-8")))
    return [Rule(one["alert"], one["expr"]) for one in read["groups"][0]["rules"]]


def rows(page: str, heading: str) -> dict[str, list[str]]:
    """The first table below a heading: its first cell, and the others."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    return {first.strip("`"): rest for first, *rest in cells}


def test_every_event_has_its_row_and_no_other_has() -> None:
    table = rows(OBSERVING, "The log")
    assert list(table) == [kind.name for kind in EVENTS]
    for kind in EVENTS:
        names = re.findall(r"`([a-z_]+)`", table[kind.name][1])
        assert names == [one.name for one in fields(kind)], kind.name  # pyright: ignore[reportArgumentType]


def test_every_measure_has_its_row_and_no_other_has() -> None:
    table = rows(OBSERVING, "Measures")
    assert list(table) == [
        f"{name}_total" if one.kind == "counter" else name for name, one in MEASURES.items()
    ]
    for (kind, labels, says), one in zip(table.values(), MEASURES.values(), strict=True):
        assert (kind, says) == (one.kind, one.says)
        assert tuple(re.findall(r"`([a-z_]+)`", labels)) == one.labels


def test_every_span_has_its_row_and_no_other_has() -> None:
    assert rows(OBSERVING, "Spans") == {name: [says] for name, says in SPANS.items()}


def test_every_alert_says_what_it_means_and_what_to_do() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", ALERTS_PAGE, re.MULTILINE | re.S))
    assert list(sections) == [rule.name for rule in rules()]
    for name, text in sections.items():
        assert re.fullmatch(r"\nMeans: \S.*\nDo: \S.*", text, re.S), name


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_an_alert_asks_for_what_is_measured(rule: Rule) -> None:
    assert faults(rule.expression) == []
    assert SELECTOR.search(rule.expression)


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("fonds_zebrawood > 0", "no measure"),
        ("fonds_defects > 0", "no measure"),
        ("fonds_request_seconds > 0", "no measure"),
        ('fonds_refusals_total{question="x"} > 0', "no label"),
        ('fonds_refusals_total{reason="zebrawood"} > 0', "no value"),
        ('fonds_refusals_total{reason=~"calibrate.*"} > 0', "no value"),
        ('fonds_requests_total{status="often"} > 0', "no value"),
    ],
)
def test_an_alert_that_asks_for_something_else_is_found_out(expression: str, fault: str) -> None:
    assert [found.partition(":")[0] for found in faults(expression)] == [fault]


def test_the_rules_are_prometheus_own() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed here: the rules are checked against the measures")
    done = subprocess.run(
        [promtool, "check", "rules", str(RULES_FILE)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def faults(expression: str) -> list[str]:
    """What an expression asks for that is not measured."""
    found: list[str] = []
    for name, selector in SELECTOR.findall(expression):
        measure = exposed().get(name)
        if measure is None:
            found.append(f"no measure: {name}")
            continue
        for label, how, value in MATCHER.findall(selector):
            if label not in measure.labels:
                found.append(f"no label: {label}")
            elif not has_value(label, how, value):
                found.append(f"no value: {label}={value}")
    return found


def exposed() -> dict[str, Measure]:
    return {
        f"{name}{suffix}": measure
        for name, measure in MEASURES.items()
        for suffix in SUFFIXES[measure.kind]
    }


def has_value(label: str, how: str, value: str) -> bool:
    """Whether the label can have such a value; a number is as Prometheus writes it."""
    numbers = [str(number) for number in range(600)] if LABELS[label](1) else []
    words = [*closed_words(label), *numbers]
    if how in ("=~", "!~"):
        return any(re.fullmatch(value, word) for word in words)
    return value in words


def closed_words(label: str) -> list[str]:
    """Every word of every list that the label's check lets through."""
    words = [word for one in vars(measured).values() for word in words_of(one)]
    return [word for word in words if LABELS[label](word)]


def words_of(annotation: object) -> list[str]:
    """The words of a list, or of a list of lists."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [word for part in get_args(annotation) for word in words_of(part)]
