"""The one more server of these tests: a cluster that is nobody else's."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from fonds.store.embedded import running
from tests.deploy.fresh import Fresh


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Generator[Fresh]:
    """Tests leave its roles as they found them, and no database `fonds` that holds anything."""
    with running(tmp_path_factory.mktemp("fresh") / "home") as server:
        yield Fresh(server)
