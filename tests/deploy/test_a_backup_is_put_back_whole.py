"""A backup restored to a server that has nothing: the same answers, rights and policies; and what
is no backup never passes for one (R098, R197).
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
from collections.abc import Generator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from fonds.contract.failures import ValidationRefused
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.wire_response import search_response_json
from fonds.store.databases import ROLES, administering, set_password
from fonds.store.migrating import prepare_server
from fonds.store.scope_register import UnknownScopeKey
from tests.archives import essay, house_of, note, published, written
from tests.database.pg_tools import pg_tool, schema_of
from tests.database.rights import rights
from tests.database.rows import cloned
from tests.database.test_one_schema_two_ways import AROUND, LANGUAGES, SYSTEM
from tests.deploy.fresh import Fresh
from tests.deploy.saving import backup_role_made, put_back, saved
from tests.scopes import register
from tests.servers import Database, TestServer

QUESTIONS = ("Why does a kite need a tail?", "Where is the quillwort ledger?", "ferry timetables")
FILES = {
    "essays/on-kites.md": essay("On kites", "A kite needs a tail, since the wind is never even."),
    "notes/ledger.md": note("Blue notebook", "The zephyrine quillwort was counted twice."),
}


# A row that breaks its table's rule, as a disk or a hand may leave one.
DAMAGE: tuple[LiteralString, ...] = (
    "SET session_replication_role = replica",
    "ALTER TABLE private.fragment DROP CONSTRAINT private_is_not_quoted",
    "UPDATE private.fragment SET exposure = 'text' WHERE raw = 'private'",
    "ALTER TABLE private.fragment ADD CONSTRAINT private_is_not_quoted"
    " CHECK (NOT (raw = 'private' AND 'text' IN (exposure, file_exposure))) NOT VALID",
    "UPDATE pg_constraint SET convalidated = true WHERE conname = 'private_is_not_quoted'",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("archive"), FILES)


@pytest.fixture(scope="module")
def source(server: TestServer, template: str, folder: Path) -> Generator[Database]:
    """An archive, built and live, and the login that takes backups."""
    with cloned(server, template) as made:
        with house_of(folder, made) as house:
            published(house)
        backup_role_made(made.admin_url)
        yield made
    with administering(server.admin_url()) as session:
        session.execute("DROP OWNED BY fonds_backup")
        session.execute("DROP ROLE fonds_backup")


@pytest.fixture(scope="module")
def backup_url(source: Database) -> str:
    """The login of the backup, with a password of this test."""
    password = secrets.token_urlsafe(16)
    with administering(source.admin_url) as session:
        set_password(session, "fonds_backup", password)
    return make_conninfo(source.url("fonds_reader"), user="fonds_backup", password=password)


@pytest.fixture(scope="module")
def file(source: Database, backup_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The backup."""
    found = tmp_path_factory.mktemp("saved") / "fonds.dump"
    done = saved(backup_url, found)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{found}: 1 archives\n"
    return found


def answers(database: Database, folder: Path) -> list[str]:
    """What a caller is answered, byte for byte: searches as they stand on the wire, and asks."""
    with house_of(folder, database) as house:
        requests = [SearchRequest(question) for question in QUESTIONS]
        found = [json.dumps(search_response_json(house.search(one).response)) for one in requests]
        return found + [json.dumps(house.ask_unrecorded(one).as_json()) for one in requests]


def told(database: Database) -> str:
    """The schema, with the roles of each policy in one order: a server lists them by their age."""
    return re.sub(
        r"(?<= TO )fonds_\w+(?:, fonds_\w+)+",
        lambda named: ", ".join(sorted(named[0].split(", "))),
        schema_of(database.admin_url),
    )


def check_rights_are_alike(source: Database, restored: Database) -> None:
    """What no dump tells of, and what each login may do."""
    with (
        psycopg.connect(source.admin_url) as one,
        psycopg.connect(restored.admin_url) as other,
    ):
        # What a server has of its own is another's only where both are of one version.
        alike = one.info.server_version == other.info.server_version
        asked: list[LiteralString] = [AROUND, LANGUAGES, *([SYSTEM] if alike else [])]
        for question in asked:
            assert other.execute(question).fetchall() == one.execute(question).fetchall()
        for role in ROLES:
            assert rights(other, role) == rights(one, role)


def test_a_restored_archive_answers_as_the_saved_one(
    source: Database, fresh: Fresh, file: Path, folder: Path
) -> None:
    """R098: answers, when they were built, rights, policies, and what no dump tells of. In order:
    refused without its role, put back, not served before PUBLIC is shut out, refused over what is
    there.
    """
    admin = fresh.admin_url()
    lacking = put_back(admin, file)
    assert lacking.returncode == 1
    assert "lacks the roles fonds_backup:" in lacking.stderr
    backup_role_made(fresh.admin_url("fonds"))

    done = put_back(admin, file)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{source.name}: 1 archives; run 'fonds migrate --roles'" in done.stdout
    assert list(file.parent.iterdir()) == [file]
    restored = Database(fresh, source.name)
    with pytest.raises(ValidationRefused, match="language"):
        answers(restored, folder)
    prepare_server(admin, {role: restored.url(role) for role in ROLES})
    with pytest.raises(UnknownScopeKey, match="run fonds migrate with it"):
        answers(restored, folder)
    register(restored.admin_url)

    before = answers(source, folder)
    assert "builtAt" in before[0], "the premise: an answer tells when it was built"
    assert "A kite needs a tail" in before[0]
    assert answers(restored, folder) == before
    assert told(restored) == told(source)
    check_rights_are_alike(source, restored)

    over = put_back(admin, file)
    assert over.returncode == 1
    assert f"the database {source.name} holds archives" in over.stderr
    assert answers(restored, folder) == before


