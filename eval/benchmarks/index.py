"""A search that goes by an index against the same search by every row.

    python -m eval.benchmarks.index [--fragments 10000 50000 100000] [--rounds 60] [--json FILE]

Prints a JSON object a size, each on a line, and writes all of them by size to FILE. The vectors are
made up, in clusters as works of an archive are: each is a sum of its topic (one of 200, over all
dimensions), its work (one for every 40 fragments) and itself, the last two in 64 dimensions of
their own, and a little noise. Fragments of a work have a cosine of about .7, those of a topic .3,
others 0. A question is made like one fragment more of some work. Texts and the question's words are
those of `eval.benchmarks.search`. The question's vector is given. A round asks both ways, in turn;
`timeToExact` is the ratio of the medians, and `byIndex` how many questions the index answered
alone. `makeMB` is what the process on the server that made the index held at most beyond what it
held before, buffers that it shares among it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from eval.benchmarks.scale_costs import meter
from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import DIMENSIONS, Bench, Vectors, bench
from fonds.contract.near_index import IndexShape
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.search import Searched, searched
from fonds.store.index_store import PostgresIndexStore
from fonds.store.served_store import PostgresServedStore

SIZES = (10_000, 50_000, 100_000)
TOPICS = 200
FRAGMENTS_A_WORK = 40
LATENT = 64
WEIGHTS = (0.55, 0.65, 0.5, 0.1)  # topic, work, fragment, noise
REQUEST = SearchRequest(QUESTION, recency="none")


def main() -> None:
    """Measures each size and prints what it found at once: the largest takes a while."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.index")
    parser.add_argument("--fragments", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--breadth", type=int, default=IndexShape().breadth)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    shape = IndexShape(breadth=asked.breadth, least=1)
    reports: dict[str, dict[str, float]] = {}
    for size in asked.fragments:
        report = {"fragments": size} | measured(size, asked.rounds, shape)
        sys.stdout.write(json.dumps(report) + "\n")
        sys.stdout.flush()
        reports[str(size)] = report
    if asked.json is not None:
        asked.json.write_text(json.dumps(reports, indent=2) + "\n", encoding="utf-8")


def measured(fragments: int, rounds: int, shape: IndexShape) -> dict[str, float]:
    """Medians in milliseconds, their ratio, recall of what is shown, and what the index costs."""
    with bench(fragments, rounds, made=works_and_questions) as found:
        indexes = PostgresIndexStore(found.build, found.archive_id)
        with meter(found.build).spending() as spent:
            indexes.make(1, shape)
        indexes.note_check(1, questions=1, by_index=1, recall=1.0, admitted=True)
        kept = indexes.index_of(1)
        report = _asked(found)
    size = 0 if kept is None else kept.size or 0
    report["makeSeconds"] = round(spent.wall, 1)
    report["makeMB"] = round(spent.server_peak_mb)
    report["bytesAVector"] = round(size / fragments)
    return report


def _asked(found: Bench) -> dict[str, float]:
    stores = [
        PostgresServedStore(found.reader, found.archive_id, exactly=exactly)
        for exactly in (True, False)
    ]
    embedder = GivenVector()
    times: tuple[list[float], list[float]] = ([], [])
    seen: list[tuple[Searched, Searched]] = []
    for question in found.questions:
        embedder.vector = tuple(map(float, question.tolist()))
        pair: list[Searched] = []
        for store, taken in zip(stores, times, strict=True):
            start = perf_counter()
            pair.append(searched(REQUEST, store, embedder))
            taken.append(perf_counter() - start)
        seen.append((pair[0], pair[1]))
    exact, by_index = (median(taken) * 1000 for taken in times)
    return {
        "exactMs": round(exact, 2),
        "indexMs": round(by_index, 2),
        "timeToExact": round(by_index / exact, 3),
        "questions": len(seen),
        "byIndex": sum(ours.by_index for _, ours in seen),
        "recall": _recall(seen),
    }


def _recall(seen: Sequence[tuple[Searched, Searched]]) -> float:
    """Of the hits of an exact search, over questions the index answered alone."""
    sought = found = 0
    for exact, ours in seen:
        if ours.by_index:
            wanted = {hit.provenance.fragment_id for hit in exact.hits}
            sought += len(wanted)
            found += len(wanted & {hit.provenance.fragment_id for hit in ours.hits})
    return round(found / sought, 4) if sought else 0.0


def works_and_questions(fragments: int, questions: int) -> tuple[Vectors, Vectors]:
    """So many fragments in works of some topics, and so many questions; the same every time."""
    random = np.random.default_rng(20250301)
    works = max(1, fragments // FRAGMENTS_A_WORK)
    topics = _units(random.standard_normal((TOPICS, DIMENSIONS)))
    plane = _units(random.standard_normal((LATENT, DIMENSIONS)))
    told = _units(random.standard_normal((works, LATENT)) @ plane)
    about = random.integers(0, TOPICS, works)

    def some(count: int) -> Vectors:
        work = random.integers(0, works, count)
        own = _units(random.standard_normal((count, LATENT)) @ plane)
        noise = _units(random.standard_normal((count, DIMENSIONS)))
        parts = (topics[about[work]], told[work], own, noise)
        mixed = sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True))
        # Stored in half precision: compared as stored.
        return _units(np.asarray(mixed)).astype(np.float16).astype(np.float32)

    return some(fragments), some(questions)


def _units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
