"""R020, R191: `fonds ingest --report`, and what a run that finds nothing changed does."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.archives import essay, note, written
from tests.cli.conftest import Ran
from tests.database.ingesting import rows_of
from tests.servers import Database

Fonds = Callable[..., Ran]
READ = (".md", ".mdx", ".txt", ".epub", ".docx", ".pdf")
COUNTED = ("done", "unchanged", "drafts", "leftOut")


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    """Two good files, once ingested, and one of every kind of trouble."""
    files = {
        "essays/kites.md": essay("On Kites", "The kite was let go of at noon."),
        "notes/ilse.md": note("A note", "She owed Tolliver forty crowns."),
        "notes/pier.md": note("Another", "The lantern was never lit."),
        "essays/gone.md": essay("Gone", "This leaves the folder."),
    }
    made = written(tmp_path / "archive", files)
    assert fonds("ingest", "--archive", made).code == 0
    hostile = {
        "essays/later.md": essay("Later", "Comes late."),
        "essays/empty.md": "---\ntitle: Empty\n---\n",
        "essays/draft.md": "---\ntitle: D\ndraft: true\n---\nNot yet.\n",
        "essays/_aside.md": "Anything at all.",
        "essays/_folder/one.md": "Anything.",
        "essays/_folder/two.md": "Anything.",
        "essays/.hidden.md": "An editor's own.",
        "essays/picture.png": "no text",
        "essays/twin.md": essay("Twin", "First."),
        "essays/twin.mdx": essay("Twin", "Second."),
        "essays/broken.md": "---\ntitle: [\n---\nWords.\n",
        "essays/dated.md": essay("Dated", "Words.", date="someday"),
        "notes/pier.md": note("Another", "The lantern was never lit.", exposure="text"),
        "books/torn.epub": "no archive",
    }
    written(made, hostile)
    (made / "essays/bytes.md").write_bytes(b"\xff\xfe\xfa")
    (made / "essays/out.md").symlink_to("/etc/hostname")
    os.mkfifo(made / "essays/pipe.md")
    (made / "essays/gone.md").unlink()
    return made


def _names(folder: Path) -> set[str]:
    """Every name below the roots that a run looks at, found in another way than it does."""
    found: set[str] = set()
    for root in ("essays", "notes", "books"):
        for place in sorted((folder / root).rglob("*")):
            parts = place.relative_to(folder).parts
            aside = [n for n, part in enumerate(parts) if part.startswith("_")]
            if aside:
                named = "/".join(parts[: aside[0] + 1])
                found.add(named + "/" if (folder / named).is_dir() else named)
            elif place.suffix in READ and not place.name.startswith("."):
                found.add("/".join(parts))
    return found


def _report(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))


def test_every_file_looked_at_has_one_outcome(folder: Path, fonds: Fonds, tmp_path: Path) -> None:
    """R020: what was found is the sum of what became of it; a removed file is named besides."""
    file = tmp_path / "report.json"
    file.write_text("old", encoding="utf-8")
    ran = fonds("ingest", "--archive", folder, "--report", file)
    assert ran.code == 1
    report = _report(file)
    outcomes = {one["file"]: one["outcome"] for one in report["files"]}
    names = _names(folder)
    assert {name for name, outcome in outcomes.items() if outcome != "removed"} == names
    assert report["found"] == len(names) == len(report["files"]) - 1
    parts = [report[one] for one in COUNTED] + [len(report["noText"]), len(report["refused"])]
    assert sum(parts) == report["found"]
    assert Counter(outcomes.values()) == {
        "done": 1,
        "unchanged": 2,
        "no text": 1,
        "draft": 1,
        "left out": 2,
        "refused": 9,
        "removed": 1,
    }
    assert outcomes["essays/gone.md"] == "removed"
    assert not any(word in file.read_text(encoding="utf-8") for word in ("Tolliver", "lantern"))


def test_a_refusal_says_where_why_and_what_became_of_what_stood(
    folder: Path, fonds: Fonds, tmp_path: Path
) -> None:
    """R020, R069: file, field, line, reason and standing; never a value."""
    file = tmp_path / "report.json"
    fonds("ingest", "--archive", folder, "--report", file)
    refused = {one["file"]: one for one in _report(file)["files"] if one["outcome"] == "refused"}
    assert all(
        set(one) == {"file", "outcome", "field", "line", "reason", "standing"} and one["reason"]
        for one in refused.values()
    )
    assert {name: one["standing"] for name, one in refused.items() if "pier" in name} == {
        "notes/pier.md": "withdrawn"
    }
    assert (refused["essays/dated.md"]["field"], refused["essays/dated.md"]["line"]) == ("date", 3)
    assert "someday" not in file.read_text(encoding="utf-8")


def test_the_report_is_its_owner_s_alone_and_whole(
    folder: Path, fonds: Fonds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written beside and put in place; where that fails nothing of it is left."""
    file = tmp_path / "report.json"
    fonds("ingest", "--archive", folder, "--report", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()

    def full(self: Path, target: Path) -> Path:
        raise OSError

    monkeypatch.setattr(Path, "replace", full)
    ran = fonds("ingest", "--archive", folder, "--report", file)
    assert (ran.code, "report.json: cannot be written: OSError" in ran.err) == (1, True)
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir() if "report" in one.name] == ["report.json"]


@pytest.mark.parametrize("place", ["essays/r.json", "notes/deep/r.json", "books", "nowhere/r.json"])
def test_a_report_never_stands_among_the_author_s_files(
    folder: Path, fonds: Fonds, database: Database, place: str
) -> None:
    """Refused before anything is read or written, whatever way leads there."""
    (folder / "notes/deep").mkdir()
    runs = rows_of(database, "SELECT count(*) FROM private.run")
    ran = fonds("ingest", "--archive", folder, "--report", folder / place)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("fonds: --report: ")
    assert rows_of(database, "SELECT count(*) FROM private.run") == runs
    assert not (folder / place).is_file()


def test_a_second_run_says_one_line_and_writes_no_row(
    tmp_path: Path, fonds: Fonds, database: Database
) -> None:
    """R191: no call either; not even of the run itself a row is kept."""
    files = {
        "essays/kites.md": essay("On Kites", "The kite was let go of at noon."),
        "notes/ilse.md": note("A note", "She owed Tolliver forty crowns.", exposure="semantic"),
        "essays/draft.md": "---\ntitle: D\ndraft: true\n---\nNot yet.\n",
    }
    made = written(tmp_path / "archive", files)
    fonds("ingest", "--archive", made)
    kept = _rows(database)
    ran = fonds("ingest", "--archive", made)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "0 done, 2 unchanged, 0 removed, 0 without text, 0 refused, 1 drafts left out;"
        " 1 wait for fonds gist draft\n"
    )
    assert json.loads(fonds("ingest", "--archive", made, "--json").out)["calls"] == 0
    assert _rows(database) == kept


def _rows(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the private side with the transaction that wrote it."""
    with psycopg.connect(database.admin_url) as session:
        tables = session.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'private'"
        ).fetchall()
        return {
            table: session.execute(
                sql.SQL("SELECT t.xmin::text, t::text FROM {} t ORDER BY 2").format(
                    sql.Identifier("private", table)
                )
            ).fetchall()
            for (table,) in tables
        }
