"""Runs the migrations: as the migrator acting as owner, one run at a time, with timeouts."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

LOCK_TIMEOUT = "10s"
STATEMENT_TIMEOUT = "10min"


def run(connection: Connection) -> None:
    """Upgrades in one transaction; SQLSTATE 55P03 when another run holds the version table."""
    execute = connection.exec_driver_sql
    execute("SET ROLE fonds_owner")
    execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'")
    execute(f"SET statement_timeout = '{STATEMENT_TIMEOUT}'")
    execute("CREATE SCHEMA IF NOT EXISTS migration")
    connection.commit()
    context.configure(
        connection=connection,
        version_table="revision",
        version_table_schema="migration",
        transactional_ddl=True,
    )
    with context.begin_transaction():
        if connection.dialect.has_table(connection, "revision", schema="migration"):
            execute("LOCK TABLE migration.revision IN ACCESS EXCLUSIVE MODE")
        context.run_migrations()


run(context.config.attributes["connection"])
