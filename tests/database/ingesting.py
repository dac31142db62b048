"""What tests of ingest look at: all rows of a schema, as the superuser sees them."""

from __future__ import annotations

from typing import LiteralString

import psycopg
from psycopg import sql

from tests.scopes import enter
from tests.servers import Database


def rows_of(database: Database, query: LiteralString) -> list[tuple[object, ...]]:
    with psycopg.connect(database.admin_url) as session:
        return session.execute(query).fetchall()


def change(database: Database, statement: LiteralString) -> None:
    """Runs a statement within the first archive, past every right."""
    with psycopg.connect(database.admin_url) as session:
        enter(session, 1)
        session.execute(statement)


def everything(database: Database, schema: str) -> str:
    """Every value of every table of a schema as one text: a sweep for a word that must be gone."""
    with psycopg.connect(database.admin_url) as session:
        tables = session.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", (schema,)
        ).fetchall()
        swept = [
            str(row)
            for (table,) in tables
            for row in session.execute(
                sql.SQL("SELECT to_jsonb(t) FROM {} AS t").format(sql.Identifier(schema, table))
            )
        ]
    return "\n".join(swept)


def row_versions(database: Database) -> list[tuple[object, ...]]:
    """Where each private row stands and who wrote it: equal only when no row was written."""
    return [
        *rows_of(
            database, "SELECT ctid::text, xmin::text, source_key FROM private.source ORDER BY 3"
        ),
        *rows_of(
            database, "SELECT ctid::text, xmin::text, entity_id FROM private.entity ORDER BY 3"
        ),
        *rows_of(
            database, "SELECT ctid::text, xmin::text, fragment_id FROM private.fragment ORDER BY 3"
        ),
        *rows_of(
            database, "SELECT ctid::text, xmin::text, fragment_id FROM private.embedding ORDER BY 3"
        ),
    ]


def fragment_ids(database: Database) -> list[str]:
    return [
        str(one)
        for (one,) in rows_of(database, "SELECT fragment_id FROM private.fragment ORDER BY 1")
    ]
