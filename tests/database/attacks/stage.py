"""Every login as an attacker, and the database it attacks.

Whoever holds a login's password drops what its sessions begin with (read-only mode, timeouts) and
sends what SQL it likes, in the scope of whichever archive it names. Tried for all seven:

- to read: rows, files, large objects, statements and sizes of others;
- to widen: create, grant, alter, become another, load code, run programs;
- to outlive: plans, cursors, savepoints and settings from before another scope;
- to hinder: locks, channels, other sessions, truncation.

By login: the reader infers hidden rows from plans, statistics, errors and sizes; host and queue
look for content at all; ingest reads bodies back and brings private material back as public; build
lays names of its own before functions of others, breaks off in the middle and meets another build;
curator and migrator empty tables and read past row security.

Elsewhere in `tests/database`: each verb on each relation and function
(`a_reader_reaches_nothing_else`, `rights_are_exactly_these`), rows of other archives
(`archives_are_apart`), forged scopes (`scope_decides_what_is_seen`), pools
(`pools_forget_everything`), each misgrant (`misgrants`). What Postgres gives every login has a test
that shows it, named as a limit.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import LiteralString

import psycopg

from tests.database import rows
from tests.database.rows import Session, act, put
from tests.scopes import scoped
from tests.servers import Database

CANARY = "CANARY-9d2"
DROPPED: tuple[LiteralString, ...] = (
    "RESET ALL",
    "SET default_transaction_read_only = off",
    "SET statement_timeout = 0",
    "SET lock_timeout = 0",
    "SET idle_in_transaction_session_timeout = 0",
)


def lay(session: Session) -> None:
    """Three archives with a live build each: public texts, of which the second's says the canary,
    and a private description.
    """
    for slug in ("one", "two", "three"):
        archive_id = rows.registered(session, slug)
        rows.stored(session, archive_id)
        if slug == "three":
            act(session, "fonds_curator", archive_id)
            put(session, "private.projection", rows.projection(archive_id))
        rows.served(session, archive_id, 1, public=slug != "three")
        rows.go_live(session, archive_id, 1)
    act(session, "fonds_build", 2)
    session.execute("UPDATE served.fragment SET text = %s, label = %s", (CANARY, CANARY))
    session.execute(
        "UPDATE served.fragment SET date = '1911-05-06', date_start = '1911-05-06',"
        " date_end = '1911-05-06'"
    )
    # So many that a plan which went by them would say so.
    session.execute(
        "INSERT INTO served.fragment SELECT (jsonb_populate_record(f, jsonb_build_object("
        " 'fragment_id', 'note:a#more-' || n))).* FROM served.fragment f, generate_series(1, 600) n"
    )
    act(session, "fonds_curator", 2)
    put(session, "private.projection", rows.projection(2, gist=CANARY))
    session.execute("RESET ROLE")


@contextmanager
def attacking(database: Database, role: str, archive_id: int = 1) -> Generator[Session]:
    """A session of a login without its defaults, in a transaction that is rolled back."""
    with scoped(database.url(role), archive_id, autocommit=False) as session:
        session.prepare_threshold = None
        for statement in DROPPED:
            session.execute(statement)
        session.commit()
        try:
            yield session
        finally:
            if not session.closed:
                session.rollback()


def refusal(session: Session, statement: LiteralString) -> str | None:
    """The code a statement is refused with; None when it is carried out, and then it is undone."""
    try:
        with session.transaction(force_rollback=True), session.cursor() as cursor:
            if statement.startswith("COPY") and "STDOUT" in statement:
                with cursor.copy(statement) as copied:
                    list(copied)
            else:
                cursor.execute(statement)
    except psycopg.Error as trouble:
        return trouble.sqlstate
    return None
