"""The database side of an opened archive: the server, and each role's pool on it."""

from __future__ import annotations

import logging
import threading
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
    """Each role's pool, opened once and closed with the stack; safe to share between threads.

    `size` is how many connections each may hold.
    """

    server: Server
    _stack: ExitStack = field(repr=False)
    size: int = 4
    _pools: dict[str, Pool] = field(default_factory=dict[str, Pool], repr=False)
    _opening: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def opened(self) -> dict[str, Pool]:
        """The pools that are open, by role."""
        return dict(self._pools)

    def keep(self, name: str, pool: Pool) -> Pool:
        """Closes a pool of another kind with the rest, and has it among those that are opened."""
        self._stack.callback(pool.close)
        with self._opening:
            self._pools[name] = pool
        return pool

    def of(self, role: str) -> Pool:
        """Raises WrongRevision when the database is at another.

        A login that is to serve proves first that it can do no more than serve (R094); else
        ValidationRefused.
        """
        with self._opening:
            if role not in self._pools:
                self._pools[role] = self._opened(role)
            return self._pools[role]

    def _opened(self, role: str) -> Pool:
        url, serves = self.server.url_of(role), role == "fonds_reader"
        check_revision(url)
        pool = open_pool(url, read_only=serves, size=self.size, name=role)
        self._stack.callback(pool.close)
        if serves:
            prove_reader(pool)
        return pool


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
