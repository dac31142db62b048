"""The queue's tables come from its library and from nowhere else: made, brought up to date, or
refused with the remedy (R090, R191).
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from fonds.contract.failures import Failure
from fonds.store.databases import create_database, drop_database
from fonds.store.migrating import migrate
from fonds.store.queue_schema import (
    QueueMissing,
    check_queue,
    install_queue,
    installed_library,
)
from fonds.store.share import share_path
from tests.database.pg_tools import schema_of
from tests.database.rows import cloned
from tests.servers import Database, TestServer

# What a library's object is, without the order in which its columns came to be.
CATALOGUE: LiteralString = r"""
    SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
           pg_get_expr(d.adbin, d.adrelid)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = 'jobs'::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped
    UNION ALL
    SELECT 'function', p.proname, pg_get_function_identity_arguments(p.oid),
           regexp_replace(p.prosrc, '\s+', ' ', 'g'), p.proconfig::text, p.proacl::text
      FROM pg_proc p WHERE p.pronamespace = 'jobs'::regnamespace
    UNION ALL
    SELECT 'trigger', t.tgrelid::regclass::text, t.tgname, t.tgfoid::regproc::text,
           t.tgenabled::text, NULL
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = 'jobs'::regnamespace AND NOT t.tgisinternal
    UNION ALL
    SELECT 'index', indexname, tablename, indexdef, NULL, NULL
      FROM pg_indexes WHERE schemaname = 'jobs'
    UNION ALL
    SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), NULL, NULL
      FROM pg_constraint WHERE connamespace = 'jobs'::regnamespace AND contype <> 'n'
    UNION ALL
    SELECT 'label', t.typname, e.enumlabel, NULL, NULL, NULL
      FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
     ORDER BY 1, 2, 3, 4
"""
OLDER = "03.03"  # a version that lacks what later ones brought


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def bare(database: Database) -> Database:
    """A migrated database as one is that was made without the extra."""
    with psycopg.connect(database.admin_url) as session:
        session.execute("DROP SCHEMA jobs CASCADE")
        session.execute("SET ROLE fonds_owner")
        session.execute(share_path("db/jobs.sql").read_bytes())
    return database


def catalogue(of: Database) -> list[tuple[object, ...]]:
    with psycopg.connect(of.admin_url) as session:
        return session.execute(CATALOGUE).fetchall()


def recorded(of: Database, **values: object) -> None:
    with psycopg.connect(of.admin_url) as session:
        for column, value in values.items():
            session.execute(
                f"UPDATE jobs.queue_version SET {column} = %s".encode(),  # noqa: S608
                (value,),
            )


def test_the_queue_is_what_the_library_says_and_what_we_add(server: TestServer) -> None:
    """The library's own text, put beside ours by hand, is what `fonds migrate` made."""
    made: list[str] = []
    for by_hand in (True, False):
        name = f"fonds_queue_{int(by_hand)}"
        database = Database(server, name)
        create_database(server.admin_url(), name)
        try:
            migrate(database.url("fonds_migrator"))
            if by_hand:
                with psycopg.connect(database.admin_url) as session:
                    session.execute("DROP SCHEMA jobs CASCADE")
                    session.execute("SET ROLE fonds_owner")
                    session.execute(share_path("db/jobs.sql").read_bytes())
                    session.execute("SET search_path = jobs, pg_catalog")
                    session.execute(SchemaManager.get_schema())
                    session.execute(share_path("db/queue.sql").read_bytes())
            made.append(schema_of(database.admin_url))
        finally:
            drop_database(server.admin_url(), name)
    assert made[0] == made[1]
    assert "procrastinate_fetch_job" in made[0]


def test_a_second_run_changes_nothing(shared: Database) -> None:
    with psycopg.connect(shared.admin_url) as session:
        asked: LiteralString = (
            "SELECT version, migrations, schema_hash, installed_at FROM jobs.queue_version"
        )
        before = session.execute(asked).fetchall()
        assert install_queue(shared.url("fonds_migrator")) == installed_library()
        assert session.execute(asked).fetchall() == before
    assert len(before) == 1
    check_queue(shared.url("fonds_queue"))


