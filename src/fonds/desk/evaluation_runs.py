"""What the evaluation page begins: a run of the suite, the scores, the gate (R169, R170, R184)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from markupsafe import Markup

from fonds.desk.runs import Tell
from fonds.evaluation.drawing import can_plot
from fonds.evaluation.gate_report import price_lines
from fonds.evaluation.plots import curve_of, floor_plot, score_plot
from fonds.evaluation.report import CaseResult, EvalReport
from fonds.evaluation.report_file import default_report_name
from fonds.evaluation.score_table import ScoreTable
from fonds.wiring.evaluating import EvalWishes, evaluate, reports_folder, scores
from fonds.wiring.gates import GateDesk
from fonds.wiring.house import House


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """A run that ended; its report is kept under `name` in the reports folder."""

    report: EvalReport = field(repr=False)
    name: str
    warnings: tuple[str, ...] = ()

    kind = "suite"


@dataclass(frozen=True, slots=True)
class Scored:
    """The score table of the suite, and its plots: none without matplotlib, or where a kind of
    question has no score.
    """

    table: ScoreTable = field(repr=False)
    plots: tuple[Markup, ...] = field(repr=False)

    kind = "scores"


@dataclass(frozen=True, slots=True)
class GateSet:
    """What fitting or measuring the gate came to, in lines."""

    lines: tuple[str, ...]

    kind = "gate"


def suite_run(house: House, *, full: bool) -> Callable[[Tell], SuiteRun]:
    """The archive's suite over its live build, kept with its page; `full` asks for answers."""

    def work(tell: Tell) -> SuiteRun:
        warnings: list[str] = []
        told: list[str] = []

        def counted(result: CaseResult) -> None:
            told.append(result.case_id)
            tell(f"{len(told)} cases")

        wishes = EvalWishes(full=full, report=reports_folder(house.config))
        report = evaluate(house, wishes, warn=warnings.append, on_result=counted)
        return SuiteRun(report, default_report_name(report), tuple(warnings))

    return work


def score_run(house: House) -> Callable[[Tell], Scored]:
    """Where answerable and unanswerable questions score."""

    def work(tell: Tell) -> Scored:
        table = scores(house)
        curve = curve_of(table)
        if curve is None or not can_plot():
            return Scored(table, ())
        tell("plots")
        drawn = (score_plot(table), floor_plot(curve))
        return Scored(table, tuple(Markup(one) for one in drawn))  # noqa: S704 - from figures

    return work


def fit_run(house: House) -> Callable[[Tell], GateSet]:
    """The gate of the live build, set anew."""

    def work(tell: Tell) -> GateSet:
        done: Mapping[str, object] = GateDesk(house).fit()
        rose = cast("list[str]", done["rose"])
        lines = (f"question {name} passes now: does the archive answer it?" for name in rose)
        return GateSet(("The gate was fitted.", *lines))

    return work


def measure_run(house: House) -> Callable[[Tell], GateSet]:
    """What the gate refuses and lets through of questions it was not set with."""
    return lambda tell: GateSet(
        tuple(line.strip() for line in price_lines(GateDesk(house).measure()))
    )


RUNS: Final[Mapping[str, Callable[[House], Callable[[Tell], object]]]] = {
    "retrieval": lambda house: suite_run(house, full=False),
    "answers": lambda house: suite_run(house, full=True),
    "scores": score_run,
    "fit": fit_run,
    "measure": measure_run,
}
"""By the name of the button that begins it."""
