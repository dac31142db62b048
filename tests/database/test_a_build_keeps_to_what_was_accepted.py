"""What no owner accepted does not go out by another door (R191)."""

from __future__ import annotations

from pathlib import Path

from fonds.store.build_store import PostgresBuildStore
from tests.archives import essay, house_of, ingested, note, published, written
from tests.database.ingesting import rows_of
from tests.servers import Database

ESSAYS = {"essays/kites.md": essay("Kites", "Kites over the dyke.")}
SHOWN = """
    SELECT e.title, f.label
      FROM served.fragment f JOIN served.entity e USING (build_id, entity_id)
      JOIN served.live l USING (build_id)
     WHERE f.raw = 'private'"""


def test_words_of_a_private_caption_wait_like_a_location(
    database: Database, tmp_path: Path
) -> None:
    """A place that is served already does not become a door for titles and themes."""
    folder = written(tmp_path, ESSAYS | {"notes/diary.md": note("Diary", "She sold the boat.")})
    with house_of(folder, database) as house:
        published(house)
        renamed = note("My quarrel with Wessel", "She sold the boat.")
        (folder / "notes/diary.md").write_text(renamed, encoding="utf-8")
        ingested(house)
        report = house.build()
        assert [one.fields for one in report.waiting] == [("title",)]
        assert report.changes == ()
        assert rows_of(database, SHOWN) == [("Diary", "p. 4")]
        assert house.build().unchanged
        assert house.build(accept=report.accept).switched
        assert rows_of(database, SHOWN) == [("My quarrel with Wessel", "p. 4")]


def test_a_rollback_does_not_lead_to_what_was_rolled_back(
    database: Database, tmp_path: Path
) -> None:
    """Accepted once, left again, and waiting: it is not live without a word of its owner."""
    folder = written(tmp_path, ESSAYS)
    with house_of(folder, database) as house:
        published(house)
        written(folder, {"notes/diary.md": note("Diary", "She sold the boat.")})
        assert published(house).switched
        house.rollback()
        assert [(one.build_id, one.standing) for one in house.builds()] == [
            (2, "gone back from"),
            (1, "live"),
        ]
        assert len(house.build().waiting) == 1
        house.rollback()
        assert rows_of(database, SHOWN) == []


def test_what_a_killed_build_left_goes_with_the_next(database: Database, tmp_path: Path) -> None:
    """R191: nobody reads it, and no word that was withdrawn since stays in it."""
    folder = written(tmp_path, ESSAYS)
    with house_of(folder, database) as house:
        published(house)
        store = PostgresBuildStore(house.pool("fonds_build"), 1)
        with store.session(house.terms) as session:
            left = session.build_id
        store.mark_checked(left)
        written(folder, {"essays/tides.md": essay("Tides", "Twice a day.")})
        published(house)
        assert [(one.build_id, one.state, one.live) for one in house.builds()] == [
            (left + 1, "checked", True),
            (1, "retired", False),
        ]
        with store.session(house.terms):
            pass
        assert house.builds()[0].state == "building"
        house.rollback()
        assert [(one.build_id, one.live) for one in house.builds()] == [
            (left + 1, False),
            (1, True),
        ]


def test_what_is_gone_waits_for_nobody(database: Database, tmp_path: Path) -> None:
    """R191: not even an id and a digest of a removed source stay with the build."""
    folder = written(tmp_path, ESSAYS | {"notes/diary.md": note("Diary", "She sold the boat.")})
    with house_of(folder, database) as house:
        ingested(house)
        assert len(house.build().waiting) == 1
        (folder / "notes/diary.md").unlink()
        ingested(house)
        assert rows_of(database, "SELECT fragment_id FROM private.awaiting") == []
        assert house.build().waiting == ()
