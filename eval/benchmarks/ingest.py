"""Ingest against the least it could cost: hashing the files, and staging with one MERGE.

    python -m eval.benchmarks.ingest [--files 2000] [--fragments 20000] [--rounds 7]

Prints JSON. `unchanged` interleaves a run over files that did not change with reading and hashing
them, and counts the rows and calls of that run. `first` writes ready rows and vectors through the
ingest role and, in turn, the same rows by COPY and MERGE as a superuser into tables of the same
columns without policies, triggers or foreign keys; `stage` is the whole way from files to vectors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import secrets
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

from eval.benchmarks.bare_ingest import BareTables
from fonds.archive_config import ArchiveConfig
from fonds.archive_file import read_archive_file
from fonds.contract.disclosure import PublicDisclosure
from fonds.contract.embed_string import content_hash, embed_string
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment
from fonds.contract.locator import Locator
from fonds.contract.ports import EmbedOutcome, Vector, VectorRow
from fonds.contract.stored_source import ReadSource
from fonds.ingestion.ingest_archive import ingest_archive
from fonds.ingestion.report import IngestReport
from fonds.store.archives import register_archive
from fonds.store.databases import create_database
from fonds.store.embedded import running
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool
from fonds.store.private_store import PostgresPrivateStore

DIMENSIONS = 384
BATCH = 500  # fragments a transaction
UNCHANGED_GOAL = 2.5  # times hashing the files
FIRST_GOAL = 0.5  # of the rows a second of bare staging
TEXT = (
    "A pilot rows out before dawn and reads the gauge by lamplight, then writes the figure down. "
)
TOML = """
name = "Bench"
author = "Person A"
base_url = "https://example.org"
[[collections]]
dir = "essays"
url_prefix = "/essays/"
type = "essay"
"""


@dataclass
class GivenVectors:
    """An embedder that costs nothing and counts."""

    calls: int = 0
    vector: Vector = field(default_factory=lambda: tuple(0.05 for _ in range(DIMENSIONS)))

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace("bench", "given", DIMENSIONS)

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        self.calls += 1
        return EmbedOutcome(tuple(self.vector for _ in texts))

    def embed_query(self, text: str) -> Vector:
        return self.vector


def main() -> None:
    """Measures both and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.ingest")
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--fragments", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fonds-bench-") as made, _database(Path(made)) as found:
        report = {
            "unchanged": _unchanged(Path(made) / "corpus", found, asked.files, asked.rounds),
            "first": _first(found, asked.fragments),
        }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


@dataclass(frozen=True, slots=True)
class _Database:
    ingest: Pool
    admin_url: str

    def store(self, slug: str) -> PostgresPrivateStore:
        archive_id = register_archive(
            self.ingest, slug=slug, name=slug, author="Person A", base_url="https://example.org"
        )
        return PostgresPrivateStore(self.ingest, archive_id)


@contextmanager
def _database(folder: Path) -> Generator[_Database]:
    with running(folder / "home") as server:
        name = f"fonds_bench_{secrets.token_hex(4)}"
        create_database(server.admin_url(), name)
        migrate(server.url("fonds_migrator", name))
        pool = open_pool(server.url("fonds_ingest", name))
        try:
            yield _Database(pool, server.admin_url(name))
        finally:
            pool.close()


def _unchanged(folder: Path, found: _Database, files: int, rounds: int) -> dict[str, float]:
    (folder / "essays").mkdir(parents=True)
    (folder / "archive.toml").write_text(TOML, encoding="utf-8")
    for number in range(files):
        text = f"---\ntitle: Essay {number}\n---\n{number}. {TEXT * 20}\n"
        (folder / "essays" / f"{number:06}.md").write_text(text, encoding="utf-8")
    config, store, embedder = read_archive_file(folder), found.store("files"), GivenVectors()
    started = perf_counter()
    _ingest(config, store, embedder)
    first = perf_counter() - started
    calls = embedder.calls
    times: dict[str, list[float]] = {"hash": [], "ingest": []}
    rows = 0
    for _ in range(rounds):
        started = perf_counter()
        _hash_files(folder / "essays")
        times["hash"].append(perf_counter() - started)
        started = perf_counter()
        rows += _ingest(config, store, embedder).rows.total
        times["ingest"].append(perf_counter() - started)
    hashed, ingested = median(times["hash"]), median(times["ingest"])
    return {
        "files": files,
        "hashMs": round(hashed * 1000, 1),
        "ingestMs": round(ingested * 1000, 1),
        "ratio": round(ingested / hashed, 2),
        "goal": UNCHANGED_GOAL,
        "rowsWritten": rows,
        "embeddingCalls": embedder.calls - calls,
        "stageFilesPerSecond": round(files / first),
    }


def _ingest(
    config: ArchiveConfig, store: PostgresPrivateStore, embedder: GivenVectors
) -> IngestReport:
    return ingest_archive(config, store, embedder, progress=lambda stage, done, total: None)


def _hash_files(folder: Path) -> None:
    for file in sorted(folder.iterdir()):
        hashlib.sha256(file.read_bytes()).hexdigest()


def _first(found: _Database, fragments: int) -> dict[str, float]:
    store, embedder = found.store("rows"), GivenVectors()
    times = {"bare": 0.0, "store": 0.0}
    with BareTables(found.admin_url) as bare:
        for start in range(0, fragments, BATCH):
            sources = [_source(number) for number in range(start, start + BATCH)]
            vectors = [_vector(source, embedder.vector) for source in sources]
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


def _source(number: int) -> ReadSource:
    entity = Entity(
        f"essay:{number:06}",
        "essay",
        f"Essay {number}",
        f"https://example.org/essays/{number:06}/",
        PublicDisclosure("text"),
    )
    place = (Locator("whole", ""),)
    fragment = Fragment(entity.entity_id, place, entity.disclosure, f"{number}. {TEXT * 10}")
    digest = hashlib.sha256(fragment.text.encode()).hexdigest()
    return ReadSource(f"e/{number:06}.md", "public", digest, "bench", ((entity, (fragment,)),))


def _vector(source: ReadSource, vector: Vector) -> VectorRow:
    entity, (fragment,) = source.pairs[0]
    return VectorRow(fragment.fragment_id, content_hash(embed_string(entity, fragment)), vector)


if __name__ == "__main__":
    main()
