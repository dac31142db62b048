"""An archive on disk and an embedder that counts: what a test of this stage begins with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fonds.archive_config import ArchiveConfig
from fonds.archive_file import read_archive_file
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.entity import Entity
from fonds.contract.failures import Failure
from fonds.contract.fragment import Fragment
from fonds.contract.ports import EmbedOutcome, PrivateStore, Vector
from fonds.ingestion.contents import read_contents
from fonds.ingestion.corpus import FoundFile, found_corpus
from fonds.ingestion.ingest_archive import ingest_archive
from fonds.ingestion.reading import describe
from fonds.ingestion.report import IngestReport
from fonds.ingestion.roots import checked_roots

ARCHIVE_TOML = """
name = "The Example Archive"
author = "Person A"
base_url = "https://example.org"
slug = "example"
private_notes_dir = "notebook"
private_books_dir = "books"
transcripts_dir = "talks"

[[collections]]
dir = "essays"
url_prefix = "/essays/"
type = "essay"
"""

NOTE = """---
title: Letter to my brother about the piano
about: https://example.org/notebooks/blue/
label: Piano sale, spring
locator: blue notebook, p. 4
---
We sold the zebrawood piano because the stairs had started to sag under it.
"""

ESSAY = """---
title: On Kites
description: Wind as a teacher.
themes: [wind, patience]
---
Let the line out.
"""

BOOK = """---
title: Low Tide
about: https://example.org/books/low-tide/
---
# Chapter 1

The quillfeather lay where the water had left it.

# Chapter 2

Nobody came for it on the second day either.
"""


def written_archive(
    folder: Path, files: Mapping[str, str | bytes], toml: str = ARCHIVE_TOML
) -> Path:
    """An archive file with these files beside it; the folders it names exist."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "archive.toml").write_text(toml, encoding="utf-8")
    for name in ("notebook", "books", "talks", "essays"):
        (folder / name).mkdir(exist_ok=True)
    for name, content in files.items():
        put(folder, name, content)
    return folder / "archive.toml"


def put(folder: Path, name: str, content: str | bytes) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


def config_of(folder: Path, files: Mapping[str, str | bytes] | None = None) -> ArchiveConfig:
    return read_archive_file(written_archive(folder, files or {}))


def described(
    folder: Path, name: str, content: str | bytes, toml: str = ARCHIVE_TOML
) -> tuple[Entity, tuple[Fragment, ...]]:
    """What one file of an archive describes; raises as ingest would."""
    config = read_archive_file(written_archive(folder, {name: content}, toml))
    file = found_file(config, name)
    read = describe(file, read_contents(file).text(), config)
    assert read is not None
    return read.entity, read.fragments


def found_file(config: ArchiveConfig, name: str) -> FoundFile:
    corpus = found_corpus(checked_roots(config))
    return next(file for file in corpus.files if file.key == name)


@dataclass
class CountingEmbedder:
    """Vectors by length of the text; keeps what it was asked and may fail from a call on."""

    dimensions: int = 3
    model: str = "counting"
    fails_from_call: int | None = None
    failure: Failure | None = None
    zero_for: str | None = None
    texts: list[str] = field(default_factory=list[str])
    calls: int = 0

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace("double", self.model, self.dimensions)

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        self.calls += 1
        if self.failure is not None and self.calls >= (self.fails_from_call or 1):
            raise self.failure
        self.texts += texts
        return EmbedOutcome(tuple(self._vector(text) for text in texts))

    def embed_query(self, text: str) -> Vector:
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        if self.zero_for is not None and self.zero_for in text:
            return (0.0,) * self.dimensions
        return (1.0, len(text) / 1000, *(0.5,) * (self.dimensions - 2))


def silent(stage: str, done: int, total: int) -> None:
    """A progress call that checks what it is told."""
    assert 0 <= done <= total
    assert stage in ("hash", "read", "embed")


def ingested(
    folder: Path,
    store: PrivateStore,
    embedder: CountingEmbedder | None = None,
    *,
    publish: frozenset[str] = frozenset(),
) -> IngestReport:
    """One run of the stage over the archive in `folder`."""
    config = read_archive_file(folder)
    used = embedder or CountingEmbedder()
    return ingest_archive(config, store, used, progress=silent, publish=publish)
