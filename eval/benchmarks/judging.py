"""From the JSON of benchmarks to rows that say met, missed or not measured; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias, cast

from eval.benchmarks.goal import Benchmark, Goal

Outcome: TypeAlias = Literal["met", "missed", "shown", "not measured"]
Json: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one benchmark: its JSON, or the reason why there is none. `failed` says that it
    could have been measured and was not.
    """

    benchmark: Benchmark
    command: str
    printed: Json | None
    reason: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """One figure beside its goal. `reason` says why there is no value."""

    benchmark: str
    goal: Goal
    value: float | None
    outcome: Outcome
    reason: str
    command: str

    def as_json(self) -> dict[str, object]:
        return {
            "benchmark": self.benchmark,
            "what": self.goal.says,
            "measured": self.value,
            "goal": self.goal.spelled or None,
            "outcome": self.outcome,
            "reason": self.reason or None,
            "command": self.command,
        }


def judged(runs: Iterable[Ran]) -> list[Judged]:
    """A row for each goal of each run, in order."""
    return [_row(ran, goal) for ran in runs for goal in ran.benchmark.goals]


def counts(rows: Sequence[Judged]) -> dict[Outcome, int]:
    """How many rows came out as what."""
    kinds: tuple[Outcome, ...] = ("met", "missed", "shown", "not measured")
    return {kind: sum(row.outcome == kind for row in rows) for kind in kinds}


def _row(ran: Ran, goal: Goal) -> Judged:
    def row(value: float | None, outcome: Outcome, reason: str = "") -> Judged:
        return Judged(ran.benchmark.name, goal, value, outcome, reason, ran.command)

    if ran.printed is None:
        return row(None, "not measured", ran.reason)
    at = _found(ran.printed, goal.path)
    if isinstance(at, str):
        return row(None, "not measured", at)
    value = _number(at)
    if value is None or not isfinite(value):
        return row(None, "not measured", "this run has no such figure")
    met = goal.is_met_by(value)
    return row(value, "shown" if met is None else "met" if met else "missed")


def _found(printed: Json, path: Sequence[str]) -> object:
    """What stands at the path; text on the way is the benchmark's own reason for having no more."""
    at: object = printed
    for step in path:
        if isinstance(at, str):
            return at
        held: Json = cast("Json", at) if isinstance(at, dict) else {}
        at = held.get(step)
    return at


def _number(at: object) -> float | None:
    if isinstance(at, dict):
        return float(sum(cast("dict[str, float]", at).values()))
    return float(at) if isinstance(at, int | float) else None
