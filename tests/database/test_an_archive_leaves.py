"""An archive is erased with all that refers to it, by what the catalogue says, and nothing of
another is touched (R192).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from fonds.contract.allowances import Allowances
from fonds.contract.api_key import minted_key
from fonds.contract.failures import Busy, NotAdmitted, StoreRefused, ValidationRefused
from fonds.store.archive_register import past_removals, remove_archive, standing_archives
from fonds.store.archives import CLOSED, job_lock, open_archive, register_archive
from fonds.store.door import PostgresDoor
from fonds.store.key_store import PostgresKeyStore
from fonds.store.pools import Pool, transaction
from tests.database import rows
from tests.database.lawful_rows import LAWFUL, lay_ground
from tests.database.rows import Session, act, column, one, put
from tests.scopes import enter
from tests.servers import Database

PoolOf = Callable[..., Pool]
OWN_KEY = "private.archive"  # the rows of an archive and of what outlives it
OUTLIVES = "private.removal"
TABLES = [table for table in LAWFUL if table not in {OWN_KEY, OUTLIVES}]


QUEUED: tuple[LiteralString, ...] = (
    "INSERT INTO jobs.procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)"
    " VALUES ('archive:1', 'ingest', 'archive:1', 'ingest:1', '{\"archive\": 1}')",
    "INSERT INTO jobs.slot VALUES (1, 'ingest', now())",
    "INSERT INTO jobs.attempt (archive_id, job, job_id) VALUES (1, 'ingest', 1)",
)


@contextmanager
def administering(database: Database) -> Generator[Session]:
    with psycopg.connect(database.admin_url) as session:
        yield session


def rows_by_archive(session: Session) -> dict[str, set[int]]:
    """Table -> archives it holds rows of, by every table of the catalogue that names any."""
    found: dict[str, set[int]] = {}
    for table in column(
        session,
        "SELECT attrelid::regclass::text FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid"
        " WHERE relkind = 'r' AND attname = 'archive_id' AND NOT attisdropped",
    ):
        schema, name = str(table).split(".")
        query = sql.SQL("SELECT DISTINCT archive_id FROM {}").format(sql.Identifier(schema, name))
        found[str(table)] = {int(row[0]) for row in session.execute(query).fetchall()}
    return found


def fill(session: Session, *, others: bool = True) -> None:
    """Archive 1 with a row in every table; archive 3 with rows of its own beside it."""
    lay_ground(session)
    enter(session, 1)
    for table in TABLES:
        if table != "private.access":
            put(session, table, LAWFUL[table])
    for queued in QUEUED:
        session.execute(queued)
    if others:
        assert rows.registered(session, "other") == 3
        rows.stored(session, 3)
        rows.served(session, 3, 1)
        rows.go_live(session, 3, 1)
        session.execute("RESET ROLE")
        for queued in QUEUED:
            session.execute(queued.replace("1", "3"))


def registers(host: Pool, allowances: Allowances = CLOSED) -> int:
    return register_archive(
        host,
        slug="first",
        name="N",
        author="A",
        base_url="https://e.org",
        allowances=allowances,
    )


def remove(database: Database, pool_of: PoolOf, archive_id: int = 1, *, portion: int = 1) -> int:
    host = pool_of("fonds_host")
    return remove_archive(database.login("fonds_host"), host, archive_id, portion=portion)


def test_nothing_of_a_removed_archive_is_left_and_nothing_of_another_is_gone(
    database: Database, pool_of: PoolOf
) -> None:
    """R192: every table there is, one row a portion; what remains is the note of the removal."""
    with administering(database) as session:
        fill(session)
        before = rows_by_archive(session)
        session.commit()
        assert [table for table, ids in before.items() if 1 not in ids] == [OUTLIVES]
    gone = remove(database, pool_of)
    with administering(database) as session:
        after = rows_by_archive(session)
    assert after.pop(OUTLIVES) == {1}
    before.pop(OUTLIVES)
    assert after == {table: ids - {1} for table, ids in before.items()}
    assert gone >= len(TABLES) - 1  # the locks of its jobs go with its own row
    noted = past_removals(pool_of("fonds_host"))
    assert [(one.archive_id, one.actor, one.row_count) for one in noted] == [
        (1, "fonds_host", gone)
    ]


def test_a_table_that_came_later_goes_with_the_archive(database: Database, pool_of: PoolOf) -> None:
    """R192: found by its foreign key, whatever its column is called; no list names it."""
    with administering(database) as session:
        fill(session, others=False)
        session.execute(
            "CREATE TABLE served.later (whose integer PRIMARY KEY REFERENCES private.archive ON"
            " DELETE CASCADE); INSERT INTO served.later VALUES (1), (2)"
        )
        session.commit()
    remove(database, pool_of, portion=1000)
    with administering(database) as session:
        assert column(session, "SELECT whose FROM served.later") == [2]


KEEPERS: tuple[tuple[LiteralString, LiteralString], ...] = (
    ("api.later", "(archive_id integer)"),
    ("private.later", "(a integer REFERENCES private.archive)"),
    (
        "private.later",
        "(a integer, f text, FOREIGN KEY (a, f) REFERENCES private.fragment ON DELETE SET NULL)",
    ),
    ("queue.later", "(archive_id integer)"),
)


def test_a_table_that_would_keep_something_stops_the_removal(
    database: Database, pool_of: PoolOf
) -> None:
    """R192: refused by the table's name, before anything is gone or anybody is shut out."""
    with administering(database) as session:
        fill(session, others=False)
        session.execute("CREATE SCHEMA queue")
        before = rows_by_archive(session)
    for name, columns in KEEPERS:
        with administering(database) as session:
            session.execute(sql.SQL("CREATE TABLE {} {}").format(sql.SQL(name), sql.SQL(columns)))
        with pytest.raises(ValidationRefused, match=f"would not reach {name}: nothing was removed"):
            remove(database, pool_of)
        with administering(database) as session:
            session.execute(sql.SQL("DROP TABLE {}").format(sql.SQL(name)))
    with administering(database) as session:
        assert rows_by_archive(session) == before
        assert column(session, "SELECT leaving_at FROM private.archive") == [None, None]


