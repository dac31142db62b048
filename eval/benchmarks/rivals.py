"""A search against what somebody would take instead: two libraries over the same rows.

    python -m eval.benchmarks.rivals [--python PATH] [--fragments 10000] [--rounds 100]

Prints JSON. PATH is a Python that has them, `FONDS_RIVALS_PYTHON` where it is not named, else this
one: `eval/benchmarks/rivals.txt` says what to install there, and why apart. Every side has the same
texts and vectors on the same server, no index on vectors, and ten hits with their texts to read; a
round asks each once, in turn. `sameTen` is the share of a library's hits that are among the ten
nearest: whoever finds other rows is not compared. `rows` is how many a second each takes in.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import cast

import numpy as np
import psycopg

from eval.benchmarks.ingest_bed import source_of, vector_of
from eval.benchmarks.rival_stores import BATCH, LIMIT, STORES
from eval.benchmarks.search import contenders
from eval.benchmarks.served_bench import SPACE, Bench, bench_on, texts
from fonds.store.archives import register_archive
from fonds.store.embedded import EmbeddedServer, running
from fonds.store.pools import open_pool
from fonds.store.private_store import PostgresPrivateStore

ROOT = Path(__file__).parents[2]


LACKING = 69


@dataclass
class Rival:
    """A library in a process of its own."""

    process: subprocess.Popen[str]

    def told(self, line: str = "") -> dict[str, object]:
        """What it answers to a line, or says when it is ready."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("a process without pipes")
        if line:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
        said = self.process.stdout.readline()
        if said:
            return json.loads(said)
        _, trouble = self.process.communicate()
        raise RuntimeError(f"a library broke down: {trouble.strip().splitlines()[-1:]}")


def main() -> None:
    """Measures each library that is there; leaves with 69 when none is."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.rivals")
    parser.add_argument("--python", default=os.environ.get("FONDS_RIVALS_PYTHON", sys.executable))
    parser.add_argument("--fragments", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=100)
    asked = parser.parse_args()
    report: dict[str, object] = dict(_lacking(asked.python))
    there = [name for name in STORES if name not in report]
    if not there:
        sys.stderr.write(f"{'; '.join(map(str, report.values()))}\n")
        sys.exit(LACKING)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fonds-bench-")))
        server = stack.enter_context(running(folder / "home"))
        found = stack.enter_context(bench_on(server, asked.fragments, asked.rounds))
        _write(folder, found)
        ready = {
            name: stack.enter_context(_rival(asked.python, name, server, folder)) for name in there
        }
        report |= dict(measured(server, found, ready))
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def _lacking(python: str) -> Mapping[str, str]:
    """Why a library is not measured, of each that this Python does not have."""
    words = [python, "-m", "eval.benchmarks.rival_stores"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    found = cast("dict[str, str]", json.loads(done.stdout))
    return {name: f"{package} is not installed" for name, package in found.items()}


def measured(server: EmbeddedServer, found: Bench, ready: dict[str, Rival]) -> Mapping[str, object]:
    """Figures by library, and what an ingest of the same rows stores a second."""
    count = len(found.vectors)
    rows = {name: count / _seconds(rival.told("fill")) for name, rival in ready.items()}
    for name in ready:
        with psycopg.connect(server.admin_url(name), autocommit=True) as admin:
            admin.execute("VACUUM ANALYZE")
    way = contenders(found)["search"]
    times: dict[str, list[float]] = {name: [] for name in ("fonds", *ready)}
    same = dict.fromkeys(ready, 0)
    for number, question in enumerate(found.questions):
        vector = tuple(map(float, question.tolist()))
        began = perf_counter()
        way(number, vector)
        times["fonds"].append(perf_counter() - began)
        nearest = set(np.argsort(-(found.vectors @ question))[:LIMIT].tolist())
        for name, rival in ready.items():
            told = rival.told(f"ask {number}")
            times[name].append(_seconds(told))
            same[name] += len(nearest & set(map(int, _ids(told))))
    spent = {name: median(taken) for name, taken in times.items()}
    asked = LIMIT * len(found.questions)
    return {
        "fragments": count,
        "fonds": {"ms": round(spent["fonds"] * 1000, 3), "rows": _own_rows(server, found)},
    } | {
        name: {
            "ms": round(spent[name] * 1000, 3),
            "searchToRival": round(spent["fonds"] / spent[name], 3),
            "sameTen": round(same[name] / asked, 3),
            "rows": round(rows[name]),
        }
        for name in ready
    }


def _own_rows(server: EmbeddedServer, found: Bench) -> int:
    pool = open_pool(server.login("fonds_ingest", found.admin.info.dbname))
    try:
        archive_id = register_archive(
            pool, slug="taken-in", name="B", author="Person A", base_url="https://example.org"
        )
        store = PostgresPrivateStore(pool, archive_id)
        sources = [source_of(number, text) for number, text in enumerate(texts(len(found.vectors)))]
        vectors = [tuple(row) for row in found.vectors.tolist()]
        began = perf_counter()
        for start in range(0, len(sources), BATCH):
            batch = sources[start : start + BATCH]
            store.write_sources(batch)
            given = zip(batch, vectors[start : start + BATCH], strict=True)
            store.write_vectors(SPACE, [vector_of(source, vector) for source, vector in given])
        return round(len(sources) / (perf_counter() - began))
    finally:
        pool.close()


def _write(folder: Path, found: Bench) -> None:
    np.save(folder / "vectors.npy", found.vectors)
    np.save(folder / "questions.npy", found.questions)
    written = json.dumps(texts(len(found.vectors)))
    (folder / "texts.json").write_text(written, encoding="utf-8")


@contextmanager
def _rival(python: str, name: str, server: EmbeddedServer, folder: Path) -> Generator[Rival]:
    """The library over a database of its own, ended with the block."""
    with psycopg.connect(server.admin_url(), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        socket = admin.info.host
    with psycopg.connect(server.admin_url(name), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
    words = [python, "-m", "eval.benchmarks.rival_stores", name, socket, name, str(folder)]
    process = subprocess.Popen(  # noqa: S603
        words,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        rival = Rival(process)
        rival.told()
        yield rival
    finally:
        process.kill()
        process.communicate()


def _seconds(told: dict[str, object]) -> float:
    return float(str(told["seconds"]))


def _ids(told: dict[str, object]) -> list[str]:
    return [str(one) for one in cast("list[object]", told["ids"])]


if __name__ == "__main__":
    main()
