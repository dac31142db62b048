"""The plots of a report: SVG to stand inside a page, the same bytes for the same figures (R173).

Drawn by matplotlib, which the extra `eval` brings; where it is not installed there are none. Text
is drawn as outlines, so that no font of the reader's is needed; what is neither data nor label
takes the colour of the page around it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeAlias

from fonds.contract.sealed import sealed
from fonds.evaluation.calibration_curve import CalibrationCurve
from fonds.evaluation.score_table import ScoredQuestion, ScoreTable

_Drawing: TypeAlias = Any  # matplotlib types itself in part, which a strict checker cannot use

_INK = "#010203"  # becomes the page's own colour
_HELD = "#2a78d0"  # answerable, and what is refused of it; readable on light and dark
_ABSENT = "#d9622b"  # unanswerable, and what is let through of it
_HASH_SALT = "fonds"  # else the ids inside an SVG differ from run to run
_SIZE = (6.4, 3.0)
_RULES: Mapping[str, object] = {
    "svg.hashsalt": _HASH_SALT,
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib
    "font.size": 9,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


@sealed
@dataclass(frozen=True, slots=True)
class Curve:
    """Scores of questions that have an answer and of those that have none, and where it is cut."""

    answerable: tuple[float, ...]
    unanswerable: tuple[float, ...]
    floor: float | None

    def false_answers(self, floor: float) -> float:
        """The share of unanswerable questions that a floor lets through, itself included."""
        return sum(one >= floor for one in self.unanswerable) / len(self.unanswerable)

    def false_refusals(self, floor: float) -> float:
        return sum(one < floor for one in self.answerable) / len(self.answerable)


def curve_of(table: ScoreTable) -> Curve | None:
    """None where one of the two kinds of question has no score at all."""
    held, absent = _scores(table.answerable), _scores(table.unanswerable)
    return Curve(held, absent, table.score_floor) if held and absent else None


def can_plot() -> bool:
    return find_spec("matplotlib") is not None


def score_plot(table: ScoreTable) -> str:
    """A dot a question on one line of scores, one row for each kind."""
    with _ruled():
        figure, axes = _figure()
        for row, questions, colour in (
            (1, table.answerable, _HELD),
            (0, table.unanswerable, _ABSENT),
        ):
            scores = _scores(questions)
            axes.scatter(scores, [row] * len(scores), s=28, color=colour, alpha=0.7, linewidths=0)
        axes.set_yticks([0, 1], ["unanswerable", "answerable"])
        axes.set_ylim(-0.6, 1.6)
        axes.set_xlabel("best score before any floor")
        _mark(axes, table.score_floor, "floor")
        _mark(axes, table.suggested_floor, "suggested")
        return _svg(figure, "scores")


def floor_plot(curve: Curve) -> str:
    """Both ways to be wrong over the floor: lowering the one raises the other."""
    with _ruled():
        figure, axes = _figure()
        steps = sorted({*curve.answerable, *curve.unanswerable})
        at = [steps[0] - 0.02, *steps, steps[-1] + 0.02]
        for share, label, colour in (
            (curve.false_answers, "false answers", _ABSENT),
            (curve.false_refusals, "false refusals", _HELD),
        ):
            axes.step(at, [share(floor) for floor in at], where="pre", color=colour, label=label)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel("score floor")
        axes.set_ylabel("share")
        axes.legend(loc="center right")
        _mark(axes, curve.floor, "floor")
        return _svg(figure, "floors")


def reason_plot(counts: Mapping[str, int]) -> str:
    """A bar a reason, the most frequent on top."""
    with _ruled():
        figure, axes = _figure((6.4, 0.8 + 0.32 * len(counts)))
        names = list(counts)[::-1]
        axes.barh(names, [counts[name] for name in names], color=_HELD, height=0.6)
        axes.set_xlabel("questions")
        axes.xaxis.get_major_locator().set_params(integer=True)
        return _svg(figure, "reasons")


def calibration_plot(curve: CalibrationCurve) -> str:
    """Promised shares across, measured ones up with their intervals; the line is where both agree.

    Above the line the gate lets more through than it promises.
    """
    with _ruled():
        figure, axes = _figure()
        promised = [point.alpha for point in curve.points]
        measured = [point.rate for point in curve.points]
        low = [point.rate - point.interval[0] for point in curve.points]
        high = [point.interval[1] - point.rate for point in curve.points]
        most = max(promised) * 1.08
        axes.plot([0, most], [0, most], color=_INK, linewidth=0.8, linestyle=":")
        axes.errorbar(
            promised, measured, yerr=[low, high], fmt="o", color=_ABSENT, markersize=5, capsize=3
        )
        axes.set_xlim(0, most)
        axes.set_ylim(bottom=-0.02)
        axes.set_xlabel("share that may pass, as promised")
        axes.set_ylabel("share that passed")
        _mark(axes, curve.alpha, "of this build")
        return _svg(figure, "calibration")


def _scores(questions: Sequence[ScoredQuestion]) -> tuple[float, ...]:
    return tuple(one.best_score for one in questions if one.best_score is not None)


@contextmanager
def _ruled() -> Generator[None]:
    """No setting of the user's matplotlib reaches a plot of ours."""
    # It takes a second to load, and most runs draw nothing.
    import matplotlib

    drawing: _Drawing = matplotlib
    with drawing.rc_context():
        drawing.rcdefaults()
        drawing.rcParams.update(_RULES)
        yield


def _figure(size: tuple[float, float] = _SIZE) -> tuple[_Drawing, _Drawing]:
    from matplotlib.figure import Figure

    figure: _Drawing = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def _mark(axes: _Drawing, at: float | None, name: str) -> None:
    if at is None:
        return
    axes.axvline(at, color=_INK, linewidth=0.8, linestyle=":")
    axes.annotate(
        f"{name} {at:.3f}",
        (at, 1),
        xycoords=("data", "axes fraction"),
        xytext=(3, -2 if name == "floor" else -14),
        textcoords="offset points",
        va="top",
        fontsize=8,
    )


def _svg(figure: _Drawing, name: str) -> str:
    """The drawing as an element without prologue, comments, styles or metadata; ids are its own."""
    written = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(written, format="svg", metadata=nothing, transparent=True)
    element = written.getvalue()
    element = element[element.index("<svg") :].rstrip()
    for left_out in (r"<!--.*?-->", r"<metadata>.*?</metadata>", r"<style.*?</style>"):
        element = re.sub(left_out, "", element, flags=re.DOTALL)
    element = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{name}-", element)
    return element.replace("<svg ", '<svg role="img" ', 1).replace(_INK, "currentColor")
