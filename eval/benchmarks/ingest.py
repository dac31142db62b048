"""Ingest against the least it could cost: hashing the files, and staging with one MERGE.

    python -m eval.benchmarks.ingest [--files 2000] [--fragments 20000] [--rounds 7]

Prints JSON. `unchanged` interleaves a run over files that did not change with reading and hashing
them, and counts the rows and calls of that run; `changed` counts the rows of one after a file in a
hundred changed. `first` writes ready rows and vectors through the
ingest role and, in turn, the same rows by COPY and MERGE as a superuser into tables of the same
columns without policies, triggers or foreign keys; `stage` is the whole way from files to vectors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from eval.benchmarks.bare_ingest import BareTables
from eval.benchmarks.ingest_bed import (
    TEXT,
    Database,
    GivenVectors,
    ingest_database,
    ingested,
    source_of,
    vector_of,
    write_essay,
    written_essays,
)
from fonds.archive_file import read_archive_file

BATCH = 500  # fragments a transaction
UNCHANGED_GOAL = 2.5  # times hashing the files
FIRST_GOAL = 0.5  # of the rows a second of bare staging
CHANGED_EVERY = 100  # one file in so many is written anew


def main() -> None:
    """Measures both and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.ingest")
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--fragments", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="fonds-bench-") as made,
        ingest_database(Path(made)) as found,
    ):
        report = {
            "unchanged": _unchanged(Path(made) / "corpus", found, asked.files, asked.rounds),
            "changed": _changed(Path(made) / "corpus", found),
            "first": _first(found, asked.fragments),
        }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def _unchanged(folder: Path, found: Database, files: int, rounds: int) -> dict[str, float]:
    config = written_essays(folder, files)
    store, embedder = found.store("files"), GivenVectors()
    started = perf_counter()
    ingested(config, store, embedder)
    first = perf_counter() - started
    calls = embedder.calls
    times: dict[str, list[float]] = {"hash": [], "ingest": []}
    rows = 0
    for _ in range(rounds):
        started = perf_counter()
        _hash_files(folder / "essays")
        times["hash"].append(perf_counter() - started)
        started = perf_counter()
        rows += ingested(config, store, embedder).rows.total
        times["ingest"].append(perf_counter() - started)
    hashed, taken = median(times["hash"]), median(times["ingest"])
    return {
        "files": files,
        "hashMs": round(hashed * 1000, 1),
        "ingestMs": round(taken * 1000, 1),
        "ratio": round(taken / hashed, 2),
        "goal": UNCHANGED_GOAL,
        "rowsWritten": rows,
        "embeddingCalls": embedder.calls - calls,
        "stageFilesPerSecond": round(files / first),
    }


def _changed(folder: Path, found: Database) -> dict[str, int]:
    """Rows that a run writes where one file in a hundred got other text, of the same title: the
    row of the file, its fragment and its vector each time. After `_unchanged`, on the same files.
    """
    config, store = read_archive_file(folder), found.store("files")
    files = len(list((folder / "essays").iterdir()))
    changed = range(0, files, CHANGED_EVERY)
    for number in changed:
        write_essay(folder, number, "Again. ")
    rows = ingested(config, store, GivenVectors()).rows
    return {
        "changed": len(changed),
        "rowsWritten": rows.total,
        "rowsBeyond": rows.total - 3 * len(changed),
    }


def _hash_files(folder: Path) -> None:
    for file in sorted(folder.iterdir()):
        hashlib.sha256(file.read_bytes()).hexdigest()


def _first(found: Database, fragments: int) -> dict[str, float]:
    store, embedder = found.store("rows"), GivenVectors()
    times = {"bare": 0.0, "store": 0.0}
    with BareTables(found.admin_url) as bare:
        for start in range(0, fragments, BATCH):
            sources = [
                source_of(number, f"{number}. {TEXT * 10}")
                for number in range(start, start + BATCH)
            ]
            vectors = [vector_of(source, embedder.vector) for source in sources]
            started = perf_counter()
            bare.write(sources, vectors)
            times["bare"] += perf_counter() - started
            started = perf_counter()
            store.write_sources(sources)
            store.write_vectors(embedder.space, vectors)
            times["store"] += perf_counter() - started
    return {
        "fragments": fragments,
        "bareRowsPerSecond": round(fragments / times["bare"]),
        "storeRowsPerSecond": round(fragments / times["store"]),
        "ratio": round(times["bare"] / times["store"], 2),
        "goal": FIRST_GOAL,
    }


if __name__ == "__main__":
    main()
