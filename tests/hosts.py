"""A host of several archives for a test: files, a database, keys, and the application over them."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from fonds.api.app import create_app
from fonds.archive_file import read_archive_file
from fonds.contract.api_key import minted_key
from fonds.contract.key_scope import KeyScope
from fonds.contract.ports import Embedder
from fonds.settings import Settings
from fonds.store.door import PostgresDoor
from fonds.store.limiter import PostgresLimiter
from fonds.store.pools import open_pool
from fonds.store.servers import Server
from fonds.wiring.current_archives import CurrentArchives
from fonds.wiring.hosting import Hosting
from fonds.wiring.serving import RolePools
from fonds.wiring.spaces import Spaces
from tests.archives import UNGATED, essay, house_of, note, published, written
from tests.scopes import enter
from tests.servers import Database

OPEN = "[access]\nanonymous = true\n"
ROOM = "[limits]\nper_minute = 10_000\nper_day = 100_000\narchive_per_day = 1_000_000\n"


def minted(database: Database, slug: str, *scopes: KeyScope) -> str:
    """The text of a key of an archive, as whoever runs the host mints one."""
    key = minted_key()
    with psycopg.connect(database.url("fonds_host")) as session:
        found = session.execute("SELECT api.open_archive(%s)", (slug,)).fetchone()
        assert found is not None
        enter(session, found[0])
        session.execute("SELECT api.mint_key(%s, %s, 'test', NULL)", (key.digest, list(scopes)))
    return key.text


# Every archive has one essay and one note of words that no other archive holds.
WORDS: Mapping[str, str] = {
    "harbour": "The harbour crane Brunhilde lifted forty barrels of herring before noon.",
    "mill": "The windmill Sebaldus ground rye for eleven villages until the great frost.",
    "tide": "The tidal clock of Wieke ran nineteen minutes slow after every spring flood.",
}
PRIVATE: Mapping[str, str] = {
    "harbour": "Grandmother pawned the brass sextant to pay the harbour pilot in winter.",
    "mill": "The miller buried his ledger under the third sycamore beside the weir.",
    "tide": "The watchmaker forged the almanac page and burned the genuine one.",
}


def written_archive(folder: Path, slug: str) -> Path:
    """The archive of a slug, in a folder of its name."""
    files = {
        "essays/on-work.md": essay(f"On the {slug}", WORDS.get(slug, f"Of the {slug}.")),
        "notes/kept.md": note(f"Of the {slug}", PRIVATE.get(slug, f"Behind the {slug}.")),
    }
    terms = UNGATED + ROOM + (OPEN if slug == "tide" else "")
    return written(folder / slug, files, slug, gate=terms)


@contextmanager
def host_of(
    database: Database,
    folders: Mapping[str, Path],
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    read_seconds: int | None = None,
) -> Generator[Hosting]:
    """A hosting over these archives, by slug, with one connection a thread."""
    settings = settings or Settings()
    configs = {slug: read_archive_file(folder) for slug, folder in folders.items()}
    with ExitStack() as stack:
        server = Server(database.url, None, database.key)
        pools = RolePools(server, stack, size=settings.serve_threads, read_seconds=read_seconds)
        counting = open_pool(database.login("fonds_reader"), size=settings.serve_threads)
        stack.callback(counting.close)
        yield Hosting(
            settings,
            pools,
            PostgresDoor(pools.of("fonds_reader")),
            PostgresLimiter(counting),
            CurrentArchives(lambda: configs),
            Spaces(settings) if embedder is None else _OneSpace(settings, embedder),
        )


class _OneSpace(Spaces):
    """Every archive is asked in the space of one embedder, which a test holds."""

    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        super().__init__(settings)
        self._only = embedder

    def of(self, config: object) -> Embedder:
        return self._only


def app_of(hosting: Hosting) -> ASGIApp:
    """The application over a hosting, as it is served."""
    return create_app(hosting, hosting.settings)


@contextmanager
def client_of(hosting: Hosting, peer: str = "203.0.113.1") -> Generator[TestClient]:
    """A client of the application, in this process, at an address."""
    app = app_of(hosting)
    with TestClient(app, base_url="http://fonds.example", client=(peer, 1)) as client:
        yield client


def served_archives(folder: Path, database: Database) -> dict[str, Path]:
    """Three archives, written and built: `harbour` and `mill` closed, `tide` open to everybody."""
    folders = {slug: written_archive(folder, slug) for slug in WORDS}
    for made in folders.values():
        with house_of(made, database) as house:
            published(house)
    return folders
