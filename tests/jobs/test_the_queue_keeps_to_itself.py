"""The queue's login reaches no content, its rows hold none, and they go with their archive (R094,
R191, C02).
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from fonds.cli.main import run
from tests.jobs.queue_bed import Bed
from tests.scopes import COMMON

ARCHIVE_1 = (
    "INSERT INTO jobs.procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)"
    " VALUES ({queue}, {task}, {lock}, {once}, {args})"
)


def sessions(bed: Bed) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(bed.queue.url, autocommit=True) as session:
        yield session


queue_session = pytest.fixture(sessions, name="session")


def test_the_queues_login_reads_nothing_of_any_archive(
    bed: Bed, session: psycopg.Connection[tuple[object, ...]]
) -> None:
    bed.archive("a")
    tables = bed.rows(
        "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('private', 'served') AND c.relkind = 'r'"
    )
    assert len(tables) > 20
    for schema, table in tables:
        for verb in ("SELECT FROM {}", "DELETE FROM {}", "TRUNCATE {}"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(sql.SQL(verb).format(sql.Identifier(schema, table)))


def test_the_queues_login_takes_no_other_role_and_makes_nothing(
    session: psycopg.Connection[tuple[object, ...]],
) -> None:
    for attempt in (
        "SET ROLE fonds_owner",
        "SET ROLE fonds_ingest",
        "CREATE TEMPORARY TABLE t (a int)",
        "CREATE TABLE jobs.t (a int)",
        "CREATE FUNCTION jobs.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "DO $$ BEGIN END $$",
        "SELECT pg_notify('a', 'b')",
        "SELECT lo_create(0)",
        "TRUNCATE jobs.procrastinate_jobs",
        "UPDATE jobs.queue_version SET version = '0'",
        "DELETE FROM jobs.slot",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute(attempt.encode())


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("a_job_says_nothing_else", {"args": '{{"archive": {id}, "file": "notes/a.md"}}'}),
        ("a_job_says_nothing_else", {"args": '{{"archive": "{id}"}}'}),
        ("a_job_is_of_an_archive", {"args": "{{}}"}),
        ("a_job_waits_for_its_archive", {"lock": "archive:0"}),
        ("a_job_waits_for_its_archive", {"lock": None}),
        ("a_job_waits_for_its_archive", {"queue": "default"}),
        ("a_job_is_queued_once", {"once": "other"}),
        ("a_job_is_queued_once", {"once": None}),
        (
            "a_job_has_a_name",
            {"task": "On the words of a note", "once": "On the words of a note:{id}"},
        ),
        (
            "a_job_goes_with_its_archive",
            {
                "args": '{{"archive": 0}}',
                "queue": "archive:0",
                "lock": "archive:0",
                "once": "ingest:0",
            },
        ),
    ],
)
def test_a_row_of_the_queue_names_an_archive_and_says_nothing_else(
    bed: Bed,
    session: psycopg.Connection[tuple[object, ...]],
    rule: str,
    changes: dict[str, str | None],
) -> None:
    """R191: no path and no word gets into the queue, also not past the library's functions."""
    number = bed.archive("a").archive_id
    lawful: dict[str, str | None] = {
        "queue": "archive:{id}",
        "task": "ingest",
        "lock": "archive:{id}",
        "once": "ingest:{id}",
        "args": '{{"archive": {id}}}',
    }
    for row in (lawful, lawful | changes):
        values = {
            key: sql.Literal(None if value is None else value.format(id=number))
            for key, value in row.items()
        }
        statement = sql.SQL(ARCHIVE_1).format(**values)
        if row is lawful:
            session.execute(statement)  # the premise
            session.execute("DELETE FROM jobs.procrastinate_jobs")
            continue
        with pytest.raises(psycopg.errors.IntegrityError) as refused:
            session.execute(statement)
        assert refused.value.diag.constraint_name == rule


def test_removing_an_archive_removes_its_jobs_and_no_others(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FONDS_HOST_URL", bed.database.url("fonds_host"))
    monkeypatch.setenv("FONDS_SCOPE_KEY", COMMON)
    going, staying = bed.archive("going", build="30 4 * * *"), bed.archive("staying")
    for archive in (going, staying):
        for job in ("ingest", "build"):
            bed.queue.enqueue(archive.archive_id, job)
        bed.queue.take_slot(archive.archive_id, "build", bed.queue.now())
    worker_id = bed.queue.register()
    taken = bed.queue.take(worker_id, [going.archive_id])
    other = bed.queue.take(worker_id, [staying.archive_id])
    assert taken is not None
    assert other is not None
    assert bed.rows("SELECT api.unremovable()") == []
    assert run(["archive", "remove", "going", "--yes"]) == 0
    left = {
        table: bed.rows(f"SELECT DISTINCT archive_id FROM jobs.{table}")  # noqa: S608
        for table in ("procrastinate_jobs", "attempt", "slot")
    }
    assert set(left) == {
        name
        for (name,) in bed.rows(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " WHERE c.relnamespace = 'jobs'::regnamespace AND a.attname = 'archive_id'"
            " AND c.relkind = 'r'"
        )
    }
    assert set(map(str, left.values())) == {str([(staying.archive_id,)])}
    assert bed.rows("SELECT count(DISTINCT job_id) FROM jobs.procrastinate_events") == [(2,)]
    # Whoever ran a job of the archive that is gone has nothing to say of it, and nothing fails.
    assert not bed.queue.finish(taken, "done", 0)
    assert bed.queue.finish(other, "done", 0)


def test_every_table_with_an_archive_is_under_forced_row_security(bed: Bed) -> None:
    assert (
        bed.rows(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " WHERE c.relnamespace = 'jobs'::regnamespace AND a.attname = 'archive_id'"
            " AND c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"
        )
        == []
    )
    with psycopg.connect(bed.database.url("fonds_migrator")) as session:
        session.execute("SET ROLE fonds_owner")
        bed.archive("a", build="30 4 * * *")
        bed.queue.enqueue(bed.archive("a").archive_id, "ingest")
        for table in ("procrastinate_jobs", "attempt", "slot"):
            seen = session.execute(sql.SQL("SELECT FROM jobs.{}").format(sql.Identifier(table)))
            assert seen.fetchall() == []
