"""A report as one page to look at: no script, no request, the same bytes for the same run (R184).

It shows the questions of the suite, as the report does; no answer, passage, gist or canary.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import cast

from fonds.evaluation.drawing import can_plot
from fonds.evaluation.markup import Markup, drawn, element, joined, table, whole_page
from fonds.evaluation.plots import (
    calibration_plot,
    curve_of,
    floor_plot,
    reason_plot,
    score_plot,
)
from fonds.evaluation.report import CaseResult, EvalReport, Rate
from fonds.evaluation.score_table import ScoredQuestion, ScoreTable

WITHOUT_PLOTS = "No plots: matplotlib is not installed. The extra `eval` brings it."
CUSTODY = (
    "This page holds the questions of the suite. It is its owner's: keep it out of version control"
    " where the suite is."
)
MEASURED_ON_ITSELF = (
    "Counted on the suite itself, whose cases its author chose: they carry no guarantee for"
    " questions nobody has asked yet."
)


def report_page(report: EvalReport, scores: ScoreTable | None) -> str:
    """The page of a run. `scores` are None where they were not measured."""
    title = f"Evaluation of {report.terms.archive}"
    parts = (
        _summary(report),
        _rates(report),
        _failures(report),
        _reasons(report),
        *(() if scores is None else _scores(scores)),
        _calibration(report),
        _cases(report),
        _terms(report),
        element("p", CUSTODY, class_="quiet"),
    )
    return whole_page(title, *parts)


def _summary(report: EvalReport) -> Markup:
    tier = "answers" if report.full else "retrieval"
    counts = (
        f"{report.passed} passed, {report.failed} failed, {report.skipped} skipped of"
        f" {report.selected_total}; {report.canaries} canaries swept."
    )
    ran_at = f"{report.ran_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    said = [element("p", element("strong", counts))]
    said.append(element("p", f"Tier: {tier}. {ran_at}, build {report.terms.build_id}."))
    if report.aborted:
        said.append(element("p", f"Broken off: {report.aborted}.", class_="bad"))
    if report.note:
        said.append(element("p", report.note))
    said += [element("p", f"Canary found: {one}", class_="bad") for one in report.canary_issues]
    return joined(*said)


def _rates(report: EvalReport) -> Markup:
    rates = report.rates
    if rates is None:
        return element("p", "Retrieval alone: no answer was asked for, so there are no rates.")
    rows = [
        ("false answers", "unanswerable questions that were answered", rates.false_answers),
        ("false refusals", "answerable questions that were declined", rates.false_refusals),
        ("false routes", "unanswerable questions sent to private places", rates.false_routes),
    ]
    shown = [(name, what, _rate(rate)) for name, what, rate in rows]
    return joined(
        element("h2", "Both ways to be wrong"),
        table(("rate", "what it counts", "here"), shown),
        element("p", MEASURED_ON_ITSELF, class_="quiet"),
    )


def _rate(rate: Rate) -> str:
    return f"{rate.count} of {rate.of}"


def _failures(report: EvalReport) -> Markup:
    failed = [result for result in report.results if result.failed]
    heading = element("h2", "What failed")
    if not failed:
        return joined(heading, element("p", "Nothing failed."))
    rows = [(one.case_id, one.query, _came(one), "; ".join(one.issues)) for one in failed]
    return joined(heading, table(("case", "question", "came out as", "issues"), rows))


def _came(result: CaseResult) -> str:
    if result.skipped is not None:
        return f"skipped: {result.skipped}"
    if result.mode is None:
        return result.reason or "hits"
    return f"{result.mode} ({result.reason})" if result.reason else result.mode


def _reasons(report: EvalReport) -> Markup:
    found = Counter(result.reason for result in report.results if result.reason is not None)
    if not found:
        return Markup("")
    counts = dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))
    shown = (
        drawn(reason_plot(counts))
        if can_plot()
        else table(("reason", "questions"), [(name, str(n)) for name, n in counts.items()])
    )
    return joined(element("h2", "Why questions were declined"), shown)


def _scores(scores: ScoreTable) -> tuple[Markup, ...]:
    said = (
        f"Gap {_figure(scores.gap)}, suggested floor {_figure(scores.suggested_floor)},"
        f" floor of this build {_figure(scores.score_floor)}."
    )
    tabled = (
        element("h2", "What a floor can separate"),
        element("p", said),
        *_plots(scores),
        _inversions(scores),
        _score_table("Answerable, lowest first", scores.answerable),
        _score_table("Unanswerable, highest first", scores.unanswerable),
    )
    return tuple(one for one in tabled if one)


def _plots(scores: ScoreTable) -> tuple[Markup, ...]:
    if not can_plot():
        return (element("p", WITHOUT_PLOTS, class_="quiet"),)
    curve = curve_of(scores)
    over = () if curve is None else (drawn(floor_plot(curve)),)
    return (drawn(score_plot(scores)), *over)


def _inversions(scores: ScoreTable) -> Markup:
    if not scores.inversions:
        return element("p", "No inversion: some floor separates the two kinds in this suite.")
    rows = [(one.answerable, ", ".join(one.unanswerable)) for one in scores.inversions]
    return joined(
        element("p", "No threshold separates these: a model that reads has to."),
        table(("answerable", "does not stand above"), rows),
    )


def _score_table(title: str, questions: tuple[ScoredQuestion, ...]) -> Markup:
    rows = [
        (one.case_id, _figure(one.best_score), one.raw or "", one.passage or "")
        for one in questions
    ]
    return element("details", element("summary", title), table(_SCORE_HEAD, rows))


_SCORE_HEAD = ("case", "best score", "layer", "passage")


def _calibration(report: EvalReport) -> Markup:
    heading = element("h2", "What the gate promises and what passed")
    curve = report.calibration_curve
    if curve is None:
        return joined(heading, element("p", _without_curve(report)))
    asked = "the bundled questions" if curve.source == "bank" else "the archive's own questions"
    said = (
        f"Rule {curve.rule}, on {curve.points[0].of} of {asked} that have no answer here. Each was"
        f" held out once of {curve.folds} folds, and compared with the threshold of the others."
    )
    rows = [
        (f"{one.alpha:g}", f"{one.passed} of {one.of}", f"{one.rate:.3f}", _range(one.interval))
        for one in curve.points
    ]
    head = ("promised", "passed the gate", "share", "95% interval")
    plot = (drawn(calibration_plot(curve)),) if can_plot() else ()
    return joined(heading, element("p", said), *plot, table(head, rows))


def _without_curve(report: EvalReport) -> str:
    gate = report.terms.gate
    if gate in ("fitted", "provisional"):
        return "This run measured no calibration curve."
    return f"There is no calibration to measure: the gate of this build is {gate}."


def _range(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{low:.3f} to {high:.3f}"


def _cases(report: EvalReport) -> Markup:
    rows = [(one.case_id, one.query, one.expected, _came(one)) for one in report.results]
    head = ("case", "question", "expected", "came out as")
    return element("details", element("summary", "All cases"), table(head, rows))


def _terms(report: EvalReport) -> Markup:
    rows = [(name, _spelled(term)) for name, term in report.terms.as_json().items()]
    return joined(element("h2", "Under which terms"), table(("term", "value"), rows))


def _spelled(term: object) -> str:
    if isinstance(term, dict):
        parts = cast("dict[str, object]", term)
        return ", ".join(f"{name} {_spelled(part)}" for name, part in parts.items())
    return "none" if term is None or term == "" else str(term)


def _figure(figure: float | None) -> str:
    return "none" if figure is None else f"{figure:.3f}"
