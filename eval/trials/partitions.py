"""The same search over `served.embedding` whole and split by archive.

    python -m eval.trials.partitions [--archives 16] [--fragments 2000] [--partitions 8]
        [--rounds 40]

Prints JSON. Two databases of a temporary server hold the same archives, as the build login writes
them; in one of them the table is then made anew as hash partitions, with the policies and rights it
has. Both are asked in turn, as the reader. `after` says what still holds there: a build is written,
a withdrawn fragment is gone from the scan, an archive's rows go with the archive, and what the
proof of the reader says.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psycopg

from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import Vectors, serve, vectors_and_questions
from eval.trials.partitioned import partition, partitions_read
from fonds.contract.failures import ValidationRefused
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.search import search
from fonds.store.archives import register_archive
from fonds.store.databases import create_database
from fonds.store.embedded import EmbeddedServer, running
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool, transaction
from fonds.store.role_proof import prove_reader
from fonds.store.served_store import PostgresServedStore

_REQUEST = SearchRequest(QUESTION, limit=10, recency="none")


@dataclass(frozen=True, slots=True)
class _Database:
    """One database with its archives, and the pools that the trial asks it by."""

    pools: dict[str, Pool]
    admin: psycopg.Connection[Any]
    archives: tuple[int, ...]


def main() -> None:
    """Tries and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.trials.partitions")
    parser.add_argument("--archives", type=int, default=16)
    parser.add_argument("--fragments", type=int, default=2_000)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    report = tried(asked.archives, asked.fragments, asked.partitions, asked.rounds)
    json.dump(report, sys.stdout, indent=2)
    sys.stdout.write("\n")


def tried(archives: int, fragments: int, partitions: int, rounds: int) -> dict[str, Any]:
    """The whole report; the server is gone afterwards."""
    vectors, questions = vectors_and_questions(fragments, rounds)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fonds-split-")))
        server = stack.enter_context(running(folder / "home"))
        whole, split = (_filled(server, stack, archives, vectors) for _ in range(2))
        began = perf_counter()
        partition(split.admin, partitions)
        moved = perf_counter() - began
        for one in (whole, split):
            one.admin.execute("VACUUM ANALYZE")
        return {
            "archives": archives,
            "fragmentsOfEach": fragments,
            "partitions": partitions,
            "secondsToSplit": round(moved, 2),
            "partitionsRead": len(partitions_read(split.admin, split.archives[0])),
            "search": _searched(whole, split, questions),
            "after": _after(split, vectors),
        }


def _filled(server: EmbeddedServer, stack: ExitStack, archives: int, vectors: Vectors) -> _Database:
    name = f"fonds_split_{secrets.token_hex(4)}"
    create_database(server.admin_url(), name)
    migrate(server.url("fonds_migrator", name), server.keys)
    roles = ("fonds_ingest", "fonds_build", "fonds_reader")
    pools = {
        role: stack.enter_context(
            open_pool(server.login(role, name), read_only=role == "fonds_reader")
        )
        for role in roles
    }
    admin = stack.enter_context(psycopg.connect(server.admin_url(name), autocommit=True))
    ids = tuple(_served(pools, f"split-{number}", vectors) for number in range(archives))
    return _Database(pools, admin, ids)


def _served(pools: dict[str, Pool], slug: str, vectors: Vectors) -> int:
    archive_id = register_archive(
        pools["fonds_ingest"],
        slug=slug,
        name=slug,
        author="Person A",
        base_url="https://example.org",
    )
    serve(pools["fonds_build"], archive_id, vectors)
    return archive_id


def _searched(whole: _Database, split: _Database, questions: Vectors) -> dict[str, object]:
    times: defaultdict[str, list[float]] = defaultdict(list)
    same = 0
    embedder = GivenVector()
    for number, question in enumerate(questions):
        embedder.vector = tuple(map(float, question.tolist()))
        replies: list[object] = []
        for place, database in (("whole", whole), ("split", split)):
            archive_id = database.archives[number % len(database.archives)]
            store = PostgresServedStore(database.pools["fonds_reader"], archive_id)
            began = perf_counter()
            replies.append(search(_REQUEST, store, embedder).hits)
            times[place].append(perf_counter() - began)
        same += replies[0] == replies[1]
    spent = {place: median(taken) * 1000 for place, taken in times.items()}
    return {
        "milliseconds": {place: round(value, 2) for place, value in spent.items()},
        "splitToWhole": round(spent["split"] / spent["whole"], 2),
        "questions": len(questions),
        "sameHits": same,
    }


def _after(split: _Database, vectors: Vectors) -> dict[str, object]:
    build, reader = split.pools["fonds_build"], split.pools["fonds_reader"]
    added = _served(split.pools, "added", vectors)
    gone = "essay:000000#whole"
    with transaction(build, added) as connection:
        connection.execute("DELETE FROM served.fragment WHERE fragment_id = %s", (gone,))
    count = "SELECT count(*)::integer FROM served.embedding WHERE archive_id = %s"
    kept = split.admin.execute(count, (added,)).fetchone()
    with transaction(build, added) as connection:
        connection.execute("DELETE FROM served.live")
        connection.execute("DELETE FROM served.build")
    left = split.admin.execute(count, (added,)).fetchone()
    try:
        prove_reader(reader)
        proof = "holds"
    except ValidationRefused as refusal:
        proof = str(refusal)
    return {
        "writtenByABuild": len(vectors),
        "leftOfThemAfterOneIsWithdrawn": kept and kept[0],
        "leftOfThemAfterTheBuildIsGone": left and left[0],
        "proofOfTheReader": proof,
    }


if __name__ == "__main__":
    main()
