"""Installs the queue's tables out of its library, which ships them; nothing of it is kept here.

The library is the extra `jobs`. Which version made the tables is recorded with the names of its
migrations, so that a later one is brought in by its own, and nothing is guessed from a number.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from psycopg import Connection

from fonds.contract.failures import Misconfigured
from fonds.contract.sealed import sealed
from fonds.store.pools import single_connection
from fonds.store.share import share_path
from fonds.store.statements import dict_rows, statements

LIBRARY = "procrastinate"
REMEDY = 'pip install "fonds[jobs]"'


@sealed
@dataclass(frozen=True, slots=True)
class QueueVersion:
    """A version of the library: its own word, its migrations in order, and its schema's sha256."""

    version: str
    migrations: tuple[str, ...]
    schema_hash: str


class QueueMissing(Misconfigured):
    """The queue's library is not installed, or the database lacks its tables; names the remedy."""


def installed_library() -> QueueVersion | None:
    """The version that is installed here; None without the extra."""
    try:
        text = _schema_text()
    except ModuleNotFoundError:
        return None
    names = tuple(file.name for file in _migration_files())
    return QueueVersion(version(LIBRARY), names, hashlib.sha256(text).hexdigest())


def install_queue(migrator_url: str) -> QueueVersion | None:
    """Brings the queue's tables to the installed library, as the migrator; None without the extra.

    One transaction, safe to run again: what is there already is left alone. A later version than
    the one that made the tables applies its own migrations. Raises QueueMissing when the tables
    are of a later version, and when a version changed them without shipping how.
    """
    library = installed_library()
    if library is None:
        return None
    with single_connection(migrator_url) as connection, connection.transaction():
        connection.execute(statements("queue_schema")["act_as_owner"])
        connection.execute(statements("queue_schema")["lock_queue_version"])
        recorded = _recorded(connection)
        if recorded != library:
            _install(connection, recorded, library)
    return library


def check_queue(queue_url: str) -> None:
    """Raises QueueMissing with the remedy unless tables and library are of one version."""
    library = installed_library()
    if library is None:
        raise QueueMissing(f"the job queue is an extra that is not installed: {REMEDY}")
    with single_connection(queue_url) as connection:
        recorded = _recorded(connection)
    if recorded is None:
        raise QueueMissing("the database has no job queue yet: run fonds migrate")
    if recorded != library:
        raise QueueMissing(
            f"the job queue was made by {LIBRARY} {recorded.version}, {library.version} is"
            " installed: run fonds migrate with this version"
        )


def _install(
    connection: Connection[Any], recorded: QueueVersion | None, library: QueueVersion
) -> None:
    if recorded is None:
        connection.execute(_schema_text())
    else:
        lacking = _lacking(recorded, library)
        connection.execute(statements("queue_schema")["release_queue_rows"])
        for file in _migration_files():
            if file.name in lacking:
                connection.execute(file.read_bytes())
    connection.execute(share_path("db/queue.sql").read_bytes())
    connection.execute(
        statements("queue_schema")["note_queue_version"],
        {
            "version": library.version,
            "migrations": list(library.migrations),
            "schema_hash": library.schema_hash,
        },
    )


def _lacking(recorded: QueueVersion, library: QueueVersion) -> frozenset[str]:
    """The library's migrations that the tables have not seen; raises QueueMissing."""
    if not set(recorded.migrations) <= set(library.migrations):
        raise QueueMissing(
            f"the job queue was made by {LIBRARY} {recorded.version}, older is installed"
            f" ({library.version}): install that version or a later one; nothing was changed"
        )
    lacking = frozenset(library.migrations) - frozenset(recorded.migrations)
    if not lacking and recorded.schema_hash != library.schema_hash:
        raise QueueMissing(
            f"{LIBRARY} {library.version} has other tables than {recorded.version} and no"
            f" migration to them: install {LIBRARY} {recorded.version}; nothing was changed"
        )
    return lacking


def _recorded(connection: Connection[Any]) -> QueueVersion | None:
    rows = dict_rows(connection, "queue_schema", "queue_version")
    if not rows:
        return None
    row = rows[0]
    return QueueVersion(row["version"], tuple(row["migrations"]), row["schema_hash"])


def _schema_text() -> bytes:
    from procrastinate.schema import SchemaManager

    return SchemaManager.get_schema().encode()


def _migration_files() -> list[Path]:
    from procrastinate.schema import SchemaManager

    return sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
