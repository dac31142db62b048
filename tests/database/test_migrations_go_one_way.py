"""Migrations run one at a time, once, whole or not at all; a wrong revision is named (R090)."""

# ruff: noqa: S608 - names of tables and columns come from the catalogue or from this file

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import Failure, Unavailable
from fonds.store import migrating, revision
from fonds.store.databases import create_database, drop_database
from fonds.store.migrating import migrate
from fonds.store.revision import WrongRevision, check_revision, head_revision
from fonds.store.share import share_path
from tests.database.pg_tools import schema_of
from tests.database.rows import Session, one
from tests.servers import Database, TestServer

VERSIONS = share_path("migrations/versions")
CANARY = "CANARY-7f3"

# A command of its own: the migrator's library keeps one run's state for a whole process.
RUN = """
import sys
from fonds.contract.failures import Failure
from fonds.store.migrating import migrate
try:
    sys.stdout.write(migrate(sys.argv[1]))
except Failure as failure:
    sys.stdout.write(str(failure))
"""


@pytest.fixture
def empty(server: TestServer) -> Generator[Database]:
    """A database of the administrator's making that no migration has seen."""
    made = Database(server, f"fonds_empty_{secrets.token_hex(4)}")
    create_database(server.admin_url(), made.name)
    yield made
    drop_database(server.admin_url(), made.name)


def test_each_revision_is_a_numbered_file_with_its_frozen_sql() -> None:
    """R090: `NNNN_name.py` and `NNNN_name.sql`, in one line from the first to the head."""
    scripts = sorted(VERSIONS.glob("*.py"))
    assert [file.stem for file in scripts] == sorted(file.stem for file in VERSIONS.glob("*.sql"))
    for number, file in enumerate(scripts, start=1):
        assert re.fullmatch(rf"{number:04}_[a-z0-9_]+", file.stem)
        written = file.read_text(encoding="utf-8")
        assert f'revision = "{number:04}"' in written
        before = f'"{number - 1:04}"' if number > 1 else "None"
        assert f"down_revision = {before}" in written
    assert head_revision() == scripts[-1].stem[:4]


def test_the_database_names_its_revision_to_every_login(database: Database) -> None:
    """R090: `api.revision()` equals the head, as the version table does."""
    for role in ("fonds_ingest", "fonds_build", "fonds_curator", "fonds_reader"):
        with psycopg.connect(database.url(role)) as session:
            assert one(session, "SELECT api.revision()") == head_revision()
    with psycopg.connect(database.admin_url) as session:
        assert one(session, "SELECT version_num FROM migration.revision") == head_revision()


def test_a_second_run_changes_nothing(database: Database) -> None:
    """R090: the same schema, and the same row of the version table, untouched."""
    row = "SELECT xmin::text || version_num FROM migration.revision"
    before = schema_of(database.admin_url)
    with psycopg.connect(database.admin_url, autocommit=True) as session:
        untouched = one(session, row)
        assert migrate(database.url("fonds_migrator")) == head_revision()
        assert one(session, row) == untouched
    assert schema_of(database.admin_url) == before


def test_another_revision_is_refused_with_both_and_the_remedy(database: Database) -> None:
    """R090: as the reader, which is who starts to serve."""
    with psycopg.connect(database.admin_url) as session:
        session.execute(
            "CREATE OR REPLACE FUNCTION api.revision() RETURNS text LANGUAGE sql AS $$"
            " SELECT '0000' $$"
        )
    with pytest.raises(WrongRevision) as refusal:
        check_revision(database.url("fonds_reader"))
    told = str(refusal.value)
    assert "0000" in told
    assert head_revision() in told
    assert "fonds migrate" in told


def test_a_database_without_a_schema_says_what_to_run(empty: Database) -> None:
    """R090: and once that has run, the same check passes."""
    with pytest.raises(WrongRevision, match="run fonds migrate"):
        check_revision(empty.url("fonds_reader"))
    assert migrate(empty.url("fonds_migrator")) == head_revision()
    check_revision(empty.url("fonds_reader"))


