"""One database for all attacks; each leaves it as it was."""

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest

from tests.database.attacks.stage import lay
from tests.database.rows import cloned
from tests.servers import Database, TestServer


@pytest.fixture(scope="package")
def attacked(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made, psycopg.connect(made.admin_url) as session:
        lay(session)
        session.commit()
        session.autocommit = True
        session.execute("ANALYZE")
        yield made
