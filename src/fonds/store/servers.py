"""Where the database is: the embedded server, or one named by URL, one login a role."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from fonds.contract.failures import Misconfigured
from fonds.store.embedded import removed, running
from fonds.store.pools import CONNECT_SECONDS, PATIENCE
from fonds.store.revision import WrongRevision, check_revision


@dataclass(frozen=True, slots=True)
class Server:
    """A conninfo for each role. Its repr shows none of them."""

    url_of: Callable[[str], str]
    embedded_home: Path | None

    def __repr__(self) -> str:
        return "Server(...)"


@contextmanager
def embedded_server(home: Path, on_first_start: Callable[[Path], None]) -> Generator[Server]:
    """The server of this home, started or joined, at the revision this code needs.

    `on_first_start` is told the folder before anything is put there.
    """
    with running(home, on_first_start=on_first_start) as server:
        _bring_to_head(server.url("fonds_reader"), server.url("fonds_migrator"))
        yield Server(lambda role: server.url(role), home)


def remove_embedded_server(home: Path) -> None:
    """Take away the data of the embedded server of this home; raises Busy while it is used."""
    removed(home)


def named_server(url_of: Callable[[str], str | None]) -> Server:
    """A server by URL. Whatever user a URL names, each role connects under its own name: what a
    process may do follows from the role it asked for.
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

    return Server(conninfo, None)


def _bring_to_head(reader_url: str, migrator_url: str) -> None:
    """Migrates only when behind: joining a server that is at head costs one look."""
    try:
        check_revision(reader_url)
    except WrongRevision:
        # The migration tool takes longer to load than a look at the revision takes.
        from fonds.store.migrating import migrate

        migrate(migrator_url)
