"""A database that is not ready, an archive that is empty: one line, the remedy, the right code."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg
import pytest

from tests.archives import essay, written
from tests.cli.conftest import Ran
from tests.servers import Database

Fonds = Callable[..., Ran]
COMMANDS = (
    ("ingest",),
    ("build",),
    ("builds",),
    ("rollback",),
    ("validate",),
    ("search", "kites"),
    ("ask", "kites?"),
    ("gist", "import", "gists.json"),
    ("gist", "list"),
    ("gist", "veto", "note:a#1"),
    ("eval",),
    ("scores",),
    ("gate", "fit"),
    ("gate", "measure"),
    ("gate", "show"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = written(tmp_path / "archive", {"essays/a.md": essay("A", "Kites over the dyke.")})
    (folder / "gold.yaml").write_text(
        "queries:\n- id: a\n  query: kites?\n  expectAnswerMode: not-found\n", encoding="utf-8"
    )
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[evaluation]\ngold = "gold.yaml"\n')
    return folder


def complaints(fonds: Fonds, folder: Path) -> dict[Sequence[str], str]:
    """What each command says of a state it cannot work in; each says it on one line, with 1."""
    said: dict[Sequence[str], str] = {}
    for command in COMMANDS:
        ran = fonds(*command, "--archive", folder)
        assert (ran.code, ran.out) == (1, ""), command
        assert len(ran.err.splitlines()) == 1, command
        said[command] = ran.err
    return said


def test_a_database_of_another_revision_is_named_by_every_command(
    folder: Path, fonds: Fonds, database: Database
) -> None:
    """R090: which revision it has, which is needed, and what to run."""
    with psycopg.connect(database.admin_url) as session:
        session.execute(
            "CREATE OR REPLACE FUNCTION api.revision() RETURNS text"
            " LANGUAGE sql AS $$SELECT '0000'$$"
        )
    for command, said in complaints(fonds, folder).items():
        assert "at revision 0000, this code needs 0001: run fonds migrate" in said, command


def test_a_database_without_a_schema_is_named_by_every_command(
    folder: Path, fonds: Fonds, database: Database
) -> None:
    with psycopg.connect(database.admin_url) as session:
        session.execute("DROP SCHEMA api CASCADE")
    for command, said in complaints(fonds, folder).items():
        assert "no schema yet: run fonds migrate" in said, command


def test_a_database_that_refuses_says_its_sqlstate_alone(
    folder: Path, fonds: Fonds, database: Database
) -> None:
    """R097."""
    with psycopg.connect(database.admin_url) as session:
        session.execute(
            "CREATE OR REPLACE FUNCTION api.revision() RETURNS text"
            " LANGUAGE sql AS $$SELECT ('sesame' || 1)::integer::text$$"
        )
    for command, said in complaints(fonds, folder).items():
        assert said == "fonds: the database refused a statement: SQLSTATE 22P02\n", command


def test_a_database_of_a_later_version_is_left_alone(fonds: Fonds, database: Database) -> None:
    with psycopg.connect(database.admin_url) as session:
        session.execute("UPDATE migration.revision SET version_num = '9999'")
    ran = fonds("migrate")
    assert (ran.code, ran.out) == (1, "")
    assert "does not know: install the version that made it" in ran.err
    with psycopg.connect(database.admin_url) as session:
        assert session.execute("TABLE migration.revision").fetchall() == [("9999",)]


def test_an_archive_that_was_never_ingested_says_what_to_run(folder: Path, fonds: Fonds) -> None:
    for command in COMMANDS[1:]:
        ran = fonds(*command, "--archive", folder)
        assert ran.code == 1, command
        assert "run fonds ingest" in ran.err, command


def test_builds_of_an_ingested_archive_are_none_and_it_says_so(folder: Path, fonds: Fonds) -> None:
    fonds("ingest", "--archive", folder)
    ran = fonds("builds", "--archive", folder)
    assert (ran.code, ran.out, ran.err) == (0, "", "no build yet: run fonds build\n")
    checked = fonds("build", "--dry-run", "--archive", folder)
    assert checked.out.startswith("checked, nothing kept: 1 entities, 1 fragments\n")
    assert json.loads(fonds("builds", "--archive", folder, "--json").out) == {"builds": []}
    assert (
        json.loads(fonds("build", "--yes", "--archive", folder, "--json").out)["switched"] is True
    )
    for role in ("reader", "host", "queue"):
        ran = fonds("validate", "--role", role, "--archive", folder)
        assert ran.err == ""
        proved = ran.out.splitlines()
        assert [line.split(": ")[0] for line in proved] == [f"fonds_{role}"] * 28
    again = fonds("build", "--yes", "--archive", folder)
    assert again.out == "nothing changed: build 1 stays live (1 entities, 1 fragments)\n"


def test_an_administrators_url_needs_the_roles_urls_beside_it(
    fonds: Fonds, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    """Else the embedded server would be started in place of the one that was meant."""
    monkeypatch.setenv("FONDS_ADMIN_URL", "host=127.0.0.1 password=sesame")
    for role in ("MIGRATOR", "INGEST", "BUILD", "CURATOR", "READER", "HOST", "QUEUE"):
        monkeypatch.delenv(f"FONDS_{role}_URL")
    ran = fonds("migrate", "--roles")
    assert (ran.code, ran.out) == (2, "")
    assert "needs FONDS_DATABASE_URL" in ran.err
    monkeypatch.setenv("FONDS_DATABASE_URL", "host=127.0.0.1 port=1 dbname=fonds")
    ran = fonds("migrate", "--roles")
    assert (ran.code, len(ran.err.splitlines())) == (69, 1)
    assert "sesame" not in ran.err
    assert fonds("migrate").code == 69
