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
from fonds.store.scope import SCOPED_ROLES, ScopeKey
from fonds.store.scope_register import check_scope_of
from fonds.store.servers import Server, embedded_server, named_server

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class RolePools:
    """Each role's pool, opened once and closed with the stack; safe to share between threads.

    `size` is how many connections each may hold, `read_seconds` how long a statement of the role
    that serves may run.
    """

    server: Server
    _stack: ExitStack = field(repr=False)
    size: int = 4
    read_seconds: int | None = None
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
        """Raises WrongRevision when the database is at another, Misconfigured where the role's
        scope key is not there or is not known to it.

        A login that is to serve proves first that it can do no more than serve (R094); else
        ValidationRefused.
        """
        with self._opening:
            if role not in self._pools:
                self._pools[role] = self._opened(role)
            return self._pools[role]

    def _opened(self, role: str) -> Pool:
        login, serves = self.server.login_of(role), role == "fonds_reader"
        check_revision(login.url)
        pool = open_pool(login, read_only=serves, size=self.size, name=role)
        self._stack.callback(pool.close)
        if serves:
            pool.longest_seconds = self.read_seconds
            prove_reader(pool)
        if role in SCOPED_ROLES:
            check_scope_of(pool)
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

    yield named_server(url_of, lambda role: scope_key_of(settings, role))


def scope_key_of(settings: Settings, role: str) -> ScopeKey | None:
    """What a role says archives by: its own key, or the one derived from the common secret."""
    own = settings.own_scope_key(role)
    if own is not None:
        return ScopeKey.of(own.get_secret_value())
    common = settings.scope_key if role in SCOPED_ROLES else None
    return None if common is None else ScopeKey.derived(common.get_secret_value(), role)


def _name_the_folder(home: Path) -> None:
    _LOG.warning("first start: the embedded server keeps its data in %s", home)
