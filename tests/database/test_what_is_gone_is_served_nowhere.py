"""Sources that are empty, deleted, shortened or edited, swept for in every table (C10, C11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.failures import MisauthoredInput
from fonds.contract.search_request import SearchRequest
from tests.archives import house_of, ingested, published
from tests.database.ingesting import everything, row_versions, rows_of
from tests.ingestion.corpora import put, written_archive
from tests.servers import Database

TOML = """
name = "The Example Archive"
author = "Person A"
base_url = "https://example.org"
slug = "example"
private_notes_dir = "notebook"

[[collections]]
dir = "essays"
url_prefix = "/essays/"
type = "essay"

[[collections]]
dir = "guides"
url_prefix = "/guides/"
type = "guide"
shape = "guide"
"""
FRONT = "---\ntitle: Tides\n---\n"
NOTE_FRONT = (
    "---\ntitle: Kept\nlabel: Leaf\nabout: https://example.org/n/\nlocator: leaf {n}\n---\n"
)
EMPTY = {
    "nothing": "",
    "fields": "{front}",
    "comment": "{front}<!-- a remark that\nnobody reads -->\n",
    "image": "{front}![a kite](kite.png)\n",
    "blank": "{front} \n\t\u200b\n",
}
SECTIONS = {
    "Ebb": "The quillfeather lay where the water had left it.",
    "Flood": "Nobody saw the zebrawood boat come in.",
    "Slack": "A brindled rope held until noon.",
}


def page(**sections: str) -> str:
    return FRONT + "".join(f"## {heading}\n\n{text}\n\n" for heading, text in sections.items())


def archive(folder: Path, files: dict[str, str]) -> None:
    (folder / "guides").mkdir(parents=True, exist_ok=True)
    written_archive(folder, files, TOML)


@pytest.mark.parametrize("root", ["essays", "guides", "notebook"])
def test_what_holds_no_words_is_named_and_stored_nowhere(
    root: str, tmp_path: Path, database: Database
) -> None:
    """C10: five kinds of nothing, in each kind of folder; the run goes on and ends well."""
    front = NOTE_FRONT if root == "notebook" else FRONT
    files = {
        f"{root}/{name}.md": content.replace("{front}", front.format(n=n))
        for n, (name, content) in enumerate(EMPTY.items())
    }
    archive(tmp_path, files | {"essays/full.md": f"{FRONT}Let the line out.\n"})
    with house_of(tmp_path, database) as house:
        report = ingested(house)
    assert sorted(report.no_text) == sorted(files)
    assert (report.done, report.rows.entities, report.rows.fragments) == (1, 1, 1)
    assert (report.refused, report.exit_code) == ([], 0)
    assert report.as_lines()[0].startswith("1 done, 0 unchanged, 0 removed, 5 without text")


def test_an_archive_of_nothing_fails(tmp_path: Path, database: Database) -> None:
    """C10: a run that finds no word is no success."""
    archive(tmp_path, {"essays/a.md": FRONT, "guides/b.md": ""})
    with (
        house_of(tmp_path, database) as house,
        pytest.raises(MisauthoredInput, match="no file of this archive holds text"),
    ):
        ingested(house)


def test_what_an_author_took_out_is_found_nowhere(tmp_path: Path, database: Database) -> None:
    """C11: b is deleted, a loses two sections and has a word changed; then nothing changes."""
    archive(
        tmp_path,
        {
            "guides/a.md": page(**SECTIONS),
            "guides/b.md": page(Moon="The hollyhock tide turned twice."),
            "notebook/c.md": NOTE_FRONT.format(n=1) + "A pelerine hung by the door.\n",
            "notebook/d.md": NOTE_FRONT.format(n=2) + "The lamp was lit at six.\n",
        },
    )
    with house_of(tmp_path, database) as house:
        published(house)
        (tmp_path / "guides/b.md").unlink()
        (tmp_path / "notebook/c.md").unlink()
        put(tmp_path, "guides/a.md", page(Ebb=SECTIONS["Ebb"].replace("water", "river")))
        report = ingested(house)
        assert sorted(report.removed) == ["guides/b.md", "notebook/c.md"]
        gone = ("zebrawood", "brindled", "hollyhock", "pelerine")
        # Before any build: what was taken out leaves every build that is kept.
        for schema in ("private", "served"):
            swept = everything(database, schema)
            assert not [word for word in gone if word in swept], schema
        house.build(yes=True)
        live = house.live_build().build_id
        assert rows_of(
            database,
            "SELECT fragment_id FROM served.fragment JOIN served.live USING (archive_id, build_id) "
            "ORDER BY 1",
        ) == [("guide:a#ebb",), ("note:d#leaf-2",)]
        before = row_versions(database)
        again = ingested(house)
        assert (again.rows.total, again.calls, again.unchanged) == (0, 0, 2)
        assert row_versions(database) == before
        assert house.build(yes=True).build_id == live


def test_an_edited_passage_is_served_once_and_as_it_is_written(
    tmp_path: Path, database: Database
) -> None:
    """C11: one copy, in its last wording; two runs double nothing."""
    archive(tmp_path, {"guides/a.md": page(**SECTIONS)})
    with house_of(tmp_path, database) as house:
        published(house)
        put(tmp_path, "guides/a.md", page(**SECTIONS | {"Ebb": "The quillfeather was gone."}))
        for _ in range(2):
            published(house)
        hits = house.search(SearchRequest("the quillfeather")).response.hits
        texts = [hit.text for hit in hits if hit.exposure == "text" and "quill" in hit.text]
        assert texts == ["The quillfeather was gone."]
    assert "where the water" not in everything(database, "private")


def test_a_stricter_page_takes_its_words_out_of_what_is_served(
    tmp_path: Path, database: Database
) -> None:
    """C11: by the run that reads it, and by every build after it."""
    archive(tmp_path, {"guides/a.md": page(**SECTIONS), "essays/b.md": f"{FRONT}Let go.\n"})
    with house_of(tmp_path, database) as house:
        published(house)
        stricter = page(**SECTIONS).replace("title: Tides", "title: Tides\nexposure: locator")
        put(tmp_path, "guides/a.md", stricter)
        ingested(house)
        for text in SECTIONS.values():
            assert text not in everything(database, "served")
        house.build(yes=True)
        for text in SECTIONS.values():
            assert text not in everything(database, "served")
        (hit, *_) = house.search(SearchRequest("the quillfeather lay")).hits
        assert hit.exposure == "locator"


def test_the_id_of_what_is_gone_goes_with_the_last_build_it_was_in(
    tmp_path: Path, database: Database
) -> None:
    """R191, C11: a kept build may be gone back to, and has the withdrawal applied again until
    then.
    """
    files = {f"essays/{name}.md": f"---\ntitle: {name}\n---\nOf {name}.\n" for name in "abc"}
    archive(tmp_path, files)
    held = "SELECT fragment_id FROM private.narrowing"
    with house_of(tmp_path, database) as house:
        published(house)
        (tmp_path / "essays/b.md").unlink()
        ingested(house)
        seen: list[list[tuple[object, ...]]] = []
        for turn in range(3):
            put(tmp_path, "essays/c.md", f"---\ntitle: c\n---\nOf c, in turn {turn}.\n")
            published(house)
            seen.append(rows_of(database, held))
        gone = [("essay:b#whole",)]
        assert seen == [gone, gone, []]
        assert [one.build_id for one in house.builds()] == [4, 3, 2]
