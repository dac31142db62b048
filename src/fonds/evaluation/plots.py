"""The plots of a report (R173). Blue is what is answerable and what is refused of it, orange what
is unanswerable and what is let through of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fonds.contract.sealed import sealed
from fonds.evaluation.calibration_curve import CalibrationCurve
from fonds.evaluation.drawing import BLUE, INK, ORANGE, Drawing, blank_figure, ruled, svg_of
from fonds.evaluation.score_table import ScoredQuestion, ScoreTable

_SAID: Mapping[str, str] = {
    "scores": "Best score of each question, answerable and unanswerable ones apart",
    "floors": "False answers and false refusals over the score floor",
    "reasons": "How often each reason declined",
    "calibration": "What passed the gate beside what was promised",
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


def score_plot(table: ScoreTable) -> str:
    """A dot a question on one line of scores, one row for each kind."""
    with ruled():
        figure, axes = blank_figure()
        for row, questions, colour in (
            (1, table.answerable, BLUE),
            (0, table.unanswerable, ORANGE),
        ):
            scores = _scores(questions)
            axes.scatter(scores, [row] * len(scores), s=28, color=colour, alpha=0.7, linewidths=0)
        axes.set_yticks([0, 1], ["unanswerable", "answerable"])
        axes.set_ylim(-0.6, 1.6)
        axes.set_xlabel("best score before any floor")
        _mark(axes, table.score_floor, "floor")
        _mark(axes, table.suggested_floor, "suggested")
        return svg_of(figure, "scores", _SAID["scores"])


def floor_plot(curve: Curve) -> str:
    """Both ways to be wrong over the floor: lowering the one raises the other."""
    with ruled():
        figure, axes = blank_figure()
        steps = sorted({*curve.answerable, *curve.unanswerable})
        at = [steps[0] - 0.02, *steps, steps[-1] + 0.02]
        for share, label, colour in (
            (curve.false_answers, "false answers", ORANGE),
            (curve.false_refusals, "false refusals", BLUE),
        ):
            axes.step(at, [share(floor) for floor in at], where="pre", color=colour, label=label)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel("score floor")
        axes.set_ylabel("share")
        axes.legend(loc="center right")
        _mark(axes, curve.floor, "floor")
        return svg_of(figure, "floors", _SAID["floors"])


def reason_plot(counts: Mapping[str, int]) -> str:
    """A bar a reason, the most frequent on top."""
    with ruled():
        figure, axes = blank_figure((6.4, 0.8 + 0.32 * len(counts)))
        names = list(counts)[::-1]
        axes.barh(names, [counts[name] for name in names], color=BLUE, height=0.6)
        axes.set_xlabel("questions")
        axes.xaxis.get_major_locator().set_params(integer=True)
        return svg_of(figure, "reasons", _SAID["reasons"])


def calibration_plot(curve: CalibrationCurve) -> str:
    """Promised shares across, measured ones up with their intervals; the line is where both agree.

    Above the line the gate lets more through than it promises.
    """
    with ruled():
        figure, axes = blank_figure()
        promised = [point.alpha for point in curve.points]
        measured = [point.rate for point in curve.points]
        low = [point.rate - point.interval[0] for point in curve.points]
        high = [point.interval[1] - point.rate for point in curve.points]
        most = max(promised) * 1.08
        axes.plot([0, most], [0, most], color=INK, linewidth=0.8, linestyle=":")
        axes.errorbar(
            promised, measured, yerr=[low, high], fmt="o", color=ORANGE, markersize=5, capsize=3
        )
        axes.set_xlim(0, most)
        axes.set_ylim(bottom=-0.02)
        axes.set_xlabel("share that may pass, as promised")
        axes.set_ylabel("share that passed")
        _mark(axes, curve.alpha, "of this build")
        return svg_of(figure, "calibration", _SAID["calibration"])


def _scores(questions: Sequence[ScoredQuestion]) -> tuple[float, ...]:
    return tuple(one.best_score for one in questions if one.best_score is not None)


def _mark(axes: Drawing, at: float | None, name: str) -> None:
    if at is None:
        return
    axes.axvline(at, color=INK, linewidth=0.8, linestyle=":")
    axes.annotate(
        f"{name} {at:.3f}",
        (at, 1),
        xycoords=("data", "axes fraction"),
        xytext=(3, -2 if name == "floor" else -14),
        textcoords="offset points",
        va="top",
        fontsize=8,
    )
