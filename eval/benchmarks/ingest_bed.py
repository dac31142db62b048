"""A temporary server and files of essays, for measurements of ingest."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

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
from fonds.store.scope import Login

DIMENSIONS = 384
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


@dataclass(frozen=True, slots=True)
class Database:
    ingest: Pool
    login: Login = field(repr=False)
    admin_url: str

    def store(self, slug: str) -> PostgresPrivateStore:
        archive_id = register_archive(
            self.ingest, slug=slug, name=slug, author="Person A", base_url="https://example.org"
        )
        return PostgresPrivateStore(self.ingest, archive_id)


@contextmanager
def ingest_database(folder: Path) -> Generator[Database]:
    with running(folder / "home") as server:
        name = f"fonds_bench_{secrets.token_hex(4)}"
        create_database(server.admin_url(), name)
        migrate(server.url("fonds_migrator", name), server.keys)
        login = server.login("fonds_ingest", name)
        pool = open_pool(login)
        try:
            yield Database(pool, login, server.admin_url(name))
        finally:
            pool.close()


def written_essays(folder: Path, files: int) -> ArchiveConfig:
    """An archive of so many files of two kilobytes each, one fragment a file."""
    (folder / "essays").mkdir(parents=True)
    (folder / "archive.toml").write_text(TOML, encoding="utf-8")
    for number in range(files):
        write_essay(folder, number, "")
    return read_archive_file(folder)


def write_essay(folder: Path, number: int, mark: str) -> None:
    text = f"---\ntitle: Essay {number}\n---\n{number}. {mark}{TEXT * 20}\n"
    (folder / "essays" / f"{number:06}.md").write_text(text, encoding="utf-8")


def ingested(
    config: ArchiveConfig, store: PostgresPrivateStore, embedder: GivenVectors
) -> IngestReport:
    return ingest_archive(config, store, embedder, progress=lambda stage, done, total: None)


def source_of(number: int, text: str) -> ReadSource:
    entity = Entity(
        f"essay:{number:06}",
        "essay",
        f"Essay {number}",
        f"https://example.org/essays/{number:06}/",
        PublicDisclosure("text"),
    )
    place = (Locator("whole", ""),)
    fragment = Fragment(entity.entity_id, place, entity.disclosure, text)
    digest = hashlib.sha256(fragment.text.encode()).hexdigest()
    return ReadSource(f"e/{number:06}.md", "public", digest, "bench", ((entity, (fragment,)),))


def vector_of(source: ReadSource, vector: Vector) -> VectorRow:
    entity, (fragment,) = source.pairs[0]
    return VectorRow(fragment.fragment_id, content_hash(embed_string(entity, fragment)), vector)
