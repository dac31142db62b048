"""What is held to a goal: each benchmark with its command, and where its JSON holds which figure.

A benchmark is registered here and nowhere else. One that is not in the tree, lacks a library or has
no such figure is reported as not measured, never as met.
"""

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
    that is `to_file` prints a table, and writes its JSON to the file after `--json`.
    """

    name: str
    goals: tuple[Goal, ...]
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    to_file: bool = False

    @property
    def module(self) -> str:
        return f"eval.benchmarks.{self.name}"

    def command(self, *, quick: bool) -> str:
        return " ".join(("python -m", self.module, *(self.quick if quick else self.arguments)))


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "search",
        (
            Goal(
                "a search of 1,000 fragments over the plain exact statement and its text",
                ("1000", "search_to_bare"),
                2.0,
            ),
            Goal(
                "a search of 10,000 fragments over the plain exact statement and its text",
                ("10000", "search_to_bare"),
                1.5,
            ),
            Goal("the same of words that no text holds", ("10000", "unknown_words_to_bare")),
            Goal("the same with every boost", ("10000", "full_set_to_bare")),
        ),
        quick=("--fragments", "1000", "--rounds", "3"),
    ),
    Benchmark(
        "rivals",
        (
            Goal(
                "a search of 10,000 fragments over LangChain's PGVectorStore",
                ("langchain", "searchToRival"),
                0.5,
            ),
            Goal(
                "a search of 10,000 fragments over LlamaIndex's PGVectorStore",
                ("llamaindex", "searchToRival"),
                0.5,
            ),
            Goal("rows a second that LangChain's PGVectorStore takes in", ("langchain", "rows")),
            Goal("rows a second that LlamaIndex's PGVectorStore takes in", ("llamaindex", "rows")),
            Goal("rows a second that an ingest of the same rows stores", ("fonds", "rows")),
        ),
        quick=("--fragments", "200", "--rounds", "3"),
    ),
    Benchmark(
        "recall",
        (
            Goal("recall of the exact path", ("recall",), 1.0, "at least"),
            Goal("hits too few while enough fragments clear the floor", ("missingHits",), 0),
        ),
        quick=("--fragments", "800", "--questions", "5"),
    ),
    Benchmark(
        "neighbours",
        (
            Goal("a search beside 100 other archives over one without", ("besideToAlone",), 1.2),
            Goal(
                "time a fragment in the largest archive over that in the smallest",
                ("linearity",),
                1.2,
            ),
        ),
        quick=("--sizes", "100", "200", "--others", "2", "--rounds", "2"),
    ),
    Benchmark(
        "load",
        (
            Goal(
                "a search over HTTP over the plain exact statement",
                ("oneCaller", "searchToBare"),
                4.0,
            ),
            Goal(
                "processor time of a search over that of an empty endpoint",
                ("oneCaller", "cpuToEmpty"),
                10.0,
            ),
            Goal(
                "growth of memory over the second half of 10,000 requests",
                ("atOnce", "secondHalfGrowth"),
                0.05,
            ),
            Goal("replies that broke a promise under faults", ("faults", "broken"), 0),
        ),
        ("--faults",),
        ("--archives", "1", "--fragments", "200", "--rounds", "20", "--requests", "80"),
    ),
    Benchmark(
        "limiter",
        (Goal("counting a request over an empty statement", ("take_to_empty",), 4.0),),
        quick=("--rounds", "20", "--threads", "1"),
    ),
    Benchmark(
        "ingest",
        (
            Goal(
                "rows a second of a first ingest over those of bare staging",
                ("first", "ratio"),
                0.5,
                "at least",
            ),
            Goal("an ingest of unchanged files over hashing them", ("unchanged", "ratio"), 2.5),
            Goal("rows written where nothing changed", ("unchanged", "rowsWritten"), 0),
            Goal("calls to an embedder where nothing changed", ("unchanged", "embeddingCalls"), 0),
            Goal("rows written beyond those that changed", ("changed", "rowsBeyond"), 0),
        ),
        quick=("--files", "40", "--fragments", "500", "--rounds", "2"),
    ),
    Benchmark(
        "memory",
        (
            Goal(
                "most memory of an ingest over that of a corpus of an eighth",
                ("largestToSmallest",),
                1.2,
            ),
        ),
        quick=("--files", "20", "40"),
    ),
    Benchmark(
        "build",
        (
            Goal("a build of 10,000 fragments", ("10000", "fullSeconds"), 20.0, unit=" s"),
            Goal(
                "time a fragment in the larger archive over that in the smaller",
                ("linearity",),
                1.2,
            ),
            Goal(
                "a build after one fragment in a hundred changed over a whole one",
                ("10000", "changedToFull"),
                0.5,
            ),
            Goal("builds made where nothing changed", ("buildsOfNothing",), 0),
            Goal("finding out that nothing changed over a build", ("10000", "unchangedToFull")),
        ),
        quick=("--fragments", "200", "400", "--rounds", "1"),
    ),
    Benchmark(
        "parsing",
        (
            Goal(
                "Markdown from file to fragments",
                ("megabytesASecond", "whole"),
                5.0,
                "at least",
                " MB/s",
            ),
        ),
        quick=("--megabytes", "0.1", "--rounds", "1", "--pages", "1"),
    ),
    Benchmark(
        "scale",
        (
            Goal(
                "power of the size, up to 100,000 fragments, that a search grows with",
                ("exponents", "searchServerCpu"),
                1.15,
            ),
            Goal(
                "power of the size, up to 100,000 fragments, that a build grows with",
                ("exponents", "buildCpu"),
                1.15,
            ),
            Goal(
                "server time of a search of 10,000 fragments beside 100 archives over alone",
                ("beside", "serverCpuRatios", "10000"),
                1.2,
            ),
        ),
        quick=("--quick",),
        to_file=True,
    ),
)
