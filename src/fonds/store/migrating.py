"""Brings a database to the revision this code needs, and says so when it is at another (R090)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError

from fonds.contract.failures import Failure, Misconfigured, Unavailable
from fonds.store.databases import administering, create_database, set_password, shut_out_public
from fonds.store.pools import CONNECT_SECONDS
from fonds.store.queue_schema import install_queue
from fonds.store.revision import WrongRevision, head_revision
from fonds.store.scope import ScopeKey
from fonds.store.scope_register import register_scope_keys
from fonds.store.share import share_path


def migrate(migrator_url: str, scope_keys: Mapping[str, ScopeKey] | None = None) -> str:
    """Upgrades to head as the migrator, then the job queue where its library is installed, and
    registers the scope keys given; returns the revision. A second run changes nothing but that
    keys replaced before hold no longer.

    Raises Unavailable when the server does not answer, WrongRevision when a later version made the
    database, Failure with the SQLSTATE otherwise.
    """
    config = _config()

    def connect() -> Connection[Any]:
        return psycopg.connect(migrator_url, connect_timeout=CONNECT_SECONDS)

    engine = create_engine("postgresql+psycopg://", creator=connect, hide_parameters=True)
    try:
        with engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except SQLAlchemyError as trouble:
        raise _translated(trouble) from None
    except CommandError:
        # The only revision that this code cannot find is one that came after it.
        raise WrongRevision(
            "the database is at a revision this code does not know: install the version that made"
            " it, or a later one; nothing was changed"
        ) from None
    finally:
        engine.dispose()
    install_queue(migrator_url)
    register_scope_keys(migrator_url, scope_keys or {})
    return head_revision()


def prepare_server(admin_url: str, role_urls: Mapping[str, str]) -> None:
    """Roles with the passwords of their URLs, database and vector extension. Idempotent.

    `admin_url` is a superuser's, for a database that exists already. A role whose URL holds no
    password keeps the one it has. Raises Misconfigured when the URLs name several databases.
    """
    given = {role: conninfo_to_dict(url) for role, url in role_urls.items()}
    names = {str(parts.get("dbname")) for parts in given.values()}
    if len(names) != 1 or names == {"None"}:
        raise Misconfigured("the roles' URLs have to name one database, the same for all")
    with administering(admin_url) as session:
        session.execute(share_path("db/roles.sql").read_bytes())
        for role, parts in given.items():
            if parts.get("password"):
                set_password(session, role, str(parts["password"]))
        shut_out_public(session)
    create_database(admin_url, names.pop())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(share_path("migrations")).replace("%", "%%"))
    return config


def _translated(trouble: SQLAlchemyError) -> Failure:
    cause = getattr(trouble, "orig", None)
    if isinstance(cause, psycopg.Error) and cause.sqlstate:
        return Failure(f"the migration stopped with SQLSTATE {cause.sqlstate}; nothing was changed")
    return Unavailable(
        "the database cannot be reached as fonds_migrator: check that the server runs, the URL and"
        " its password"
    )
