"""The one database server of a test run, and a migrated database of its own for each test that
asks.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as examples

from fonds.store.archives import register_archive
from fonds.store.databases import clone_database, create_database, drop_database
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool
from tests.scopes import register
from tests.servers import IMAGE_VARIABLE, SOURCE_VARIABLE, Database, TestServer, test_server

for name in [
    name
    for name in os.environ
    if name.startswith(("FONDS_", "OPENAI_")) and name not in {SOURCE_VARIABLE, IMAGE_VARIABLE}
]:
    del os.environ[name]  # a stray setting must not reach a real archive or a paid provider
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No example fails for being slow, and each run asks the same ones: whether a test passes depends on
# the tree alone, not on the machine or on luck.
examples.register_profile(
    "fonds", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
examples.load_profile("fonds")


@pytest.fixture(scope="session")
def server() -> Generator[TestServer]:
    with (
        tempfile.TemporaryDirectory(prefix="fonds-test-") as home,
        test_server(Path(home) / "home") as found,
    ):
        yield found


@pytest.fixture(scope="session")
def template(server: TestServer) -> Generator[str]:
    """A migrated database nobody connects to; tests get clones of it."""
    name = f"fonds_template_{secrets.token_hex(4)}"
    create_database(server.admin_url(), name)
    migrate(server.url("fonds_migrator", name))
    register(server.admin_url(name))
    yield name
    drop_database(server.admin_url(), name)


@pytest.fixture
def database(server: TestServer, template: str) -> Generator[Database]:
    """An empty migrated database of this test alone."""
    name = f"fonds_test_{secrets.token_hex(4)}"
    clone_database(server.admin_url(), template, name)
    yield Database(server, name)
    drop_database(server.admin_url(), name)


@pytest.fixture
def pool_of(database: Database) -> Generator[Callable[..., Pool]]:
    """Opens a pool for a role of this test's database; all are closed at its end."""
    opened: list[Pool] = []

    def open_one(role: str, *, size: int = 2) -> Pool:
        pool = open_pool(database.login(role), read_only=role == "fonds_reader", size=size)
        opened.append(pool)
        return pool

    yield open_one
    for pool in opened:
        pool.close()


@pytest.fixture
def archive(pool_of: Callable[..., Pool]) -> Callable[[str], int]:
    """Registers an archive by its slug and gives its id."""

    def register(slug: str = "example") -> int:
        return register_archive(
            pool_of("fonds_ingest"),
            slug=slug,
            name=f"Archive {slug}",
            author="Person A",
            base_url="https://example.org",
        )

    return register


@pytest.fixture
def archive_id(archive: Callable[[str], int]) -> int:
    return archive("example")
