"""The page of a report: what a run says, nothing else, the same bytes each time (R173, R184)."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from fonds.evaluation import page
from fonds.evaluation.page import report_page
from fonds.evaluation.plots import Curve, curve_of, floor_plot, reason_plot, score_plot
from fonds.evaluation.score_table import ScoredQuestion, ScoreTable
from tests.evaluation.doubles import FAILED, PASSED, SKIPPED, a_report

HOSTILE = '</table><script>alert("x")</script><img src=https://evil.example/x> & "quotes"'
REFUSED = replace(
    PASSED, case_id="comet", mode="not-found", reason="below_score_floor", expected="not-found"
)


def scored(case_id: str, score: float | None) -> ScoredQuestion:
    return ScoredQuestion(case_id, score, "public", f"essay:{case_id}#whole", False)


TABLE = ScoreTable(
    (scored("kites", 0.31), scored("dyke", 0.5)),
    (scored("tides", 0.35), scored("comet", None)),
    7,
    0.2,
)
REPORT = a_report(PASSED, FAILED, SKIPPED, REFUSED)


class Outline(HTMLParser):
    """Tags in order, their attributes, and whether every tag that opens is closed in turn."""

    VOID = frozenset(("meta",))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_a_page_tells_what_the_run_says() -> None:
    """R170, R173: both rates side by side, reasons, failures, the table and its inversions."""
    said = " ".join(" ".join(Outline(report_page(REPORT, TABLE)).words).split())
    for told in (
        "2 passed, 1 failed, 1 skipped of 4; 2 canaries swept.",
        "false answers unanswerable questions that were answered 1 of 2",
        "false refusals answerable questions that were declined 0 of 1",
        "carry no guarantee",
        "tides Who counts the tides? partial mode: not-found expected, partial given",
        "Gap -0.040, suggested floor none, floor of this build 0.200.",
        "No threshold separates these",
        "kites tides",
        "comet none public essay:comet#whole",
        "This page holds the questions of the suite.",
    ):
        assert told in said


def test_a_page_asks_for_nothing_and_runs_nothing() -> None:
    """No script, no address to fetch, a policy that forbids both; one page for phone and dark."""
    text = report_page(REPORT, TABLE)
    outline = Outline(text)
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(outline.tags)
    names = {name for name, _ in outline.attributes}
    assert not {name for name in names if name.startswith("on")} | {"src"} & names
    assert "default-src 'none'" in text
    targets = [value for name, value in outline.attributes if name in ("href", "xlink:href")]
    assert targets
    assert all(target is not None and target.startswith("#") for target in targets)
    assert not re.search(r"@import|url\((?!#)", text)
    assert "width=device-width" in text
    assert "prefers-color-scheme: dark" in text


def test_no_text_becomes_a_tag() -> None:
    """Whatever a question, an issue or a note holds stays text."""
    hostile = replace(FAILED, query=HOSTILE, issues=(HOSTILE,))
    text = report_page(a_report(hostile, note=HOSTILE), None)
    assert "<script" not in text
    assert "evil.example" in "".join(Outline(text).words)
    assert "img" not in Outline(text).tags


def test_two_runs_that_differ_in_their_time_alone_give_pages_that_do() -> None:
    """R184: byte for byte, drawings included."""
    first = report_page(REPORT, TABLE)
    assert first == report_page(REPORT, TABLE)
    later = report_page(replace(REPORT, ran_at=REPORT.ran_at.replace(year=2032)), TABLE)
    assert later != first
    assert later.replace("2032-", "2031-") == first


def test_drawings_keep_their_ids_apart_and_need_no_font() -> None:
    curve = curve_of(TABLE)
    assert curve is not None
    drawn = (score_plot(TABLE), floor_plot(curve), reason_plot({"below_score_floor": 2}))
    ids = [set(re.findall(r'id="([^"]+)"', one)) for one in drawn]
    assert all(ids)
    assert not ids[0] & ids[1] | ids[1] & ids[2] | ids[0] & ids[2]
    for one in drawn:
        used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', one))
        assert {a or b for a, b in used} <= set(re.findall(r'id="([^"]+)"', one))
        assert not re.search(r"<text|font-family|<style|<metadata|<!--|<!DOCTYPE", one)
        assert "currentColor" in one


def test_a_reader_without_matplotlib_is_told_what_brings_the_plots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "can_plot", lambda: False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    outline = Outline(report_page(REPORT, TABLE))
    assert "svg" not in outline.tags
    assert page.WITHOUT_PLOTS in outline.words
    assert "below_score_floor" in outline.words


def test_a_run_that_was_broken_off_says_so_and_a_retrieval_run_has_no_rates() -> None:
    found = a_report(
        full=False,
        selected_total=3,
        canary_issues=("canaries[0]: in the gist of x",),
        aborted="canaries",
    )
    said = " ".join(Outline(report_page(found, None)).words)
    assert "Canary found: canaries[0]: in the gist of x" in said
    assert "Broken off: canaries." in said
    assert "there are no rates" in said
    assert "What a floor can separate" not in said


def test_a_curve_counts_both_ways_to_be_wrong_at_a_floor() -> None:
    """R165: a score that equals the floor passes it."""
    curve = Curve((0.3, 0.5), (0.1, 0.3, 0.4, 0.2), 0.3)
    assert [curve.false_answers(floor) for floor in (0.0, 0.3, 0.31, 0.5)] == [1.0, 0.5, 0.25, 0.0]
    assert [curve.false_refusals(floor) for floor in (0.0, 0.3, 0.31, 0.6)] == [0.0, 0.0, 0.5, 1.0]
    assert curve_of(replace(TABLE, unanswerable=(scored("comet", None),))) is None
