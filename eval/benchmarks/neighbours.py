"""What a search costs as its own archive grows, and as others stand beside it.

    python -m eval.benchmarks.neighbours [--sizes 2000 4000 8000] [--others 100] [--of 1000]
        [--rounds 60]

Prints JSON. Each archive of `sizes` has a database of its own; one more database holds the smallest
beside so many others of `of` fragments each. A round asks each once, in turn. `besideToAlone`
compares the smallest archive with and without its neighbours, `linearity` the time a fragment takes
in the largest archive with that in the smallest.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter

from eval.benchmarks.search import contenders
from eval.benchmarks.served_bench import bench_on
from fonds.contract.ports import Vector
from fonds.store.embedded import running

BESIDE = "beside"


def main() -> None:
    """Measures and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.neighbours")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 4_000, 8_000])
    parser.add_argument("--others", type=int, default=100)
    parser.add_argument("--of", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=60)
    asked = parser.parse_args()
    sizes = sorted(asked.sizes)
    spent = measured(sizes, asked.others, asked.of, asked.rounds)
    small, large = sizes[0], sizes[-1]
    a_fragment = {size: spent[str(size)] / size for size in (small, large)}
    report = {
        "others": asked.others,
        "milliseconds": {name: round(value * 1000, 3) for name, value in spent.items()},
        "besideToAlone": round(spent[BESIDE] / spent[str(small)], 3),
        "linearity": round(a_fragment[large] / a_fragment[small], 3),
    }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def measured(sizes: Sequence[int], others: int, of: int, rounds: int) -> dict[str, float]:
    """Medians in seconds by size, and of the smallest beside the others."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fonds-bench-")))
        server = stack.enter_context(running(folder / "home"))
        beds = {str(size): bench_on(server, size, rounds) for size in sizes}
        beds[BESIDE] = bench_on(server, sizes[0], rounds, others=others, of=of)
        found = {name: stack.enter_context(bed) for name, bed in beds.items()}
        ways: dict[str, Callable[[int, Vector], object]] = {
            name: contenders(bed)["search"] for name, bed in found.items()
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(rounds):
            for name, way in ways.items():
                question = found[name].questions[number]
                vector = tuple(map(float, question.tolist()))
                began = perf_counter()
                way(number, vector)
                times[name].append(perf_counter() - began)
    return {name: median(taken) for name, taken in times.items()}


if __name__ == "__main__":
    main()