@pytest.mark.parametrize(("role", "job"), [("fonds_ingest", "ingest"), ("fonds_build", "build")])
def test_a_removal_beside_a_running_job_is_refused(
    database: Database, pool_of: PoolOf, archive_id: int, role: str, job: str
) -> None:
    with job_lock(database.login(role), archive_id, job):
        with pytest.raises(Busy, match="a job of this archive is running"):
            remove(database, pool_of, archive_id)
        assert open_archive(pool_of("fonds_reader"), "example") == archive_id
    remove(database, pool_of, archive_id)
    assert standing_archives(pool_of("fonds_host")) == ()


def test_no_job_begins_while_an_archive_leaves(
    database: Database, pool_of: PoolOf, archive_id: int
) -> None:
    """The removal holds the jobs from before its first row goes until after its last."""
    refused: list[str] = []

    def meanwhile(gone: int) -> None:
        with (
            pytest.raises(Busy) as busy,
            job_lock(database.login("fonds_ingest"), archive_id, "ingest"),
        ):
            pass
        refused.append(str(busy.value))

    host = pool_of("fonds_host")
    remove_archive(database.login("fonds_host"), host, archive_id, portion=1, on_portion=meanwhile)
    assert refused


def test_from_the_first_moment_nobody_reads_or_enters(database: Database, pool_of: PoolOf) -> None:
    """R095, R192: while rows go, a reader sees no build, the door opens to nobody, an ingest does
    not bring the archive back.
    """
    host, reader = pool_of("fonds_host"), pool_of("fonds_reader")
    with administering(database) as session:
        fill(session)
        session.commit()
    registers(host, Allowances(anonymous=True))
    key = minted_key()
    PostgresKeyStore(host, 1).mint(key.digest, ("search",), "k", None)
    door = PostgresDoor(reader)
    assert door.admit("first", key.text, "search").archive_id == 1
    seen: list[object] = []

    def meanwhile(gone: int) -> None:
        for presented in (None, key.text):
            with pytest.raises(NotAdmitted):
                door.admit("first", presented, "search")
        with pytest.raises(Busy, match="is being removed"):
            registers(host)
        with transaction(reader, 1) as connection:
            seen.extend(connection.execute("SELECT fragment_id FROM served.fragment").fetchall())

    remove_archive(database.login("fonds_host"), host, 1, portion=5, on_portion=meanwhile)
    assert seen == []
    with transaction(reader, 3) as connection:
        assert connection.execute("SELECT count(*) FROM served.fragment").fetchone() == (1,)
    # Its name is free again, and the new archive is another.
    assert registers(host) not in {1, 3}


def test_a_removal_that_died_is_completed_by_the_next(database: Database, pool_of: PoolOf) -> None:
    with administering(database) as session:
        fill(session)
        session.commit()
    host = pool_of("fonds_host")

    class DiedError(Exception):
        pass

    def dies(gone: int) -> None:
        if gone > 5:
            raise DiedError

    with pytest.raises(DiedError):
        remove_archive(database.login("fonds_host"), host, 1, portion=1, on_portion=dies)
    leaving = {found.slug: found.leaving_at is not None for found in standing_archives(host)}
    assert leaving == {"bare": False, "first": True, "other": False}
    remove(database, pool_of)
    assert [found.slug for found in standing_archives(host)] == ["bare", "other"]


def test_rows_of_an_archive_that_stays_are_not_erased(
    database: Database, pool_of: PoolOf, archive_id: int
) -> None:
    """The functions of a removal do nothing to an archive that is not leaving, or to no scope."""
    host = pool_of("fonds_host")
    for statement in ("SELECT api.remove_portion(10)", "SELECT api.finish_removal(0)"):
        with pytest.raises(StoreRefused, match="55000"), transaction(host, archive_id) as session:
            session.execute(statement.encode())
        with pytest.raises(StoreRefused, match="55000"), transaction(host, 404) as session:
            session.execute(statement.encode())
    assert open_archive(host, "example") == archive_id


def test_erasing_leaves_no_trace_in_ledger_or_counters(database: Database, pool_of: PoolOf) -> None:
    """A narrowing or a tombstone a row would cost more than the rows, and go at once."""
    with administering(database) as session:
        fill(session, others=False)
        session.execute("UPDATE private.archive SET leaving_at = now() WHERE archive_id = 1")
        before = one(session, "SELECT narrowing FROM private.archive WHERE archive_id = 1")
        act(session, "none", 1)
        session.execute("DELETE FROM private.fragment; DELETE FROM private.projection")
        assert one(session, "SELECT narrowing FROM private.archive WHERE archive_id = 1") == before
        assert (
            column(session, "SELECT removed_at FROM private.ledger WHERE removed_at IS NOT NULL")
            == []
        )
        session.rollback()
