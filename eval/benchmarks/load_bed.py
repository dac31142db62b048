"""Several archives on one temporary server, each with keys, for a service to be loaded with."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from pgvector.psycopg import register_vector

from eval.benchmarks.served_bench import Vectors, serve, vectors_and_questions
from fonds.contract.allowances import Allowances
from fonds.contract.api_key import minted_key
from fonds.store.archives import register_archive
from fonds.store.databases import create_database, drop_database
from fonds.store.embedded import EmbeddedServer, running
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool, scoped_connection
from fonds.store.scope import Login

ROOM = Allowances(  # the most the database allows: what is measured is the work, not the limit
    caller_per_minute=10_000,
    caller_per_day=1_000_000,
    archive_per_day=100_000_000,
    private_per_day=100_000,
    anonymous=True,  # its pages are measured as well
)


@dataclass(frozen=True, slots=True)
class LoadedArchive:
    """One archive; each of its keys is a caller of its own."""

    slug: str
    archive_id: int
    keys: tuple[str, ...] = field(repr=False)

    def title(self, build_id: int) -> str:
        """What every title of a build begins with, so that a reply says where it comes from."""
        return f"{self.slug} build {build_id} reading"


@dataclass(frozen=True, slots=True)
class Bed:
    """`admin` is a superuser's connection for bare statements; `ingest` and `build` are pools."""

    server: EmbeddedServer
    database: str
    archives: tuple[LoadedArchive, ...]
    vectors: Vectors
    questions: Vectors
    ingest: Pool
    build: Pool
    admin: psycopg.Connection[tuple[object, ...]]


@contextmanager
def load_bed(archives: int, fragments: int, questions: int, callers: int) -> Generator[Bed]:
    """Everything is gone afterwards."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fonds-load-"))
        server = stack.enter_context(running(Path(folder) / "home"))
        name = f"fonds_load_{secrets.token_hex(4)}"
        create_database(server.admin_url(), name)
        stack.callback(drop_database, server.admin_url(), name)
        migrate(server.url("fonds_migrator", name), server.keys)
        ingest, build = (
            stack.enter_context(open_pool(server.login(role, name)))
            for role in ("fonds_ingest", "fonds_build")
        )
        vectors, asked = vectors_and_questions(fragments, questions)
        made = tuple(
            _archive(server, name, ingest, build, number, vectors, callers)
            for number in range(1, archives + 1)
        )
        admin = stack.enter_context(psycopg.connect(server.admin_url(name), autocommit=True))
        admin.execute("VACUUM ANALYZE")
        register_vector(admin)
        yield Bed(server, name, made, vectors, asked, ingest, build, admin)


def _archive(
    server: EmbeddedServer,
    database: str,
    ingest: Pool,
    build: Pool,
    number: int,
    vectors: Vectors,
    callers: int,
) -> LoadedArchive:
    slug = f"load-{number}"
    archive_id = register_archive(
        ingest,
        slug=slug,
        name=f"Load {number}",
        author="Person A",
        base_url="https://example.org",
        allowances=ROOM,
    )
    keys = tuple(minted(server.login("fonds_host", database), archive_id) for _ in range(callers))
    made = LoadedArchive(slug, archive_id, keys)
    serve(build, archive_id, vectors, title=made.title(1))
    return made


def minted(login: Login, archive_id: int) -> str:
    """A key that may search an archive, made by the host's login; its text, shown once."""
    key = minted_key()
    with scoped_connection(login, archive_id) as session:
        session.execute("SELECT api.mint_key(%s, '{search}', 'load', NULL)", (key.digest,))
    return key.text
