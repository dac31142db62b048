"""A book, a scan, a recording and a notebook from their files to the whole hit on the wire.

Each is private, and each gives exactly the hits its policy allows (R022-R026, R121, R133).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.wire_response import search_response_json
from fonds.wiring.house import House
from tests.archives import house_of, published
from tests.database.ingesting import everything
from tests.ingestion.bound_books import epub, pdf
from tests.ingestion.corpora import ARCHIVE_TOML, ESSAY, put, written_archive
from tests.servers import Database

BOOK = "https://example.org/books/low-tide/"
FIRST = "<html><body><h1>Chapter 1</h1><p>The quillfeather lay below the stairs.</p></body></html>"
SECOND = "<html><body><h1>Chapter 2</h1><p>Nobody saw the zebrawood boat.</p></body></html>"
THIRD = "<html><body><h1>Chapter 3</h1><p>A brindled rope held until noon.</p></body></html>"
RECORDING = """WEBVTT

12:30.000 --> 12:50.000
<v Mina>The quillfeather lay below the stairs.

12:50.000 --> 14:05.000
<v Zephyrine Vane>Nobody saw the zebrawood boat.

20:00.000 --> 20:09.000
A brindled rope held until noon.
"""


def hits_of(house: House, query: str) -> list[dict[str, Any]]:
    """The hits as a caller reads them; a private score is one of the steps that are released."""
    request = SearchRequest(query, filters=Filters(raw="private"))
    response = json.loads(json.dumps(search_response_json(house.search(request).response)))
    assert response["matched"] == len(response["hits"])
    for hit in response["hits"]:
        score = hit.pop("score")
        assert round(score * 20, 9) == round(score * 20) > 0
    return response["hits"]


def entity(kind: str, slug: str, **more: object) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": f"{kind}:{slug}",
        "type": kind,
        "title": "Low Tide",
        "attribution": [{"name": "Person A", "role": "author"}],
        "url": BOOK,
        "identifiers": [],
    }
    return fields | more


def chapter(number: int, about: dict[str, object]) -> dict[str, object]:
    return {
        "fragmentId": f"{about['id']}#ch{number}",
        "exposure": "locator",
        "raw": "private",
        "entity": about,
        "locator": [{"scheme": "chapter", "value": str(number)}],
        "locatorLabel": f"ch. {number}",
    }


def test_an_epub_gives_its_chapters_as_places(tmp_path: Path, database: Database) -> None:
    """R023: the second chapter is withheld, and no question finds it."""
    fields = (
        f'title = "Low Tide"\nabout = "{BOOK}"\nauthors = [{{name = "B. Person", role = "editor"}}]'
        '\nidentifiers = [{scheme = "isbn", value = "978-0"}]\ndate = "1911"\nthemes = ["water"]\n'
        'version = "2nd"\nexposures = {ch2 = "none"}\n'
    )
    files = {"books/tide.epub": epub((FIRST, SECOND, THIRD)), "books/tide.toml": fields}
    written_archive(tmp_path, files | {"essays/a.md": ESSAY})
    about = entity(
        "book",
        "tide",
        attribution=[{"name": "B. Person", "role": "editor"}],
        identifiers=[{"scheme": "isbn", "value": "978-0"}],
        date="1911",
        version="2nd",
        themes=["water"],
    )
    with house_of(tmp_path, database) as house:
        published(house)
        assert hits_of(house, "the quillfeather below the stairs") == [
            {**chapter(1, about), "date": "1911"}
        ]
        assert hits_of(house, "a brindled rope held until noon") == [
            {**chapter(3, about), "date": "1911"}
        ]
        assert hits_of(house, "zebrawood boat") == []
        served = everything(database, "served")
    for word in ("quillfeather", "zebrawood", "brindled", "ch2"):
        assert word not in served


def test_a_pdf_gives_a_description_where_one_was_released(
    tmp_path: Path, database: Database
) -> None:
    """R023, R063: page 7 is described, page 8 asks to be and is not; it is a place."""
    fields = f"title: Low Tide\nabout: {BOOK}\nfirstPage: 7\nexposure: semantic\n"
    pages = pdf("The quillfeather lay below the stairs.", "A brindled rope held until noon.")
    written_archive(tmp_path, {"books/scan.pdf": pages, "books/scan.yaml": fields})
    gist = {"gist": "Something light is found indoors.", "source": "edited", "review": "reviewed"}
    put(tmp_path, "gists.json", json.dumps({"version": 1, "gists": {"book:scan#p7": gist}}))
    with house_of(tmp_path, database) as house:
        published(house)
        assert [hit["exposure"] for hit in hits_of(house, "quillfeather")] == ["locator"]
        house.import_gists(tmp_path / "gists.json")
        house.build(yes=True)
        page: dict[str, object] = {
            "raw": "private",
            "entity": entity("book", "scan"),
        }
        assert hits_of(house, "the quillfeather lay below the stairs") == [
            page
            | {
                "fragmentId": "book:scan#p7",
                "exposure": "semantic",
                "locator": [{"scheme": "page", "value": "7"}],
                "locatorLabel": "p. 7",
                "gist": "Something light is found indoors.",
                "gistSource": "edited",
                "gistReview": "reviewed",
            }
        ]
        assert hits_of(house, "a brindled rope held until noon") == [
            page
            | {
                "fragmentId": "book:scan#p8",
                "exposure": "locator",
                "locator": [{"scheme": "page", "value": "8"}],
                "locatorLabel": "p. 8",
            }
        ]


def test_a_recording_gives_its_minutes_and_who_is_heard(tmp_path: Path, database: Database) -> None:
    """R026: a voice the author did not name is "Other", whatever the file calls it."""
    fields = f"title: Low Tide\nabout: {BOOK}\nspeakers: [Mina]\nsourceReview: reviewed\n"
    written_archive(tmp_path, {"talks/day.vtt": RECORDING, "talks/day.yaml": fields})
    said: dict[str, object] = {
        "exposure": "locator",
        "raw": "private",
        "entity": entity("transcript", "day"),
    }
    other = {"name": "Other", "role": "speaker", "placeholder": "unnamed"}
    with house_of(tmp_path, database) as house:
        published(house)
        assert hits_of(house, "zebrawood boat and quillfeather below the stairs") == [
            said
            | {
                "fragmentId": "transcript:day#t750-845",
                "locator": [{"scheme": "timecode", "value": "750", "end": "845"}],
                "locatorLabel": "12:30\u201314:05",
                "attribution": [{"name": "Mina", "role": "speaker"}, other],
            }
        ]
        assert hits_of(house, "a brindled rope held until noon") == [
            said
            | {
                "fragmentId": "transcript:day#t1200-1209",
                "locator": [{"scheme": "timecode", "value": "1200", "end": "1209"}],
                "locatorLabel": "20:00\u201320:09",
                "attribution": [other],
            }
        ]
        served = everything(database, "served")
    for word in ("quillfeather", "Zephyrine", "Vane"):
        assert word not in served


def test_a_japanese_notebook_gives_its_leaf_and_no_word(tmp_path: Path, database: Database) -> None:
    """R022, C20: found by words of its text and of its private title; shown by its label."""
    leaf = (
        "---\ntitle: 兄への手紙\nabout: https://example.org/notebooks/blue/\n"
        "label: 青い帳面\nlocator: 青い帳面 四頁\ndate: 1911-04\nthemes: [手紙]\n---\n"
        "港の番人は毎朝、水面の高さを書き留めていた。嵐の夜には一晩中眠らなかった。\n"
    )
    written_archive(
        tmp_path, {"notebook/leaf.md": leaf}, 'default_creators = ["著者"]\n' + ARCHIVE_TOML
    )
    hit: dict[str, object] = {
        "fragmentId": "note:leaf#青い帳面-四頁",
        "exposure": "locator",
        "raw": "private",
        "entity": entity(
            "note",
            "leaf",
            title="青い帳面",
            attribution=[{"name": "著者", "role": "author"}],
            url="https://example.org/notebooks/blue/",
            date="1911-04",
            themes=["手紙"],
        ),
        "locator": [{"scheme": "note", "value": "青い帳面 四頁"}],
        "locatorLabel": "青い帳面 四頁",
        "date": "1911-04",
    }
    with house_of(tmp_path, database) as house:
        published(house)
        for query in ("水面の高さを書き留めていた", "兄への手紙", "嵐の夜には眠らなかった"):
            assert hits_of(house, query) == [hit], query
        assert hits_of(house, "風見鶏の作り方") == []
        served = everything(database, "served")
    for words in ("水面", "兄への", "嵐の夜"):
        assert words not in served
