"""Where the database is: the embedded server, or one named by URL, one login a role."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from fonds.contract.failures import Misconfigured
from fonds.store.embedded import EmbeddedServer, removed, running
from fonds.store.pools import CONNECT_SECONDS, PATIENCE
from fonds.store.revision import WrongRevision, check_revision
from fonds.store.scope import Login, ScopeKey
from fonds.store.scope_register import UnknownScopeKey, check_scope_key, register_scope_keys


def _no_key(_role: str) -> ScopeKey | None:
    return None


@dataclass(frozen=True, slots=True)
class Server:
    """A conninfo for each role, and what it says archives by. Its repr shows none of them."""

    url_of: Callable[[str], str]
    embedded_home: Path | None
    key_of: Callable[[str], ScopeKey | None] = _no_key

    def __repr__(self) -> str:
        return "Server(...)"

    def login_of(self, role: str) -> Login:
        """How a role connects and names archives; without a key it can connect, and no more."""
        return Login(role, self.url_of(role), self.key_of(role))


@contextmanager
def embedded_server(home: Path, on_first_start: Callable[[Path], None]) -> Generator[Server]:
    """The server of this home, started or joined, at the revision this code needs.

    `on_first_start` is told the folder before anything is put there.
    """
    with running(home, on_first_start=on_first_start) as server:
        _bring_to_head(server)
        yield Server(lambda role: server.url(role), home, server.key)


def remove_embedded_server(home: Path) -> None:
    """Take away the data of the embedded server of this home; raises Busy while it is used."""
    removed(home)


def named_server(
    url_of: Callable[[str], str | None], key_of: Callable[[str], ScopeKey | None] = _no_key
) -> Server:
    """A server by URL. Whatever user a URL names, each role connects under its own name: what a
    process may do follows from the role it asked for, and which archives it reads from its key.
    """

    def conninfo(role: str) -> str:
        url = url_of(role)
        if not url:
            raise Misconfigured(
                f"no URL for {role}: set FONDS_DATABASE_URL or the one of this role"
            )
        try:
            asked = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise Misconfigured(f"the URL for {role} cannot be read as a Postgres URL") from None
        settled = {**PATIENCE, **asked, "user": role, "connect_timeout": CONNECT_SECONDS}
        return make_conninfo("", **settled)

    return Server(conninfo, None, key_of)


def _bring_to_head(server: EmbeddedServer) -> None:
    """Migrates only when behind: joining a server that is at head costs two looks."""
    reader = server.login("fonds_reader")
    try:
        check_revision(reader.url)
        check_scope_key(reader)
    except WrongRevision:
        # The migration tool takes longer to load than a look at the revision takes.
        from fonds.store.migrating import migrate

        migrate(server.url("fonds_migrator"), server.keys)
    except UnknownScopeKey:
        register_scope_keys(server.url("fonds_migrator"), server.keys)
