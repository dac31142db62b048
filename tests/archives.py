"""Archives made of files for a test, ingested and built through the house as a command would."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fonds.answering.extractive import ExtractiveWriter
from fonds.archive_file import read_archive_file
from fonds.build.build_report import BuildReport
from fonds.contract.ports import Embedder
from fonds.ingestion.report import IngestReport
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.settings import Settings
from fonds.store.servers import Server
from fonds.wiring.house import House
from fonds.wiring.serving import RolePools
from tests.servers import Database

ARCHIVE = """\
name = "Archive {slug}"
author = "Person A"
base_url = "https://example.org"
slug = "{slug}"
private_notes_dir = "notes"
private_books_dir = "books"

[[collections]]
dir = "essays"
url_prefix = "/essays/"
type = "essay"

[embedding]
provider = "hashing"
"""
UNGATED = "[gate]\nenabled = false\n"
"""What every archive ends in whose test is not about the gate: no questions are asked of it."""
ESSAY = """\
---
title: {title}
date: {date}
themes: [wind, patience]
---
{body}
"""
NOTE = """\
---
title: {title}
label: {label}
about: https://example.org/essays/on-kites/
locator: {locator}
exposure: {exposure}
---
{body}
"""


def essay(title: str, body: str, date: str = "2019") -> str:
    """An essay's file."""
    return ESSAY.format(title=title, body=body, date=date)


def note(label: str, body: str, *, exposure: str = "locator", locator: str = "p. 4") -> str:
    """A private note's file; its private title is made of words no other text has."""
    return NOTE.format(
        title="Zephyrine quillwort ledger",
        label=label,
        body=body,
        exposure=exposure,
        locator=locator,
    )


def written(
    folder: Path, files: Mapping[str, str], slug: str = "example", *, gate: str = UNGATED
) -> Path:
    """The files below `folder` with an archive file over them; roots are made even when empty."""
    for root in ("essays", "notes", "books"):
        (folder / root).mkdir(parents=True, exist_ok=True)
    (folder / "archive.toml").write_text(ARCHIVE.format(slug=slug) + gate, encoding="utf-8")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@contextmanager
def house_of(
    folder: Path, database: Database, embedder: Embedder | None = None
) -> Generator[House]:
    """The archive of a folder on the database of a test."""
    chosen = embedder or HashingEmbedder()
    with ExitStack() as stack:
        server = Server(database.url, None, database.key)
        yield House(
            Settings(home=folder / "home"),
            read_archive_file(folder),
            server,
            chosen,
            ExtractiveWriter("Person A", chosen),
            RolePools(server, stack),
        )


def ingested(house: House) -> IngestReport:
    """An ingest without a watcher."""
    return house.ingest(progress=lambda step, done, total: None)


def published(house: House) -> BuildReport:
    """An ingest and a build."""
    ingested(house)
    return house.build(yes=True)
