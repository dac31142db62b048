"""The database side of an opened archive: the server, and each role's pool on it."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fonds.settings import Settings
from fonds.store.pools import Pool, open_pool
from fonds.store.revision import check_revision
from fonds.store.role_proof import prove_reader
from fonds.store.servers import Server, embedded_server, named_server

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class RolePools:
    """Each role's pool, opened once and closed with the stack."""

    server: Server
    _stack: ExitStack = field(repr=False)
    _pools: dict[str, Pool] = field(default_factory=dict[str, Pool], repr=False)

    def of(self, role: str) -> Pool:
        """Raises WrongRevision when the database is at another.

        A login that is to serve proves first that it can do no more than serve (R094); else
        ValidationRefused.
        """
        if role not in self._pools:
            check_revision(self.server.url_of(role))
            pool = open_pool(self.server.url_of(role), read_only=role == "fonds_reader", name=role)
            self._stack.callback(pool.close)
            if role == "fonds_reader":
                prove_reader(pool)
            self._pools[role] = pool
        return self._pools[role]


@contextmanager
def serving(settings: Settings) -> Generator[Server]:
    """The database server alone: started or joined when embedded, only named otherwise."""
    if settings.is_embedded:
        with embedded_server(settings.home, _name_the_folder) as server:
            yield server
        return

    def url_of(role: str) -> str | None:
        secret = settings.role_url(role)
        return None if secret is None else secret.get_secret_value()

    yield named_server(url_of)


def _name_the_folder(home: Path) -> None:
    _LOG.warning("first start: the embedded server keeps its data in %s", home)
