"""Where the tests find a real Postgres: a URL, else Docker, else the embedded server. Never a mock,
never a skip.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from psycopg.conninfo import make_conninfo

from fonds.settings import ROLE_FIELDS
from fonds.store.databases import ROLES, administering, set_password
from fonds.store.embedded import EmbeddedServer, running
from fonds.store.scope import Login, ScopeKey
from fonds.store.share import share_path
from tests.scopes import COMMON, key_of

IMAGE = "pgvector/pgvector:pg18"
IMAGE_VARIABLE = "FONDS_TEST_IMAGE"  # any image of PostgreSQL 17 or later with pgvector
SOURCE_VARIABLE = "FONDS_TEST_SERVER"  # auto, url, docker or embedded
URL_VARIABLE = "TEST_DATABASE_URL"


class TestServer(Protocol):
    """A server with the roles of the house, and a superuser to make databases."""

    __test__ = False

    @property
    def source(self) -> str: ...
    def url(self, role: str, database: str = "fonds") -> str: ...
    def admin_url(self, database: str = "postgres") -> str: ...


@dataclass(frozen=True, slots=True)
class _NamedServer:
    """A server reached by URL: its roles get passwords of this test run."""

    source: str
    superuser: str
    password: str

    def url(self, role: str, database: str = "fonds") -> str:
        return make_conninfo(self.superuser, dbname=database, user=role, password=self.password)

    def admin_url(self, database: str = "postgres") -> str:
        return make_conninfo(self.superuser, dbname=database)


@dataclass(frozen=True, slots=True)
class Database:
    """One database of a test: a conninfo a role, and the superuser's."""

    server: TestServer
    name: str

    def url(self, role: str) -> str:
        return self.server.url(role, self.name)

    def key(self, role: str) -> ScopeKey | None:
        """What the role says archives by."""
        return key_of(role)

    def login(self, role: str) -> Login:
        return Login(role, self.url(role), self.key(role))

    @property
    def environment(self) -> dict[str, str]:
        """What a process of ours is told to reach it as each role."""
        urls = {f"FONDS_{field.upper()}": self.url(role) for role, field in ROLE_FIELDS.items()}
        return urls | {"FONDS_SCOPE_KEY": COMMON}

    @property
    def admin_url(self) -> str:
        return self.server.admin_url(self.name)


@contextmanager
def test_server(home: Path) -> Generator[TestServer]:
    """The one server of a test run; fails, and never skips, when there is none."""
    wanted = os.environ.get(SOURCE_VARIABLE, "auto")
    url = os.environ.get(URL_VARIABLE)
    if wanted == "url" or (wanted == "auto" and url):
        if not url:
            raise RuntimeError(f"{SOURCE_VARIABLE}=url needs {URL_VARIABLE}")
        yield _named("url", url)
    elif wanted == "docker" or (wanted == "auto" and _docker_answers()):
        from testcontainers.community.postgres import PostgresContainer

        image = os.environ.get(IMAGE_VARIABLE) or IMAGE
        with PostgresContainer(image, driver=None) as container:
            yield _named("docker", container.get_connection_url())
    else:
        with running(home) as server:
            yield _Embedded(server)


@dataclass(frozen=True, slots=True)
class _Embedded:
    server: EmbeddedServer
    source: str = "embedded"

    def url(self, role: str, database: str = "fonds") -> str:
        return self.server.url(role, database)

    def admin_url(self, database: str = "postgres") -> str:
        return self.server.admin_url(database)


def _named(source: str, superuser: str) -> _NamedServer:
    password = secrets.token_urlsafe(24)
    with administering(superuser) as session:
        session.execute(share_path("db/roles.sql").read_bytes())
        for role in ROLES:
            set_password(session, role, password)
    return _NamedServer(source, superuser, password)


def _docker_answers() -> bool:
    import docker
    from docker.errors import DockerException

    socket = Path("/var/run/docker.sock")
    if not (os.environ.get("DOCKER_HOST") or socket.exists()):
        return False
    try:
        client = docker.from_env(timeout=3)
    except (DockerException, OSError):
        return False
    with closing(client):
        return bool(client.ping())  # pyright: ignore[reportUnknownMemberType]
