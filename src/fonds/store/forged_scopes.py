"""Words for an archive that a database must not take, tried on it (R094)."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from typing import Any, Final

import psycopg
from psycopg import Connection

from fonds.store.scope import ASK_MOMENT, SET_SCOPE, ScopeKey, moment_of
from fonds.store.statements import statements

# A moment is the server's process, then the start of the transaction, then who logged in.
_PROCESS: Final = slice(0, 4)
_START: Final = slice(4, 12)
_LOGIN: Final = slice(12, None)


def taken_forgeries(connection: Connection[Any], key: ScopeKey | None) -> tuple[str, ...]:
    """What the session's login is let into an archive by although no key sealed it for this.

    Leaves the transaction's own scope as it was. `key` is the login's own.
    """
    moment = moment_of(connection.execute(ASK_MOMENT))
    return tuple(
        name for name, written in _forgeries(moment, key) if _is_taken(connection, written)
    )


def _forgeries(moment: bytes, key: ScopeKey | None) -> Generator[tuple[str, str]]:
    process, start, login = moment[_PROCESS], moment[_START], moment[_LOGIN]
    yield "a bare number", "1"
    yield "a seal that nobody made", f"1:{secrets.token_hex(32)}"
    yield "a seal by another key", ScopeKey(secrets.token_bytes(32)).sealed(1, moment)
    if key is None:
        return
    yield "the seal of another archive", f"1:{key.sealed(0, moment).partition(':')[2]}"
    yield "the seal of another login", key.sealed(1, process + start + login + b"_")
    yield "the seal of another session", key.sealed(1, _next(process) + start + login)
    yield "the seal of another transaction", key.sealed(1, process + _next(start) + login)


def _next(number: bytes) -> bytes:
    return (int.from_bytes(number, "big") + 1).to_bytes(len(number), "big")


def _is_taken(connection: Connection[Any], written: str) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(SET_SCOPE, {"archive": written})
            connection.execute(statements("scope")["try_scope"])
    except psycopg.Error:
        return False
    return True
