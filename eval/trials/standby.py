"""A streaming standby of an embedded server, made with the programs that come with it."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from fonds.store.embedded import EmbeddedServer
from fonds.store.embedded_account import Account, able_account, possible_accounts
from fonds.store.embedded_cluster import Cluster, bring_up, stop
from fonds.store.embedded_places import (
    admin_conninfo,
    binaries_folder,
    data_folder,
    give,
    password_file,
    write_private,
)

_REPLICATION = "local replication postgres peer map=admin\n"
_REPLAYED = "SELECT pg_wal_lsn_diff(replay_lsn, %s::pg_lsn) >= 0 FROM pg_stat_replication"


@dataclass(frozen=True, slots=True)
class Standby:
    """A server that replays another, and a superuser's connection to that other."""

    server: EmbeddedServer
    primary: psycopg.Connection[Any]

    def caught_up(self) -> None:
        """Returns when what was committed before has been replayed."""
        row = self.primary.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
        assert row is not None  # noqa: S101 - a function call answers one row
        while self.primary.execute(_REPLAYED, row).fetchone() != (True,):
            pass


@contextmanager
def standby_of(server: EmbeddedServer, home: Path) -> Generator[Standby]:
    """Copies a running server and follows it for the length of the block. Raises RuntimeError where
    the copy cannot be made: the server's log says why.
    """
    binaries = binaries_folder()
    assert binaries is not None  # noqa: S101 - a server of these binaries is running
    account = able_account(possible_accounts(server.home), server.home, binaries)
    home.mkdir(mode=0o700)
    give(home, uid=account.uid, gid=account.gid)
    cluster = Cluster(home, binaries, account)
    with psycopg.connect(server.admin_url(), autocommit=True) as primary:
        _open_replication(server, primary, account)
        made = cluster.run(
            *("pg_basebackup", "-D", "data", "-R", "-c", "fast", "-X", "stream"),
            *("-d", admin_conninfo(server.home, "postgres")),
        )
        if not made:
            raise RuntimeError("the server was not copied")
        shutil.copy(password_file(server.home), password_file(home))
        bring_up(cluster)
        try:
            yield Standby(EmbeddedServer(home), primary)
        finally:
            stop(cluster)


def _open_replication(
    server: EmbeddedServer, primary: psycopg.Connection[Any], account: Account
) -> None:
    """Lets the server's own account copy it until the next start, which writes this file anew."""
    file = data_folder(server.home) / "pg_hba.conf"
    content = file.read_text(encoding="utf-8") + _REPLICATION
    write_private(file, content, uid=account.uid, gid=account.gid)
    primary.execute("SELECT pg_reload_conf()")
