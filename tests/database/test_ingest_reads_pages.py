"""Pages of HTML and MDX, and files broken in every way, from disk to rows (C04, C17, R020)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from fonds.ingestion.report import FileRemark, IngestReport
from tests.archives import house_of, ingested
from tests.database.ingesting import everything, fragment_ids, row_versions, rows_of
from tests.ingestion.bound_books import epub
from tests.ingestion.corpora import ARCHIVE_TOML, ESSAY, NOTE, put, written_archive
from tests.servers import Database

TOML = ARCHIVE_TOML + 'formats = ["md", "mdx", "html"]\n'
PAGE = (
    "<title>On Kites</title><link rel=canonical href=/essays/on-kites.html>"
    "<main><p>Let the line out.</main>"
)
DEEP = PAGE.replace("<p>", "<div>" * 600)
MDX = "---\ntitle: On Lamps\n---\nexport const zebra = 1\n\n<Lamp zebra={1}>\n\nLit.\n\n</Lamp>\n"


def run(folder: Path, database: Database) -> IngestReport:
    with house_of(folder, database) as house:
        return ingested(house)


def archive(folder: Path, files: Mapping[str, str | bytes]) -> None:
    written_archive(folder, files, TOML)


def test_pages_are_stored_once_and_cited_as_they_are_published(
    tmp_path: Path, database: Database
) -> None:
    archive(tmp_path, {"essays/on-kites.html": PAGE, "essays/on-lamps.mdx": MDX})
    assert run(tmp_path, database).done == 2
    assert rows_of(database, "SELECT entity_id, url FROM private.entity ORDER BY 1") == [
        ("essay:on-kites", "https://example.org/essays/on-kites.html"),
        ("essay:on-lamps", "https://example.org/essays/on-lamps/"),
    ]
    assert rows_of(database, "SELECT text FROM private.fragment ORDER BY fragment_id") == [
        ("Let the line out.",),
        ("Lit.",),
    ]
    before = row_versions(database)
    assert run(tmp_path, database).unchanged == 2
    assert row_versions(database) == before
    assert "zebra" not in everything(database, "private")


def test_a_page_that_leads_elsewhere_is_remarked_on(tmp_path: Path, database: Database) -> None:
    page = PAGE.replace("/essays/on-kites.html", "https://elsewhere.example/zebra")
    archive(tmp_path, {"essays/on-kites.html": page})
    report = run(tmp_path, database)
    assert report.remarks == [
        FileRemark(
            "essays/on-kites.html",
            "cited at https://example.org/essays/on-kites/: "
            "its canonical address is not that of this page",
        )
    ]
    assert "zebra" not in everything(database, "private")


def test_a_page_that_becomes_hostile_keeps_what_it_said(tmp_path: Path, database: Database) -> None:
    """R020: refused alone."""
    archive(tmp_path, {"essays/on-kites.html": PAGE, "essays/b.md": ESSAY})
    run(tmp_path, database)
    put(tmp_path, "essays/on-kites.html", DEEP)
    report = run(tmp_path, database)
    assert [(one.file, one.field, one.standing) for one in report.refused] == [
        ("essays/on-kites.html", "body", "kept")
    ]
    assert fragment_ids(database) == ["essay:b#whole", "essay:on-kites#whole"]


@pytest.mark.parametrize(
    ("name", "good", "hostile"),
    [
        ("essays/a.html", PAGE, f"---\nexposure: none\n---\n{DEEP}"),
        ("essays/a.md", ESSAY, ESSAY.replace("title", "exposure: none\ntitle") + "\x00"),
        ("books/a.epub", epub(), b"zebra"),
    ],
)
def test_a_body_nobody_can_read_does_not_undo_what_its_fields_withhold(
    tmp_path: Path, database: Database, name: str, good: str | bytes, hostile: str | bytes
) -> None:
    """R020, R191: the author's stricter word holds before the file is whole again."""
    fields = "title: Low Tide\nabout: https://example.org/books/low-tide/\n"
    archive(tmp_path, {name: good, "books/a.yaml": fields})
    assert run(tmp_path, database).done == 1
    put(tmp_path, name, hostile)
    put(tmp_path, "books/a.yaml", fields + "exposure: none\n")
    report = run(tmp_path, database)
    assert [(one.field, one.standing) for one in report.refused] == [("body", "withdrawn")]


BROKEN = {
    "colon": "title: Part 1: The zebra",
    "sign": "title: @zebra",
    "template": "title: {{zebra}}",
    "tab": "title: x\ntags:\n  - zebra\n\t- b",
    "toml": 'title = "zebra"',
    "twice": "title: zebra\ntitle: other",
    "alias": "title: *zebra",
    "tag": "title: !zebra x",
}


@pytest.mark.parametrize("ending", ["md", "mdx", "html"])
def test_broken_fields_are_refused_by_line_in_public_files_of_every_format(
    tmp_path: Path, database: Database, ending: str
) -> None:
    """C17: the rest of the run goes on, and nothing of such a file is stored or said."""
    files = {
        f"essays/{name}.{ending}": f"---\n{front}\n---\nzebra\n" for name, front in BROKEN.items()
    }
    files[f"essays/open.{ending}"] = "---\ntitle: zebra\nzebra\n"
    archive(tmp_path, {**files, "essays/good.md": ESSAY})
    refused_whole(run(tmp_path, database), database, set(files), done=1)
    assert fragment_ids(database) == ["essay:good#whole"]


def test_broken_fields_are_refused_in_private_files_too(tmp_path: Path, database: Database) -> None:
    """C17: a private file whose fields nobody can read is never taken for a public one."""
    files: dict[str, str | bytes] = {
        f"notebook/{name}.md": f"---\n{front}\n---\nzebra\n" for name, front in BROKEN.items()
    }
    files |= {f"books/{name}.yaml": f"{front}\nzebra: {{" for name, front in BROKEN.items()}
    books = {f"books/{name}.epub": epub() for name in BROKEN}
    archive(tmp_path, {**files, **books, "notebook/good.md": NOTE})
    refused = {name for name in files if name.startswith("notebook")} | set(books)
    refused_whole(run(tmp_path, database), database, refused, done=1)
    assert rows_of(database, "SELECT DISTINCT raw FROM private.fragment") == [("private",)]


def refused_whole(report: IngestReport, database: Database, names: set[str], *, done: int) -> None:
    assert {one.file for one in report.refused} == names
    assert {one.standing for one in report.refused} == {"not stored"}
    assert (report.done, report.exit_code) == (done, 1)
    assert "zebra" not in json.dumps(report.as_json()) + "\n".join(report.as_lines())
    # The note that is whole speaks of a piano of another name.
    assert "zebra" not in everything(database, "private").replace("zebrawood", "")
