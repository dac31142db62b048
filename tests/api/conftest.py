"""Databases with archives and their keys, for every test of the service and of its pages."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from fonds.settings import Settings
from fonds.wiring.hosting import Hosting
from tests.api.reading import BROWSER, CLOSED, SLUG, shelf
from tests.database.rows import cloned
from tests.hosts import client_of, host_of, minted, served_archives
from tests.servers import Database, TestServer


@dataclass(frozen=True, slots=True)
class Hosted:
    """Three archives on one database, and a key a slug for all there is to ask."""

    database: Database
    folders: dict[str, Path]
    keys: dict[str, str] = field(repr=False)

    @property
    def root(self) -> Path:
        """The folder the archives are in, each under its slug."""
        return self.folders["harbour"].parent

    def bearer(self, slug: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys[slug]}"}


@pytest.fixture(scope="package")
def hosted(
    server: TestServer, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Hosted]:
    with cloned(server, template) as database:
        folders = served_archives(tmp_path_factory.mktemp("archives"), database)
        keys = {slug: minted(database, slug, "search", "ask", "admin") for slug in folders}
        yield Hosted(database, folders, keys)


@pytest.fixture(scope="package")
def hosting(hosted: Hosted) -> Generator[Hosting]:
    with host_of(hosted.database, hosted.folders) as made:
        yield made


@pytest.fixture(scope="package")
def client(hosting: Hosting) -> Generator[TestClient]:
    with client_of(hosting) as made:
        yield made


@dataclass(frozen=True, slots=True)
class Shelves:
    """Two archives of the same files: one lets everybody in, one nobody without a key."""

    database: Database
    folders: dict[str, Path]
    key: str = field(repr=False)


@pytest.fixture(scope="package")
def shelves(
    server: TestServer, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Shelves]:
    root = tmp_path_factory.mktemp("shelves")
    with cloned(server, template) as database:
        folders = {
            SLUG: shelf(root, database),
            CLOSED: shelf(root, database, slug=CLOSED, terms=""),
        }
        yield Shelves(database, folders, minted(database, CLOSED, "search", "ask", "admin"))


@pytest.fixture(scope="package")
def shelf_hosting(shelves: Shelves) -> Generator[Hosting]:
    with host_of(shelves.database, shelves.folders, settings=Settings(serve_threads=2)) as made:
        yield made


@pytest.fixture(scope="package")
def reader(shelf_hosting: Hosting) -> Generator[TestClient]:
    """A browser without a window: it accepts pages, and stays where it is led from."""
    with client_of(shelf_hosting) as made:
        made.headers.update(BROWSER)
        made.follow_redirects = False
        yield made
