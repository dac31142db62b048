"""Which keys of scopes a database knows: registered by its migrator, tried by who is to use one."""

from __future__ import annotations

from collections.abc import Mapping

from fonds.contract.failures import Misconfigured, StoreRefused
from fonds.store.pools import Pool, scoped_connection, single_connection, transaction
from fonds.store.revision import NOT_THERE, WrongRevision
from fonds.store.scope import Login, ScopeKey
from fonds.store.statements import statements

NO_SCOPE = "55000"
NO_ARCHIVE = 0  # a scope in which no row is


class UnknownScopeKey(Misconfigured):
    """The database does not know the key a login says archives by; names the remedy."""


def register_scope_keys(migrator_url: str, keys: Mapping[str, ScopeKey]) -> None:
    """Makes these the keys of their logins, in one transaction.

    The key that one replaces stays valid until the next time; a login that is not named keeps what
    it has. Raises StoreRefused or Unavailable.
    """
    if not keys:
        return
    try:
        with single_connection(migrator_url) as connection:
            for login, key in keys.items():
                inner, outer = key.pads()
                connection.execute(
                    statements("scope")["register_scope_key"],
                    {"login": login, "inner": inner, "outer": outer},
                )
    except StoreRefused as refused:
        if refused.sqlstate not in NOT_THERE:
            raise
        raise WrongRevision(
            "the database says it is at this code's revision and knows no scope keys: a version"
            " that was never released made it, and none upgrades it; begin with an empty database,"
            " or another FONDS_HOME, and ingest and build anew; nothing was changed"
        ) from None


def check_scope_key(login: Login) -> None:
    """Raises UnknownScopeKey unless the database takes this login's word for an archive."""
    try:
        with scoped_connection(login, NO_ARCHIVE) as connection:
            connection.execute(statements("scope")["try_scope"])
    except StoreRefused as refused:
        raise _explained(refused, login) from None


def check_scope_of(pool: Pool) -> None:
    """The same over a pool that is going to be used."""
    try:
        with transaction(pool, NO_ARCHIVE) as connection:
            connection.execute(statements("scope")["try_scope"])
    except StoreRefused as refused:
        raise _explained(refused, pool.login) from None


def _explained(refused: StoreRefused, login: Login) -> StoreRefused | UnknownScopeKey:
    if refused.sqlstate != NO_SCOPE:
        return refused
    return UnknownScopeKey(
        f"the database does not know this scope key of {login.role}: run fonds migrate with it"
    )
