"""Databases of a server that holds archives: made, cloned and dropped by its administrator (R094).

Everything here needs a superuser: roles own no database and may create none. What is set outside
the migrations is what a migration cannot set: the database's own rights, the extension's schema,
the languages, and the catalogue functions that are open to every login.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import LiteralString, TypeAlias

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from fonds.contract.failures import StoreRefused, Unavailable

Session: TypeAlias = psycopg.Connection[tuple[object, ...]]

# The roles that processes connect as; `db/roles.sql` creates them and those that never log in.
ROLES = (
    "fonds_migrator",
    "fonds_ingest",
    "fonds_build",
    "fonds_curator",
    "fonds_reader",
    "fonds_host",
    "fonds_queue",
)

# Long enough for a server that is busy with a checkpoint, short enough for somebody who waits.
CONNECT_SECONDS = 10

# Rights and settings of the database itself. A clone does not inherit them from its template.
_RIGHTS: tuple[LiteralString, ...] = (
    "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
    "GRANT CONNECT ON DATABASE {database} TO {logins}",
    # Bulk loads stage their rows in a temporary table; nobody else may fill the disk that way.
    "GRANT TEMPORARY ON DATABASE {database} TO fonds_ingest, fonds_build",
    # No schema that anybody else can write to takes part in finding a name.
    "ALTER DATABASE {database} SET search_path = pg_catalog, ext",
)

# What lies inside the database and belongs to its superuser.
_CONTENTS: tuple[LiteralString, ...] = (
    "CREATE SCHEMA IF NOT EXISTS ext",
    "CREATE EXTENSION IF NOT EXISTS vector SCHEMA ext",
    # The migrations hand the schema on to the roles that compare vectors.
    "GRANT USAGE ON SCHEMA ext TO fonds_owner WITH GRANT OPTION",
    "REVOKE ALL ON SCHEMA public FROM PUBLIC",
    # Using a language is needed to write a function or a DO block, never to call a function.
    "REVOKE USAGE ON LANGUAGE plpgsql, sql FROM PUBLIC",
    "GRANT USAGE ON LANGUAGE plpgsql, sql TO fonds_owner",
    # Large objects obey no table's rights and fill the disk; notifications reach other sessions.
    # A second line only: nothing depends on these being closed.
    """
    REVOKE EXECUTE ON FUNCTION
        pg_catalog.lo_create(oid), pg_catalog.lo_creat(integer),
        pg_catalog.lo_from_bytea(oid, bytea),
        pg_catalog.lo_import(text), pg_catalog.lo_import(text, oid),
        pg_catalog.pg_notify(text, text)
      FROM PUBLIC
    """,
)


def create_database(admin_url: str, name: str) -> None:
    """Make an empty database for archives, ready for the migrations.

    Safe to run again: a database that is there keeps its content and gets its rights again, so a
    run that died half-way is completed by the next. The roles have to exist. Raises Unavailable
    when the server does not answer, StoreRefused when it declines.
    """
    with administering(admin_url) as session:
        known = session.execute(
            "SELECT FROM pg_catalog.pg_database WHERE datname = %(name)s", {"name": name}
        )
        if known.fetchone() is None:
            session.execute(
                # One locale on every server, so that all of them sort alike.
                sql.SQL(
                    "CREATE DATABASE {} OWNER fonds_owner TEMPLATE template0 ENCODING 'UTF8'"
                    " LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'"
                ).format(sql.Identifier(name))
            )
        _set_rights(session, name)
    with administering(make_conninfo(admin_url, dbname=name)) as session, session.transaction():
        for statement in _CONTENTS:
            session.execute(statement)


def clone_database(admin_url: str, template: str, name: str) -> None:
    """Copy a database nobody is connected to, rights and settings included."""
    with administering(admin_url) as session:
        session.execute(
            sql.SQL("CREATE DATABASE {} OWNER fonds_owner TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        _set_rights(session, name)


def drop_database(admin_url: str, name: str) -> None:
    """Remove a database if it is there, and end the sessions that still use it."""
    with administering(admin_url) as session:
        session.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


def set_password(session: Session, role: str, password: str) -> None:
    """Give a login its password as a verifier, so that no password is part of a statement."""
    verifier = session.pgconn.encrypt_password(
        password.encode(), role.encode(), b"scram-sha-256"
    ).decode()
    session.execute(
        sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(verifier))
    )


def shut_out_public(session: Session) -> None:
    """Close the server's own databases, which every login may enter and fill by default."""
    session.execute("REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC")


@contextmanager
def administering(admin_url: str) -> Generator[Session]:
    """A superuser's session, each statement its own transaction; failures name no value (R097)."""
    try:
        with psycopg.connect(
            admin_url, autocommit=True, connect_timeout=CONNECT_SECONDS
        ) as session:
            yield session
    except psycopg.Error as error:
        if error.sqlstate is None:
            raise Unavailable(
                "the database server does not accept the administrator's connection:"
                " check that it runs and that its address is right"
            ) from None
        raise StoreRefused(
            error.sqlstate, error.diag.table_name, error.diag.constraint_name
        ) from None


def _set_rights(session: Session, name: str) -> None:
    logins = sql.SQL(", ").join(map(sql.Identifier, ROLES))
    with session.transaction():
        for statement in _RIGHTS:
            session.execute(sql.SQL(statement).format(database=sql.Identifier(name), logins=logins))
