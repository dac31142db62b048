"""R191, R196: `fonds ingest --publish`, as it is typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archives import essay, note, written
from tests.cli.conftest import Ran
from tests.database.ingesting import rows_of
from tests.servers import Database

Fonds = Callable[..., Ran]
UNLIT = "The lantern was never lit."
SECRET = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."
TITLE = "Zephyrine quillwort ledger"  # of the notes as well: their text begins with it
PUBLISHED = "SELECT subject FROM private.audit WHERE action = 'publish'"
PUBLIC = "SELECT fragment_id FROM private.fragment WHERE raw = 'public' ORDER BY 1"


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    """Two private notes that were ingested and then moved to the essays, and an essay."""
    files = {
        "notes/ilse.md": note("A note", SECRET),
        "notes/pier.md": note("Another", UNLIT),
        "notes/stays.md": note("A third", "What stays at home."),
        "essays/kites.md": essay("On Kites", "The kite was let go of at noon."),
    }
    made = written(tmp_path / "archive", files)
    assert fonds("ingest", "--archive", made).code == 0
    # One keeps its private title, the other comes back under one of its own.
    for name, title, body in (("ilse", TITLE, SECRET), ("pier", "A pier", UNLIT)):
        (made / f"notes/{name}.md").unlink()
        (made / f"essays/{name}.md").write_text(essay(title, body), encoding="utf-8")
    return made


@pytest.fixture
def ingest(folder: Path, fonds: Fonds) -> Fonds:
    def command(*arguments: object) -> Ran:
        ran = fonds("ingest", *arguments, "--archive", folder)
        assert "Tolliver" not in ran.out + ran.err
        return ran

    return command


def test_it_is_refused_with_the_remedy_and_then_published(
    folder: Path, ingest: Fonds, fonds: Fonds, database: Database
) -> None:
    """R191: one id and then both; each is noted once, and the next run needs no word."""
    ran = ingest()
    assert ran.code == 1
    for name in ("ilse", "pier"):
        reason = f"was private before: fonds ingest --publish essay:{name}"
        assert f"refused, not stored: essays/{name}.md: {reason}" in ran.out
    assert rows_of(database, PUBLIC) == [("essay:kites#whole",)]
    assert ingest("--publish", "essay:ilse").code == 1
    assert ingest("--publish", "essay:ilse", "--publish", "essay:pier").code == 0
    assert ingest().code == 0
    assert rows_of(database, PUBLISHED) == [("essay:ilse",), ("essay:pier",)]
    assert fonds("build", "--yes", "--archive", folder).code == 0
    shown = rows_of(database, "SELECT text FROM served.fragment WHERE entity_id = 'essay:ilse'")
    assert shown == [(SECRET,)]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("essay:isle", "no public file has an id given: did you mean essay:ilse?"),
        ("Tolliver", "no public file has an id given: use the id that fonds ingest names"),
        ("note:stays", "note:stays lies in a private folder: move its file to a collection"),
    ],
)
def test_an_id_that_nothing_public_has_is_refused_before_anything_is_done(
    ingest: Fonds, database: Database, asked: str, said: str
) -> None:
    """R196: with the nearest remedy; what was typed is not repeated, and no file is removed."""
    ran = ingest("--publish", "essay:ilse", "--publish", asked)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert rows_of(database, PUBLISHED) == []
    assert rows_of(database, PUBLIC) == [("essay:kites#whole",)]
    assert rows_of(database, "SELECT count(*) FROM private.source") == [(4,)]


def test_what_was_never_private_is_published_without_a_word(
    ingest: Fonds, database: Database
) -> None:
    """A job may keep saying so; the audit notes what was done."""
    assert ingest("--publish", "essay:kites").code == 1
    assert rows_of(database, PUBLISHED) == []
