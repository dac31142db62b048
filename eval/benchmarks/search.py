"""Search in process against the bare statement it rests on, and against numpy.

    python -m eval.benchmarks.search [--fragments 1000 10000] [--rounds 60]

Prints JSON. The question's vector is given, so that no embedding is timed. `bare` is an exact top
10 and the reading of its text on a prepared connection without archive, policy or pool, and looks
no word up; `search` is the whole way to the response, the question's words included, and
`unknown_words` the same for words that no text holds. A round asks
each once, in turn; figures are medians over all rounds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter

import numpy as np
from pgvector import HalfVector

from eval.benchmarks.served_bench import ASKED_RANKS, SPACE, VOCABULARY, Bench, bench, word
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.boosts import FULL_BOOSTS
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import search
from fonds.store.served_store import PostgresServedStore

LIMIT = 10
GOALS = {1_000: 2.0, 10_000: 1.5}  # search over bare
QUESTION = " ".join(word(rank) for rank in ASKED_RANKS)
UNKNOWN = " ".join(word(VOCABULARY + rank) for rank in ASKED_RANKS)
_BARE = """
    SELECT fragment_id, 1 - (embedding <=> %s) FROM served.embedding
     WHERE archive_id = %s AND build_id = 1 ORDER BY embedding <=> %s LIMIT 10
    """
_BARE_TEXT = """
    SELECT f.fragment_id, f.text, f.label, e.title, e.url
      FROM served.fragment f JOIN served.entity e USING (archive_id, build_id, entity_id)
     WHERE archive_id = %s AND build_id = 1 AND fragment_id = ANY (%s)
    """


class GivenVector:
    """An embedder that costs nothing: it answers the vector it was handed."""

    def __init__(self) -> None:
        self.vector: Vector = ()

    @property
    def space(self) -> EmbeddingSpace:
        return SPACE

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return EmbedOutcome(tuple(self.vector for _ in texts))

    def embed_query(self, text: str) -> Vector:
        return self.vector


def main() -> None:
    """Measures each size and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.search")
    parser.add_argument("--fragments", type=int, nargs="+", default=sorted(GOALS))
    parser.add_argument("--rounds", type=int, default=60)
    asked = parser.parse_args()
    report = {str(size): measured(size, asked.rounds) for size in asked.fragments}
    json.dump(report, sys.stdout, indent=2)
    sys.stdout.write("\n")


def measured(fragments: int, rounds: int) -> dict[str, float]:
    """Medians in milliseconds, ratios to the bare statement, and the goal where there is one."""
    with bench(fragments, rounds) as found:
        ways = contenders(found)
        times: dict[str, list[float]] = {name: [] for name in ways}
        for number, question in enumerate(found.questions):
            vector = tuple(map(float, question.tolist()))
            for name, answer in ways.items():
                start = perf_counter()
                answer(number, vector)
                times[name].append(perf_counter() - start)
    spent = {name: median(taken) * 1000 for name, taken in times.items()}
    report = {f"{name}_ms": round(value, 3) for name, value in spent.items()}
    report["search_to_bare"] = round(spent["search"] / spent["bare"], 3)
    report["unknown_words_to_bare"] = round(spent["unknown_words"] / spent["bare"], 3)
    report["full_set_to_bare"] = round(spent["full_set"] / spent["bare"], 3)
    if fragments in GOALS:
        report["goal"] = GOALS[fragments]
    return report


def contenders(found: Bench) -> dict[str, Callable[[int, Vector], object]]:
    """Ways to ask a question, of its number and vector: a search, and what it is compared with."""
    store = PostgresServedStore(found.reader, found.archive_id)
    embedder = GivenVector()
    request = SearchRequest(QUESTION, limit=LIMIT, recency="none")
    full = RetrievalSettings(boosts=FULL_BOOSTS)
    ids = np.array(found.ids)

    def in_process(_number: int, vector: Vector) -> object:
        embedder.vector = vector
        return search(request, store, embedder)

    def full_set(_number: int, vector: Vector) -> object:
        embedder.vector = vector
        return search(SearchRequest(QUESTION, limit=LIMIT), store, embedder, full)

    def unknown_words(_number: int, vector: Vector) -> object:
        embedder.vector = vector
        return search(SearchRequest(UNKNOWN, limit=LIMIT, recency="none"), store, embedder)

    def bare(_number: int, vector: Vector) -> object:
        half = HalfVector(list(vector))
        near = found.admin.execute(_BARE, (half, found.archive_id, half)).fetchall()
        chosen = [row[0] for row in near]
        return found.admin.execute(_BARE_TEXT, (found.archive_id, chosen)).fetchall()

    def brute_force(number: int, _vector: Vector) -> object:
        scores = found.vectors @ found.questions[number]
        return ids[np.argpartition(-scores, LIMIT)[:LIMIT]]

    return {
        "bare": bare,
        "search": in_process,
        "unknown_words": unknown_words,
        "full_set": full_set,
        "numpy": brute_force,
    }


if __name__ == "__main__":
    main()
