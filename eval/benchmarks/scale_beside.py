"""What an archive's search costs alone, and with many others in the same tables.

Two databases on one server hold the same archives; one of them holds many others besides. Rows are
written by the build login, without a private side. A round asks each database once, in turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import Any

import psycopg

from eval.benchmarks.scale_bed import Ground
from eval.benchmarks.scale_costs import Meter, meter
from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import Vectors, serve, vectors_and_questions
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.boosts import FULL_BOOSTS
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import search
from fonds.store.archives import register_archive
from fonds.store.pools import Pool, open_pool
from fonds.store.served_store import PostgresServedStore

GOAL = 1.2  # of what it costs alone
_REQUEST = SearchRequest(QUESTION, limit=10)
_SETTINGS = RetrievalSettings(boosts=FULL_BOOSTS)


@dataclass(frozen=True, slots=True)
class _Held:
    """A database with the archives that are asked, by their size."""

    reader: Pool
    watched: Meter
    archives: dict[int, int]


def beside_others(
    ground: Ground, sizes: Sequence[int], others: int, of_each: int, rounds: int
) -> dict[str, Any]:
    """Medians in milliseconds of the server's processor and of the wall, and what of it is due to
    the others, each archive by its size. Without an archive to ask, nothing is written.
    """
    if not sizes:
        return {"others": others, "serverCpuRatios": {}}
    vectors, questions = vectors_and_questions(max(*sizes, of_each), rounds)
    with ExitStack() as stack:
        alone = _held(ground, stack, sizes, vectors, 0, of_each)
        beside = _held(ground, stack, sizes, vectors, others, of_each)
        cpu: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        wall: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        embedder = GivenVector()
        for asked in (questions[0], *questions):
            embedder.vector = tuple(map(float, asked.tolist()))
            for size in sizes:
                for name, held in (("alone", alone), ("beside", beside)):
                    store = PostgresServedStore(held.reader, held.archives[size])
                    with held.watched.spending() as spent:
                        search(_REQUEST, store, embedder, _SETTINGS)
                    cpu[name, size].append(spent.server_cpu)
                    wall[name, size].append(spent.wall)
    report: dict[str, Any] = {"others": others, "ofEach": of_each, "goal": GOAL}
    for what, taken in (("serverCpu", cpu), ("wall", wall)):
        report[f"{what}Ms"] = {
            name: {str(size): _milliseconds(taken[name, size]) for size in sizes}
            for name in ("alone", "beside")
        }
        report[f"{what}Ratios"] = {
            str(size): _ratio(taken["beside", size], taken["alone", size]) for size in sizes
        }
    return report


def _held(
    ground: Ground,
    stack: ExitStack,
    sizes: Sequence[int],
    vectors: Vectors,
    others: int,
    of_each: int,
) -> _Held:
    """The archives that are asked stand among the others, in the order of their writing."""
    name = ground.database()
    ingest, build = (
        stack.enter_context(open_pool(ground.server.login(role, name), size=1))
        for role in ("fonds_ingest", "fonds_build")
    )
    asked: dict[int, int] = {}
    for number in range(others // 2):
        _served(ingest, build, f"before-{number}", vectors[:of_each])
    for size in sizes:
        asked[size] = _served(ingest, build, f"asked-{size}", vectors[:size])
    for number in range(others // 2, others):
        _served(ingest, build, f"after-{number}", vectors[:of_each])
    with psycopg.connect(ground.server.admin_url(name), autocommit=True) as admin:
        admin.execute("VACUUM ANALYZE")
    reader = stack.enter_context(
        open_pool(ground.server.login("fonds_reader", name), read_only=True, size=1)
    )
    return _Held(reader, meter(reader), asked)


def _served(ingest: Pool, build: Pool, slug: str, vectors: Vectors) -> int:
    archive_id = register_archive(
        ingest, slug=slug, name=slug, author="Person A", base_url="https://example.org"
    )
    serve(build, archive_id, vectors)
    return archive_id


def _milliseconds(seconds: Sequence[float]) -> float:
    return round(median(seconds[1:]) * 1000, 3)  # the first reads the catalogue and plans


def _ratio(these: Sequence[float], those: Sequence[float]) -> float:
    return round(median(these[1:]) / median(those[1:]), 3)
