"""A figure that is held to a goal, and the benchmark that measures it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Bound: TypeAlias = Literal["at most", "at least"]


@dataclass(frozen=True, slots=True)
class Goal:
    """One figure and what it may be. `path` leads to it in the benchmark's JSON; an object found
    there counts as the sum of its numbers. Without a limit it is shown and not judged.
    """

    says: str
    path: tuple[str, ...]
    limit: float | None = None
    bound: Bound = "at most"
    unit: str = ""

    @property
    def spelled(self) -> str:
        return "" if self.limit is None else f"{self.bound} {self.limit:g}{self.unit}"

    def is_met_by(self, value: float) -> bool | None:
        if self.limit is None:
            return None
        return value <= self.limit if self.bound == "at most" else value >= self.limit


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`quick` is a run so small that its figures mean nothing: it shows that the way works. One
    that is `to_file` prints a table or lines, and writes its JSON to the file after `--json`.
    """

    name: str
    goals: tuple[Goal, ...]
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    to_file: bool = False
    package: str = "eval.benchmarks"

    @property
    def module(self) -> str:
        return f"{self.package}.{self.name}"

    def command(self, *, quick: bool) -> str:
        return " ".join(("python -m", self.module, *(self.quick if quick else self.arguments)))
