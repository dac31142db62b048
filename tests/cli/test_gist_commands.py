"""R084, R196: the author's commands over gists, as they are typed."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archives import note, written
from tests.cli.conftest import Ran
from tests.database.ingesting import change, rows_of
from tests.servers import Database

Fonds = Callable[..., Ran]
SECRET = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."
OTHER = "The lantern on the quillwort pier was never lit in her lifetime."
GIST = "A debt, and an unusual way of settling it."
ID, LOCATED = "note:ilse#p-4", "note:pier#p-4"
WORDS = ("Tolliver", "pawnbroker", "honeycomb", "lantern")


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    files = {
        "notes/ilse.md": note("A note about Ilse", SECRET, exposure="semantic"),
        "notes/pier.md": note("A note about a pier", OTHER),
    }
    made = written(tmp_path / "archive", files)
    assert fonds("ingest", "--archive", made).code == 0
    return made


@pytest.fixture
def gist(folder: Path, fonds: Fonds) -> Callable[..., Ran]:
    """`fonds gist` on the folder; never a private word on either stream."""

    def command(*arguments: object) -> Ran:
        ran = fonds("gist", *arguments, "--archive", folder)
        assert not any(word in ran.out + ran.err for word in WORDS)
        return ran

    return command


def standing(gist: Fonds) -> dict[str, str]:
    listed = json.loads(gist("list", "--json").out)["gists"]
    return {one["fragment"]: one["standing"] for one in listed}


def test_a_gist_is_edited_reviewed_vetoed_and_served_again(
    folder: Path, gist: Fonds, fonds: Fonds, database: Database
) -> None:
    """Each change says what it did; done twice it changes nothing, and the audit notes ids."""
    assert standing(gist) == {ID: "no gist"}
    assert gist("edit", ID, "--text", GIST).out == "1 gist(s) edited, 0 unchanged, 0 refused\n"
    assert gist("edit", ID, "--text", GIST).out == "0 gist(s) edited, 1 unchanged, 0 refused\n"
    assert standing(gist) == {ID: "servable"}
    assert gist("review", ID).code == 0
    assert gist("veto", ID).out.startswith("1 gist(s) vetoed")
    assert standing(gist) == {ID: "vetoed"}
    assert gist("unveto", ID).out.startswith("1 gist(s) no longer vetoed")
    assert gist("unveto", ID).out.startswith("0 gist(s) no longer vetoed, 1 unchanged")
    assert gist("list").out == f"{ID}: servable (edited, reviewed)\n1 fragment(s), 1 servable\n"
    assert rows_of(database, "SELECT action, subject FROM private.audit ORDER BY audit_id") == [
        (action, ID) for action in ("gist edit", "gist review", "gist veto", "gist unveto")
    ]
    assert fonds("build", "--yes", "--archive", folder).code == 0
    assert rows_of(database, "SELECT gist FROM served.fragment WHERE gist IS NOT NULL") == [(GIST,)]


def test_a_veto_withdraws_what_is_served_at_once(
    folder: Path, gist: Fonds, fonds: Fonds, database: Database
) -> None:
    """R191: no build is needed to narrow, and one is to widen."""
    gist("edit", ID, "--text", GIST)
    fonds("build", "--yes", "--archive", folder)
    assert json.loads(gist("veto", ID, "--json").out) == {
        "written": 1,
        "unchanged": 0,
        "refused": [],
    }
    assert rows_of(database, "SELECT gist FROM served.fragment WHERE gist IS NOT NULL") == []
    gist("unveto", ID)
    assert rows_of(database, "SELECT gist FROM served.fragment WHERE gist IS NOT NULL") == []


def test_an_edit_that_quotes_is_kept_as_a_draft_and_exits_four(
    folder: Path, gist: Fonds, tmp_path: Path, fonds: Fonds
) -> None:
    """R069, R084: fragment and position, never the run; only `show` shows the author the words."""
    file = tmp_path / "gist.txt"
    file.write_text("On how she owed the pawnbroker Tolliver forty crowns.\n", encoding="utf-8")
    ran = gist("edit", ID, "--file", file)
    assert ran.code == 4
    assert ran.out.endswith(f"  {ID}: quotes private text at words 3-7\n")
    assert standing(gist) == {ID: "lint failed"}
    shown = fonds("gist", "show", ID, "--json", "--archive", folder)
    assert json.loads(shown.out)["draft"] == file.read_text(encoding="utf-8").strip()
    assert gist("review", ID).code == 4
    assert standing(gist) == {ID: "lint failed"}


def test_a_gist_is_shown_whole(gist: Fonds) -> None:
    assert gist("show", ID).out == f"{ID}: no gist\n"
    gist("edit", ID, "--text", GIST, "--reviewed")
    assert gist("show", ID).out == f"{ID}: servable (edited, reviewed)\n{GIST}\n"
    assert json.loads(gist("show", ID, "--json").out)["gist"] == GIST


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("veto", "Tolliver"), 1, "id 1: the archive holds no such fragment"),
        (("veto", ID), 1, f"{ID}: holds no gist"),
        (("review", ID, LOCATED, "x"), 1, f"{LOCATED}: holds no gist"),
        (("show", "Tolliver"), 1, "fonds: no such fragment asks to be described"),
        (("show", LOCATED), 1, "fonds: no such fragment asks to be described"),
        (("edit", "Tolliver", "--text", GIST), 1, "id 1: the archive holds no such fragment"),
        (("edit", ID), 2, "one of --file and --text is needed"),
        (("edit", ID, "--text", "a", "--file", "b"), 2, "one of --file and --text is needed"),
        (("edit", ID, "--text", "  "), 1, "fonds: gist: is empty"),
        (("edit", ID, "--text", "a\ud800"), 1, "fonds: gist: holds NUL or a lone surrogate"),
        (("edit", ID, "--file", "missing.txt"), 1, "missing.txt: cannot be read"),
        (("lint", "--words", "0"), 2, "--words"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    gist: Fonds, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """R196: and what was typed in the place of an id is not repeated."""
    ran = gist(*arguments)
    assert ran.code == code
    assert said in ran.out + ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(("content", "said"), [(b"\xff", "not UTF-8"), (b"a" * 70_000, "larger")])
def test_a_file_that_is_no_gist_is_refused(
    gist: Fonds, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "gist.txt"
    file.write_bytes(content)
    ran = gist("edit", ID, "--file", file)
    assert ran.code == 1
    assert said in ran.err


def test_the_lint_is_tried_at_another_window(gist: Fonds, database: Database) -> None:
    """R084: counted by entity, named by place, and nothing is changed."""
    gist("edit", ID, "--text", "Of forty crowns and paid debts.")
    before = rows_of(database, "SELECT ctid::text FROM private.projection")
    tried = json.loads(gist("lint", "--words", "4", "--json").out)
    assert (tried["gistTrips"], tried["metadataTrips"]) == (1, 0)
    assert [one["entity"] for one in tried["entities"]] == ["note:ilse", "note:pier"]
    assert tried["entities"][0]["gistTrips"] == [
        {"fragment": ID, "reason": "quotes private text at words 2-5"}
    ]
    assert gist("lint", "--words", "4").out == (
        f"note:ilse: 1 of 1 gist(s), 0 string(s) of the metadata\n"
        f"  {ID}: quotes private text at words 2-5\n"
        "at 4 words 1 gist(s) and 0 other string(s) would be refused\n"
    )
    assert gist("lint", "--words", "5").out.startswith("at 5 words 0 gist(s)")
    assert rows_of(database, "SELECT ctid::text FROM private.projection") == before


def test_an_export_is_private_sorted_and_imports_to_nothing(
    gist: Fonds, tmp_path: Path, database: Database
) -> None:
    """R084: version 1, readable by its owner alone; what it says is what is stored."""
    gist("edit", ID, "--text", GIST)
    gist("edit", LOCATED, "--text", "A light.", "--reviewed")
    gist("veto", LOCATED)
    change(
        database,
        "UPDATE private.projection"
        " SET source = 'generated', model = 'm', prompt_version = 'p',"
        " stale = true, content_hash = '0123456789abcdef' WHERE fragment_id LIKE '%pier%'",
    )
    file = tmp_path / "out.json"
    file.write_text("old", encoding="utf-8")
    assert gist("export", file).out == "2 gist(s) exported; the file is private material\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["version"] == 1
    assert list(kept["gists"]) == [ID, LOCATED]
    assert kept["gists"][LOCATED] == {
        "gist": "A light.",
        "source": "generated",
        "review": "reviewed",
        "vetoed": True,
        "contentHash": "0123456789abcdef",
        "model": "m",
        "promptVersion": "p",
    }
    before = rows_of(database, "SELECT ctid::text, p::text FROM private.projection p ORDER BY 2")
    assert gist("import", file).out == "0 gist(s) stored, 2 unchanged, 0 refused\n"
    after = rows_of(database, "SELECT ctid::text, p::text FROM private.projection p ORDER BY 2")
    assert after == before
    change(database, "DELETE FROM private.projection")
    assert json.loads(gist("import", file, "--json").out)["written"] == 2
    restored = rows_of(database, "SELECT p::text FROM private.projection p ORDER BY 1")
    assert restored == [(text,) for _, text in before]


def test_an_export_that_cannot_be_written_is_one_line(gist: Fonds, tmp_path: Path) -> None:
    ran = gist("export", tmp_path / "missing" / "out.json")
    assert (ran.code, ran.err) == (1, "fonds: out.json: cannot be written: FileNotFoundError\n")
    gist("edit", ID, "--text", GIST)
    (tmp_path / "out.d").mkdir()
    assert gist("export", tmp_path / "out.d").code == 1
    assert [file.name for file in tmp_path.iterdir() if "out" in file.name] == ["out.d"]
    assert json.loads(gist("export", tmp_path / "out.json", "--json").out) == {"exported": 1}
