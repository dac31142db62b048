"""Which archive a test's session is for: sealed as a process of the house does it.

Every database of a test knows these keys, one for each login and one for the superuser, so that
whoever is at the other end of a session may name an archive.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.pq import TransactionStatus

from fonds.store.scope import ASK_MOMENT, SCOPED_ROLES, SET_SCOPE, ScopeKey, moment_of

COMMON = "the common secret of every database of a test run"


def key_of(login: str) -> ScopeKey | None:
    """What a login of a test's database says archives by."""
    return None if login in {"fonds_migrator", "fonds_queue"} else ScopeKey.derived(COMMON, login)


def sealed(session: Connection[Any], archive_id: int) -> str:
    """The setting that names the archive in the session's transaction, as its login seals it."""
    moment = moment_of(session.execute(ASK_MOMENT))
    return ScopeKey.derived(COMMON, moment[12:].decode()).sealed(archive_id, moment)


def enter(session: Connection[Any], archive_id: int) -> None:
    """The session's transaction is of the archive until it ends."""
    session.execute(SET_SCOPE, {"archive": sealed(session, archive_id)})


def register(admin_url: str, logins: Iterable[str] = SCOPED_ROLES) -> None:
    """Tells a migrated database the keys of these logins and of the superuser."""
    with psycopg.connect(admin_url) as session:
        row = session.execute("SELECT session_user").fetchone()
        assert row is not None
        for login in (*logins, str(row[0])):
            pads = ScopeKey.derived(COMMON, login).pads()
            session.execute(
                "INSERT INTO seal.scope_key (login, inner_pad, outer_pad) VALUES (%s, %s, %s)"
                " ON CONFLICT (login) DO UPDATE"
                " SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad",
                (login, *pads),
            )


class ScopedSession(Connection[Any]):
    """A session each of whose transactions is of one archive, or of none.

    In autocommit a statement by itself is a transaction of its own, as ever.
    """

    archive_id: int | None = None
    _is_entering: bool = False

    def execute(self, *asked: Any, **more: Any) -> Any:  # noqa: ANN401 - as the driver's own
        if self._is_entering or self.archive_id is None or self._is_begun:
            return super().execute(*asked, **more)
        if self.autocommit:
            with self.transaction():
                return super().execute(*asked, **more)
        self._enter()
        return super().execute(*asked, **more)

    @contextmanager
    def transaction(
        self, savepoint_name: str | None = None, force_rollback: bool = False
    ) -> Generator[Any]:
        is_outermost = not self._is_begun
        with super().transaction(savepoint_name, force_rollback) as made:
            if is_outermost and self.archive_id is not None:
                self._enter()
            yield made

    @property
    def _is_begun(self) -> bool:
        return self.info.transaction_status != TransactionStatus.IDLE

    def _enter(self) -> None:
        self._is_entering = True
        try:
            enter(self, self.archive_id or 0)
        finally:
            self._is_entering = False


def scoped(url: str, archive_id: int, *, autocommit: bool = True) -> ScopedSession:
    """A session of a login that may name any archive, in this one."""
    session = ScopedSession.connect(url, autocommit=autocommit)
    session.archive_id = archive_id
    return session
