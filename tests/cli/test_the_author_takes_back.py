"""R024, R191, R192, R196: `fonds expose`, `forget` and `audit`, as they are typed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archives import essay, note, written
from tests.cli.conftest import Ran
from tests.database.ingesting import rows_of
from tests.servers import Database

Fonds = Callable[..., Ran]
SECRET = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."
GIST = "A debt, and an unusual way of settling it."
ESSAY = "The kite was never let go of before noon."
ID, PAGE = "note:ilse#p-4", "essay:kites#whole"
SHOWN = "SELECT DISTINCT fragment_id, exposure FROM served.fragment ORDER BY 1"
REMEMBERED = "SELECT fragment_id FROM private.ledger"


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    """A described note and an essay; not built yet."""
    files = {
        "notes/ilse.md": note("A note about Ilse", SECRET, exposure="semantic"),
        "essays/kites.md": essay("On Kites", ESSAY),
    }
    made = written(tmp_path / "archive", files)
    assert fonds("ingest", "--archive", made).code == 0
    assert fonds("gist", "edit", ID, "--text", GIST, "--archive", made).code == 0
    return made


@pytest.fixture
def author(folder: Path, fonds: Fonds) -> Fonds:
    """`fonds` on the folder; never a private word on either stream."""

    def command(*arguments: object) -> Ran:
        ran = fonds(*arguments, "--archive", folder)
        assert not any(word in ran.out + ran.err for word in ("Tolliver", "honeycomb", "debt"))
        return ran

    return command


def test_what_is_taken_back_stays_so_until_it_is_lifted(
    folder: Path, author: Fonds, database: Database
) -> None:
    """R191: through an ingest of an unchanged file, of an edited one, and a build."""
    assert author("build").code == 0
    ran = author("expose", ID, PAGE, "locator")
    assert (ran.code, ran.out) == (0, "2 fragment(s) held to locator; 0 unchanged\n")
    located = [(PAGE, "locator"), (ID, "locator")]
    assert rows_of(database, SHOWN) == located
    for body in (SECRET, SECRET + " Twice."):
        (folder / "notes/ilse.md").write_text(
            note("A note about Ilse", body, exposure="semantic"), encoding="utf-8"
        )
        assert author("ingest").code == 0
        assert author("build").code == 0
        assert rows_of(database, SHOWN) == located
    assert author("expose", PAGE, "as-file").out.startswith("1 fragment(s) as the file asks")
    assert rows_of(database, SHOWN) == located
    assert author("build").out.startswith("build ")
    live = (
        "SELECT f.exposure, f.text FROM served.fragment f JOIN served.live USING"
        " (archive_id, build_id) WHERE entity_id = 'essay:kites'"
    )
    assert rows_of(database, live) == [("text", ESSAY)]


def test_what_is_withheld_leaves_with_its_entity(author: Fonds, database: Database) -> None:
    """R191: nothing of it in any kept build, and the counts follow."""
    assert author("build").code == 0
    assert author("expose", "none", ID).code == 0
    assert rows_of(database, SHOWN) == [(PAGE, "text")]
    assert rows_of(database, "SELECT DISTINCT entity_count FROM served.build") == [(1,)]
    assert author("build").code == 0
    assert rows_of(database, SHOWN) == [(PAGE, "text")]


def test_what_is_held_is_listed(folder: Path, author: Fonds) -> None:
    """Also of a fragment that is gone, for when it comes back."""
    author("expose", PAGE, ID, "locator")
    (folder / "essays/kites.md").unlink()
    author("ingest")
    listed = author("expose", "--list").out.splitlines()
    assert [line.partition(": ")[0] for line in listed[:-1]] == [PAGE, ID]
    assert listed[0].endswith("(not stored)")
    assert listed[1].endswith("(its file asks semantic)")
    assert listed[-1] == "2 fragment(s) held to less"
    held = json.loads(author("expose", "--list", "--json").out)["held"]
    assert [(one["fragment"], one["exposure"], one["fileExposure"]) for one in held] == [
        (PAGE, "locator", None),
        (ID, "locator", "semantic"),
    ]
    assert author("expose", PAGE, "as-file").code == 0
    assert author("expose", PAGE, "as-file").code == 1


def test_done_twice_it_changes_nothing(author: Fonds, database: Database) -> None:
    """R192: the audit notes each change by id, and no other."""
    author("expose", ID, "locator")
    again = json.loads(author("expose", ID, "locator", "--json").out)
    assert again == {"changed": [], "unchanged": 1, "refused": []}
    author("expose", ID, "none")
    ran = author("expose", ID, "locator")
    assert (ran.code, ran.out.splitlines()[1]) == (
        1,
        f"  {ID}: is held to none: lift that first, with as-file",
    )
    noted = author("audit").out.splitlines()
    assert [line.split("  ")[1:] for line in noted[-2:]] == [
        ["fonds_curator", "expose locator", ID],
        ["fonds_curator", "expose none", ID],
    ]
    (entry,) = json.loads(author("audit", "--last", "1", "--json").out)["entries"]
    assert (entry["action"], entry["subject"]) == ("expose none", ID)


REFUSALS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("expose", "note:Tolliver#1", "none"), 1, "id 1: the archive holds no such fragment"),
    (("expose", ID, "text"), 2, "what may show more is the file's to say"),
    (("expose", ID, "semantic"), 2, "what may show more is the file's to say"),
    (("expose", ID), 2, "one of none, locator and as-file"),
    (("expose", ID, "Tolliver"), 2, "one of none, locator and as-file"),
    (("expose", ID, "none", "locator"), 2, "one of none, locator and as-file"),
    (("expose", "none"), 2, "one of none, locator and as-file"),
    (("expose",), 2, "one of none, locator and as-file"),
    (("expose", ID, "--list"), 2, "--list takes no fragment"),
    (("expose", "a#\ud800", "none"), 1, "id 1: holds NUL or a lone surrogate"),
    (("forget", "Tolliver"), 2, "erasing needs --yes where nobody can be asked"),
    (("forget", "Tolliver", "--yes"), 1, "id 1: nothing that is gone is remembered under it"),
    (("forget", ID, "--yes"), 1, f"{ID}: is still stored: remove its file"),
    (("forget", "note:ilse", "--yes"), 1, "note:ilse: is still stored: remove its file"),
    (("audit", "--last", "0"), 2, "--last"),
)


def test_what_cannot_be_done_is_one_line(author: Fonds, database: Database) -> None:
    """R196: and what was typed in the place of an id is not repeated."""
    for arguments, code, said in REFUSALS:
        ran = author(*arguments)
        assert (ran.code, said in " ".join((ran.out + ran.err).split())) == (code, True), arguments
    assert rows_of(database, "SELECT exposure FROM private.fragment ORDER BY fragment_id") == [
        ("text",),
        ("semantic",),
    ]
    assert rows_of(database, REMEMBERED) == [(ID,)]
    assert rows_of(database, "SELECT action FROM private.audit") == [("gist edit",)]


def test_a_tombstone_is_listed_and_erased(folder: Path, author: Fonds, database: Database) -> None:
    """R191: with its veto; then the same id may come back as public without a word."""
    assert author("forget").out == "0 tombstone(s)\n"
    author("gist", "veto", ID)
    author("expose", ID, "none")
    (folder / "notes/ilse.md").unlink()
    author("ingest")
    listed = author("forget").out.splitlines()
    assert listed[0].startswith(f"{ID}: none, vetoed, removed ")
    assert listed[1:] == ["1 tombstone(s)"]
    (stone,) = json.loads(author("forget", "--json").out)["tombstones"]
    assert (stone["entity"], stone["exposure"], stone["vetoed"]) == ("note:ilse", "none", True)
    moved = essay("Zephyrine quillwort ledger", SECRET)
    (folder / "essays/ilse.md").write_text(moved, encoding="utf-8")
    assert "was private before" in author("ingest").out
    ran = author("forget", "note:ilse", "--yes")
    assert (ran.code, ran.out) == (0, "1 tombstone(s) erased\n")
    for emptied in ("ledger", "projection", "tightening"):
        left = "SELECT count(*) FROM private."
        assert rows_of(database, f"{left}{emptied}") == [(0,)]
    assert author("ingest").code == 0
    assert author("build").code == 0
    assert ("essay:ilse#whole", "text") in rows_of(database, SHOWN)
    assert ("forget", ID) in rows_of(database, "SELECT action, subject FROM private.audit")


def test_coming_back_private_it_is_vetoed_no_longer(folder: Path, author: Fonds) -> None:
    """R191: what was forgotten binds nobody."""
    file = folder / "notes/ilse.md"
    kept = file.read_text(encoding="utf-8")
    author("gist", "veto", ID)
    file.unlink()
    author("ingest")
    author("forget", ID, "--yes")
    file.write_text(kept, encoding="utf-8")
    author("ingest")
    assert author("gist", "edit", ID, "--text", GIST).code == 0
    assert author("gist", "list").out.startswith(f"{ID}: servable")


@pytest.mark.parametrize(("answer", "code", "left"), [(True, 0, []), (False, 1, [(ID,)])])
def test_on_a_terminal_the_author_is_asked(
    folder: Path,
    author: Fonds,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    answer: bool,
    code: int,
    left: list[tuple[str]],
) -> None:
    """R191: what is erased does not come back."""
    (folder / "notes/ilse.md").unlink()
    author("ingest")
    asked: list[str] = []

    def confirm(question: str, *, err: bool) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", confirm)
    assert author("forget", ID).code == code
    assert asked == ["Erase 1 tombstone(s), vetoes included?"]
    assert rows_of(database, REMEMBERED) == left
