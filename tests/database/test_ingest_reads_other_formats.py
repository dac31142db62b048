"""Books of other formats and files of other encodings, from disk to rows (C19, R020, R023)."""

from __future__ import annotations

import json
from pathlib import Path

from fonds.ingestion.report import FileRemark, IngestReport
from tests.archives import house_of, ingested
from tests.database.ingesting import everything, fragment_ids, row_versions, rows_of
from tests.ingestion.bound_books import epub
from tests.ingestion.corpora import ESSAY, put, written_archive
from tests.servers import Database

FIELDS = "title: Low Tide\nabout: https://example.org/books/low-tide/\n"


def run(folder: Path, database: Database) -> IngestReport:
    with house_of(folder, database) as house:
        return ingested(house)


def test_a_book_of_another_format_is_stored_once(tmp_path: Path, database: Database) -> None:
    written_archive(tmp_path, {"books/tide.epub": epub(), "books/tide.yaml": FIELDS})
    assert run(tmp_path, database).done == 1
    assert fragment_ids(database) == ["book:tide#ch1", "book:tide#ch2"]
    before = row_versions(database)
    assert run(tmp_path, database).unchanged == 1
    assert row_versions(database) == before
    put(tmp_path, "books/tide.yaml", FIELDS + "exposures: {ch2: none}\n")
    assert run(tmp_path, database).done == 1
    assert rows_of(
        database, "SELECT exposure FROM private.fragment WHERE fragment_id = 'book:tide#ch2'"
    ) == [("none",)]


def test_a_hostile_book_costs_its_neighbours_nothing(tmp_path: Path, database: Database) -> None:
    """R020: refused alone, and its stored version stays."""
    written_archive(
        tmp_path,
        {"books/tide.epub": epub(), "books/tide.yaml": FIELDS, "essays/a.md": ESSAY},
    )
    run(tmp_path, database)
    put(tmp_path, "books/tide.epub", epub(more={"big": b"\0" * 3_000_000}))
    put(tmp_path, "books/ebb.pdf", b"%PDF-1.4 zebra")
    put(tmp_path, "books/ebb.yaml", FIELDS)
    put(tmp_path, "essays/a.md", ESSAY.replace("Let", "Never let"))
    report = run(tmp_path, database)
    assert report.done == 1
    assert {one.file: (one.field, one.standing) for one in report.refused} == {
        "books/tide.epub": ("body", "kept"),
        "books/ebb.pdf": ("body", "not stored"),
    }
    assert "zebra" not in json.dumps(report.as_json())
    assert "book:tide#ch1" in fragment_ids(database)


def test_a_file_of_an_undeclared_encoding_is_refused_by_name(
    tmp_path: Path, database: Database
) -> None:
    """C19: the run goes on, and no replacement character is stored."""
    written_archive(
        tmp_path,
        {
            "essays/sjis.md": "---\ntitle: 手紙\n---\n吾輩\n".encode("shift_jis"),
            "essays/stray.md": ESSAY.encode() + b"\x97",
            "essays/wide.md": ESSAY.encode("utf-16"),
        },
    )
    report = run(tmp_path, database)
    assert sorted(one.file for one in report.refused) == ["essays/sjis.md", "essays/stray.md"]
    assert report.remarks == [
        FileRemark("essays/wide.md", "read as utf-16-le, by its byte order mark")
    ]
    assert fragment_ids(database) == ["essay:wide#whole"]
    assert "\ufffd" not in everything(database, "private")
