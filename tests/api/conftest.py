"""One database with three archives and their keys, for every test of the service."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from fonds.wiring.hosting import Hosting
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