def test_an_older_queue_is_brought_up_by_the_librarys_own_migrations(
    bare: Database, shared: Database
) -> None:
    """Rows that wait are there afterwards, and the tables are those of a fresh installation."""
    library = installed_library()
    assert library is not None
    old = [name for name in library.migrations if name[:5] <= OLDER]
    assert 0 < len(old) < len(library.migrations)
    folder = Path(SchemaManager.get_migrations_path())
    with psycopg.connect(bare.admin_url) as session:
        session.execute("SET ROLE fonds_owner")
        session.execute("SET search_path = jobs, pg_catalog")
        for name in old:
            session.execute((folder / name).read_bytes())
        session.execute(share_path("db/queue.sql").read_bytes())
        session.execute(
            "INSERT INTO jobs.queue_version (version, migrations, schema_hash)"
            " VALUES ('3.3.0', %s, repeat('0', 64))",
            (old,),
        )
        session.execute("RESET ROLE")
        session.execute(
            "INSERT INTO private.archive (slug, name, author, base_url)"
            " VALUES ('a', 'N', 'A', 'https://e.org')"
        )
        session.execute(
            "INSERT INTO jobs.procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)"
            " VALUES ('archive:1', 'ingest', 'archive:1', 'ingest:1', '{\"archive\": 1}')"
        )
    with pytest.raises(QueueMissing, match="run fonds migrate"):
        check_queue(bare.url("fonds_queue"))
    install_queue(bare.url("fonds_migrator"))
    check_queue(bare.url("fonds_queue"))
    assert catalogue(bare) == catalogue(shared)
    with psycopg.connect(bare.url("fonds_queue")) as session:
        told = session.execute("SELECT task_name, archive_id FROM jobs.procrastinate_jobs")
        assert told.fetchall() == [("ingest", 1)]


def test_a_younger_queue_is_refused_and_left_as_it_is(shared: Database) -> None:
    library = installed_library()
    assert library is not None
    recorded(shared, version="9.0.0", migrations=[*library.migrations, "09.00.00_01_pre_x.sql"])
    before = catalogue(shared)
    try:
        with pytest.raises(QueueMissing, match=r"9\.0\.0.*older is installed.*nothing was changed"):
            install_queue(shared.url("fonds_migrator"))
        assert catalogue(shared) == before
    finally:
        recorded(shared, version=library.version, migrations=list(library.migrations))


def test_tables_that_changed_without_a_migration_are_refused(shared: Database) -> None:
    library = installed_library()
    assert library is not None
    recorded(shared, version="3.9.0", schema_hash="0" * 64)
    try:
        with pytest.raises(QueueMissing, match=r"other tables than 3\.9\.0 and no migration"):
            install_queue(shared.url("fonds_migrator"))
    finally:
        recorded(shared, version=library.version, schema_hash=library.schema_hash)


def test_without_the_extra_the_rest_is_migrated_and_the_queue_is_refused_with_its_remedy(
    bare: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "procrastinate.schema", None)
    assert installed_library() is None
    assert migrate(bare.url("fonds_migrator")) == "0001"
    with pytest.raises(QueueMissing, match=r'pip install "fonds\[jobs\]"') as refused:
        check_queue(bare.url("fonds_queue"))
    assert refused.value.exit_code == 2
    monkeypatch.undo()
    with pytest.raises(QueueMissing, match="has no job queue yet: run fonds migrate"):
        check_queue(bare.url("fonds_queue"))
    migrate(bare.url("fonds_migrator"))
    check_queue(bare.url("fonds_queue"))


def test_an_installation_that_fails_leaves_nothing(
    bare: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = catalogue(bare)
    broken = SchemaManager.get_schema() + "SELECT no_such_thing;"
    monkeypatch.setattr(SchemaManager, "get_schema", staticmethod(lambda: broken))
    with pytest.raises(Failure, match="SQLSTATE"):
        install_queue(bare.url("fonds_migrator"))
    assert catalogue(bare) == before
