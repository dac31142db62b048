"""One temporary server with a database for each archive that is measured."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from eval.benchmarks.load_bed import Bed, LoadedArchive, minted
from eval.benchmarks.scale_corpus import NumberedTexts, unwritten, written
from eval.benchmarks.served_bench import Vectors, serve, vectors_and_questions
from fonds.answering.extractive import ExtractiveWriter
from fonds.settings import Settings
from fonds.store.archives import open_archive
from fonds.store.databases import create_database
from fonds.store.embedded import EmbeddedServer, running
from fonds.store.migrating import migrate
from fonds.store.servers import Server
from fonds.wiring.house import House
from fonds.wiring.registering import registered
from fonds.wiring.serving import RolePools

QUESTIONS = 500
SLUG = "load-1"  # what the load benchmark calls its first archive


@dataclass(frozen=True, slots=True)
class Ground:
    """A running server and a folder for the files of archives; both are gone afterwards."""

    server: EmbeddedServer
    folder: Path
    stack: ExitStack

    def database(self) -> str:
        """The name of a new database at the current revision."""
        name = f"fonds_scale_{secrets.token_hex(4)}"
        create_database(self.server.admin_url(), name)
        migrate(self.server.url("fonds_migrator", name), self.server.keys)
        return name


@dataclass(frozen=True, slots=True)
class Site:
    """One archive in a database of its own, opened as a service opens it."""

    ground: Ground
    database: str
    fragments: int
    house: House
    vectors: Vectors
    questions: Vectors
    admin: psycopg.Connection[Any]

    @property
    def has_files(self) -> bool:
        return self.house.config.has_folders

    def serve(self) -> None:
        """Writes the rows of a build as the build login, with no private side to them."""
        archive_id = registered(self.house.pool("fonds_ingest"), self.house.config)
        serve(self.house.pool("fonds_build"), archive_id, self.vectors, title=f"{SLUG} reading")

    def bed(self, callers: int) -> Bed:
        """The same archive as the load benchmark takes it, with so many keys."""
        ingest, build = (self.house.pool(role) for role in ("fonds_ingest", "fonds_build"))
        slug = self.house.config.slug
        archive_id = open_archive(ingest, slug)
        host = self.ground.server.login("fonds_host", self.database)
        keys = tuple(minted(host, archive_id) for _ in range(callers))
        loaded = (LoadedArchive(slug, archive_id, keys),)
        return Bed(
            self.ground.server,
            self.database,
            loaded,
            self.vectors,
            self.questions,
            ingest,
            build,
            self.admin,
        )


@contextmanager
def ground() -> Generator[Ground]:
    """A server of its own for the length of the block."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fonds-scale-")))
        yield Ground(stack.enter_context(running(folder / "home")), folder, stack)


def site(ground: Ground, fragments: int, *, files: bool) -> Site:
    """An archive of so many fragments, with or without `files`, and an empty database for it. A
    role has a second connection only where it needs two at once, so that its process can be
    watched.
    """
    name = ground.database()
    config = written(ground.folder / name, SLUG, fragments) if files else unwritten(SLUG)
    vectors, questions = vectors_and_questions(fragments, QUESTIONS)
    server = Server(lambda role: ground.server.url(role, name), None, ground.server.key)
    house = House(
        Settings(home=ground.server.home),
        config,
        server,
        NumberedTexts(vectors, questions),
        ExtractiveWriter("Person A"),
        RolePools(server, ground.stack, size=2),
    )
    admin = psycopg.connect(ground.server.admin_url(name), autocommit=True)
    ground.stack.callback(admin.close)
    return Site(ground, name, fragments, house, vectors, questions, admin)
