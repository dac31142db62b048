"""What the exact path finds of what is there, against brute force over the same vectors.

    python -m eval.benchmarks.recall [--fragments 10000] [--questions 200]

Prints JSON; it counts, and times nothing. `recall` is the share of the ten nearest fragments among
ten hits, of all questions that have ten above the floor; fragments as near as the tenth count as
it. `missingHits` counts hits that were asked for and not given while enough fragments clear the
floor, at several limits, with boosts and without.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import Bench, bench
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.boosts import FULL_BOOSTS
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import search
from fonds.store.served_store import PostgresServedStore

DEPTH = 10
LIMITS = (1, 10, 50)
FLOOR = 0.2  # of the build that `served_bench` makes
AS_NEAR = 1e-6  # cosines closer than this are the same: the server adds up in single precision
PLAIN = RetrievalSettings(boosts=())
SETTINGS = (PLAIN, RetrievalSettings(), RetrievalSettings(boosts=FULL_BOOSTS))


def main() -> None:
    """Counts and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.recall")
    parser.add_argument("--fragments", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=200)
    asked = parser.parse_args()
    with bench(asked.fragments, asked.questions) as found:
        report = counted(found)
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def counted(found: Bench) -> dict[str, float | None]:
    """Over every question of the bench."""
    number = {fragment_id: place for place, fragment_id in enumerate(found.ids)}
    nearest = wanted = missing = 0
    for question in found.questions:
        cosines = _cosines(found, question)
        clearing = int((cosines >= FLOOR + AS_NEAR).sum())
        for settings in SETTINGS:
            for limit in LIMITS:
                ids = _hits(found, question, limit, settings)
                missing += max(0, min(limit, clearing) - len(ids))
        if clearing >= DEPTH:
            tenth = np.sort(cosines)[-DEPTH]
            ids = _hits(found, question, DEPTH, PLAIN)
            nearest += sum(cosines[number[one]] >= tenth - AS_NEAR for one in ids)
            wanted += DEPTH
    return {
        "fragments": len(found.vectors),
        "questions": len(found.questions),
        "compared": wanted,
        "recall": int(nearest) / wanted if wanted else None,
        "missingHits": missing,
    }


def _cosines(found: Bench, question: NDArray[np.float32]) -> NDArray[np.float64]:
    rows, asked = found.vectors.astype(np.float64), question.astype(np.float64)
    return (rows @ asked) / (np.linalg.norm(rows, axis=1) * np.linalg.norm(asked))


def _hits(
    found: Bench, question: NDArray[np.float32], limit: int, settings: RetrievalSettings
) -> list[str]:
    embedder = GivenVector()
    embedder.vector = tuple(map(float, question.tolist()))
    store = PostgresServedStore(found.reader, found.archive_id)
    request = SearchRequest(QUESTION, limit=limit, recency="none")
    return [hit.provenance.fragment_id for hit in search(request, store, embedder, settings).hits]


if __name__ == "__main__":
    main()