def test_only_the_migrator_migrates(empty: Database) -> None:
    """R090, R094: another login is refused by SQLSTATE, and leaves nothing."""
    before = schema_of(empty.admin_url)
    for role in ("fonds_ingest", "fonds_build", "fonds_reader"):
        with pytest.raises(Failure, match="42501"):
            migrate(empty.url(role))
    assert schema_of(empty.admin_url) == before


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(Unavailable):
        migrate("host=127.0.0.1 port=1 dbname=none user=fonds_migrator connect_timeout=1")


def test_two_first_runs_at_once_make_one_schema(empty: Database) -> None:
    """R090: one does it; the other finds it done or fails in one line, and the schema is whole."""
    both = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, empty.url("fonds_migrator")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    told = [process.communicate(timeout=60)[0].strip() for process in both]
    assert head_revision() in told
    assert all(
        line == head_revision() or re.fullmatch(r".*SQLSTATE \w{5};.*", line) for line in told
    )
    assert migrate(empty.url("fonds_migrator")) == head_revision()
    check_revision(empty.url("fonds_reader"))


def test_a_run_waits_for_the_one_before(database: Database) -> None:
    """R090: the version table is held for the whole run."""
    waiting = (
        "SELECT count(*) FROM pg_locks"
        " WHERE NOT granted AND relation = 'migration.revision'::regclass"
    )
    with psycopg.connect(database.admin_url) as holder, ThreadPoolExecutor(1) as thread:
        holder.execute("LOCK TABLE migration.revision IN ACCESS EXCLUSIVE MODE")
        second = thread.submit(migrate, database.url("fonds_migrator"))
        deadline = time.monotonic() + 60  # ends a test that hangs, no more
        while one(holder, waiting) == 0:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert not second.done()
        holder.commit()
        assert second.result(timeout=60) == head_revision()


@pytest.fixture
def next_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts one more revision after the head, from the template, holding the given SQL."""
    folder = tmp_path / "migrations"
    shutil.copytree(share_path("migrations"), folder)

    def there(relative: str) -> Path:
        return folder if relative == "migrations" else share_path(relative)

    for module in (migrating, revision):
        monkeypatch.setattr(module, "share_path", there)

    def add(written: str) -> None:
        head = head_revision()
        following = f"{int(head) + 1:04}"
        script = (folder / "script.py.mako").read_text(encoding="utf-8")
        for name, value in (
            ("${message}", "One more."),
            ("${repr(up_revision)}", repr(following)),
            ("${repr(down_revision)}", repr(head)),
        ):
            assert name in script
            script = script.replace(name, value)
        (folder / "versions" / f"{following}_more.py").write_text(script, encoding="utf-8")
        (folder / "versions" / f"{following}_more.sql").write_text(written, encoding="utf-8")

    return add


def test_a_percent_a_colon_and_a_dollar_are_sql(
    database: Database, next_revision: Callable[[str], None]
) -> None:
    """R090: a frozen file runs as written: `%s`, `:name` and `$1` are nobody's parameters."""
    literal = "100% of %s and %(name)s for :name, :: and $1 \\ {braces}"
    next_revision(f"CREATE TABLE private.odd AS SELECT $odd${literal}$odd$ AS said;")
    assert migrate(database.url("fonds_migrator")) == f"{int(head_revision()):04}"
    with psycopg.connect(database.admin_url) as session:
        assert one(session, "SELECT said FROM private.odd") == literal


def test_a_revision_that_fails_leaves_nothing_and_quotes_nothing(
    database: Database, next_revision: Callable[[str], None]
) -> None:
    """R090, R097: one transaction; the failure carries a SQLSTATE and no value."""
    before = schema_of(database.admin_url)
    next_revision(
        "CREATE TABLE private.odd (said text CHECK (length(said) < 3));"
        f" INSERT INTO private.odd VALUES ('{CANARY}');"
    )
    with pytest.raises(Failure, match="23514") as failure:
        migrate(database.url("fonds_migrator"))
    assert CANARY not in str(failure.value) + repr(failure.value)
    assert failure.value.__suppress_context__
    assert schema_of(database.admin_url) == before
    with psycopg.connect(database.admin_url) as session:
        _at(session, f"{int(head_revision()) - 1:04}")


def _at(session: Session, revision: str) -> None:
    assert one(session, "SELECT version_num FROM migration.revision") == revision