def test_a_backup_is_its_owners_alone_and_is_never_written_over(
    backup_url: str, file: Path
) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    held = file.read_bytes()
    again = saved(backup_url, file)
    assert again.returncode == 1
    assert "is there already" in again.stderr
    assert file.read_bytes() == held


@pytest.mark.parametrize("role", ROLES)
def test_no_login_of_ours_takes_an_empty_backup(
    source: Database, role: str, tmp_path: Path
) -> None:
    """R098: row security would leave a file without rows; none is left at all."""
    done = saved(source.url(role), tmp_path / "empty.dump")
    assert done.returncode == 1
    assert "sees no row past row security" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_there_is_said_in_one_line(source: Database, tmp_path: Path) -> None:
    programs = str(pg_tool("pg_dump", source.admin_url).parent)
    gone = f"host={tmp_path} dbname=fonds user=fonds_backup"
    done = saved(gone, tmp_path / "none.dump", programs=programs)
    assert done.returncode == 1
    assert done.stderr.startswith("backup: the database cannot be reached")
    assert done.stderr.count("\n") == 1


def test_a_dump_that_lacks_an_archive_is_taken_away_again(
    source: Database, backup_url: str, tmp_path: Path
) -> None:
    """What is counted is the file: here pg_dump ends well and leaves the archives out."""
    programs = tmp_path / "programs"
    programs.mkdir()
    wrapper = programs / "pg_dump"
    real = pg_tool("pg_dump", source.admin_url)
    wrapper.write_text(f'#!/bin/sh\nexec "{real}" --exclude-table-data=private.archive "$@"\n')
    wrapper.chmod(0o755)
    done = saved(
        backup_url, tmp_path / "short.dump", programs=f"{programs}{os.pathsep}{real.parent}"
    )
    assert done.returncode == 1
    assert "the file holds 0 of 1 archives" in done.stderr
    assert [found.name for found in tmp_path.iterdir()] == ["programs"]


def test_what_is_no_backup_or_half_of_one_leaves_nothing(
    fresh: Fresh, file: Path, tmp_path: Path
) -> None:
    """A file that breaks off in the middle: the database it had begun is dropped again."""
    other = tmp_path / "other.dump"
    other.write_text("a text")
    assert "is no backup" in put_back(fresh.admin_url(), other).stderr
    backup_role_made(fresh.admin_url("fonds"))
    half = tmp_path / "half.dump"
    half.write_bytes(file.read_bytes()[:-40])
    with psycopg.connect(fresh.admin_url(), autocommit=True) as session:
        before = _databases(session)
        name = sql.Identifier(next(iter(before - {"fonds", "postgres"}), "none"))
        session.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(name))
        before = _databases(session)
        broken = put_back(fresh.admin_url(), half)
        assert broken.returncode == 1
        assert "what it had made was dropped again" in broken.stderr
        assert _databases(session) == before


@pytest.mark.parametrize("named", ["damaged.dump", "d" * 255])
def test_a_row_that_stops_a_restore_is_quoted_to_nobody(
    server: TestServer,
    template: str,
    folder: Path,
    fresh: Fresh,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: str,
) -> None:
    """A damaged row: what the client says of it holds all of its text. Beside a backup whose name
    is as long as one may be, as in a folder that is only to be read, it has no place.
    """
    backup, spare = tmp_path / "backup", tmp_path / "spare"
    backup.mkdir()
    spare.mkdir()
    monkeypatch.setenv("TMPDIR", str(spare))
    with cloned(server, template) as damaged:
        with house_of(folder, damaged) as house:
            published(house)
        with psycopg.connect(damaged.admin_url, autocommit=True) as session:
            for statement in DAMAGE:
                session.execute(statement)
        file = tmp_path / "saved.dump"
        assert saved(damaged.admin_url, file).returncode == 0
    file = file.rename(backup / named)
    backup_role_made(fresh.admin_url("fonds"))
    done = put_back(fresh.admin_url(), file)
    kept = [one for one in (*backup.iterdir(), *spare.iterdir()) if one != file]
    assert (done.returncode, done.stdout, done.stderr.count("\n"), len(kept)) == (1, "", 1, 1)
    told = kept[0]
    assert told.parent == (spare if len(named) > 200 else backup)
    assert done.stderr.endswith(f"why is in {told}, which may quote private text\n")
    assert "quillwort" in told.read_text(), "the premise"
    assert stat.S_IMODE(told.stat().st_mode) == 0o600


def test_only_a_superuser_restores(fresh: Fresh, file: Path) -> None:
    done = put_back(fresh.url("fonds_migrator"), file)
    assert done.returncode == 1
    assert done.stderr.startswith("restore: ")


def _databases(session: psycopg.Connection[tuple[object, ...]]) -> set[str]:
    found = session.execute("SELECT datname FROM pg_database WHERE NOT datistemplate")
    return {str(name) for (name,) in found}
