"""The private schema holds what the files say: no more, no less, no twice (R020, C04, C10, C11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.failures import MisauthoredInput, Misconfigured
from fonds.contract.stored_source import RowCounts
from fonds.ingestion.report import IngestReport, RefusedFile
from tests.archives import house_of, ingested
from tests.database.ingesting import change, everything, fragment_ids, row_versions, rows_of
from tests.ingestion.corpora import BOOK, ESSAY, NOTE, CountingEmbedder, put, written_archive
from tests.servers import Database

ALL = {"essays/on-kites.md": ESSAY, "notebook/piano-sale.md": NOTE, "books/low-tide.md": BOOK}
IDS = [
    "book:low-tide#ch1",
    "book:low-tide#ch2",
    "essay:on-kites#whole",
    "note:piano-sale#blue-notebook-p-4",
]


def run(folder: Path, database: Database, embedder: CountingEmbedder | None = None) -> IngestReport:
    with house_of(folder, database, embedder or CountingEmbedder()) as house:
        return ingested(house)


def test_a_first_run_stores_every_kind_with_its_vectors(tmp_path: Path, database: Database) -> None:
    written_archive(tmp_path, ALL)
    embedder = CountingEmbedder()
    report = run(tmp_path, database, embedder)
    assert (report.done, report.unchanged, report.exit_code) == (3, 0, 0)
    assert report.rows == RowCounts(entities=3, fragments=4, vectors=4, sources=3)
    assert (report.embedded, report.calls, report.waiting) == (4, embedder.calls, 0)
    assert fragment_ids(database) == IDS
    assert rows_of(
        database,
        "SELECT fragment_id, raw, exposure, label, summary, date_start::text FROM private.fragment"
        " WHERE entity_id = 'essay:on-kites'",
    ) == [("essay:on-kites#whole", "public", "text", "whole record", "Wind as a teacher.", None)]
    assert rows_of(database, "SELECT job, outcome, report ->> 'done' FROM private.run") == [
        ("ingest", "done", "3")
    ]


def test_a_run_with_nothing_changed_writes_and_calls_nothing(
    tmp_path: Path, database: Database
) -> None:
    """R045, R191, C11: no row is rewritten, no call is made."""
    written_archive(tmp_path, ALL)
    run(tmp_path, database)
    before = row_versions(database)
    embedder = CountingEmbedder()
    report = run(tmp_path, database, embedder)
    assert (report.done, report.unchanged, report.rows.total) == (0, 3, 0)
    assert (embedder.calls, report.calls) == (0, 0)
    assert row_versions(database) == before


def test_a_touched_archive_file_writes_what_it_changes_and_no_more(
    tmp_path: Path, database: Database
) -> None:
    """A base URL reaches the records; their vectors stay, and so do the private rows."""
    toml = written_archive(tmp_path, ALL)
    run(tmp_path, database)
    toml.write_text(toml.read_text().replace("https://example.org", "https://example.com"))
    embedder = CountingEmbedder()
    report = run(tmp_path, database, embedder)
    assert report.rows == RowCounts(entities=1, sources=1)
    assert (report.done, report.unchanged, embedder.calls) == (1, 2, 0)
    assert rows_of(database, "SELECT url FROM private.entity WHERE raw = 'public'") == [
        ("https://example.com/essays/on-kites/",)
    ]


def test_deleted_and_shortened_files_leave_nothing_behind(
    tmp_path: Path, database: Database
) -> None:
    """C11: one file is deleted, one loses its second chapter and has a word changed."""
    written_archive(tmp_path, ALL)
    run(tmp_path, database)
    (tmp_path / "notebook" / "piano-sale.md").unlink()
    shorter = BOOK.partition("# Chapter 2")[0].replace("quillfeather", "feather")
    put(tmp_path, "books/low-tide.md", shorter)
    embedder = CountingEmbedder()
    report = run(tmp_path, database, embedder)
    assert report.removed == ["notebook/piano-sale.md"]
    assert report.rows == RowCounts(entities=1, fragments=3, vectors=1, sources=2)
    assert embedder.texts == ["Chapter 1\n\nThe feather lay where the water had left it."]
    assert fragment_ids(database) == ["book:low-tide#ch1", "essay:on-kites#whole"]
    for word in ("zebrawood", "quillfeather", "Nobody came"):
        assert word not in everything(database, "private")
    assert run(tmp_path, database).rows.total == 0


def test_a_renamed_file_keeps_its_rows_and_vectors(tmp_path: Path, database: Database) -> None:
    """The entity is the same when a slug holds it: no call, and no gist would be lost."""
    slugged = NOTE.replace("---\n", "---\nslug: piano-sale\n", 1)
    written_archive(tmp_path, ALL | {"notebook/piano-sale.md": slugged})
    run(tmp_path, database)
    (tmp_path / "notebook" / "piano-sale.md").rename(tmp_path / "notebook" / "renamed.md")
    embedder = CountingEmbedder()
    report = run(tmp_path, database, embedder)
    assert (report.removed, embedder.calls) == (["notebook/piano-sale.md"], 0)
    assert fragment_ids(database) == IDS
    assert ("notebook/renamed.md",) in rows_of(database, "SELECT source_key FROM private.entity")


def test_a_renamed_file_without_a_slug_is_another_entity(
    tmp_path: Path, database: Database
) -> None:
    written_archive(tmp_path, {"essays/a.md": ESSAY})
    run(tmp_path, database)
    (tmp_path / "essays" / "a.md").rename(tmp_path / "essays" / "b.md")
    run(tmp_path, database)
    assert fragment_ids(database) == ["essay:b#whole"]


def test_one_hostile_file_costs_no_other(tmp_path: Path, database: Database) -> None:
    """C04, C17: three files, the second holds a NUL; others are broken in their own way."""
    files: dict[str, str | bytes] = {
        "essays/1.md": ESSAY,
        "essays/2.md": ESSAY.replace("line", "before\x00after"),
        "essays/3.md": ESSAY,
        "essays/4.md": ESSAY.replace("On Kites", '"\\u0000"'),
        "essays/5.md": ESSAY.encode() + b"\x97",
        "essays/6.md": ESSAY.replace("On Kites", "Part 1: The road"),
        "notebook/7.md": NOTE.replace("label:", "lable:"),
    }
    written_archive(tmp_path, files)
    report = run(tmp_path, database)
    assert (report.done, len(report.refused), report.exit_code) == (2, 5, 1)
    assert {(one.file, one.field, one.line) for one in report.refused} == {
        ("essays/2.md", "body", 6),
        ("essays/4.md", "", 2),
        ("essays/5.md", "", 7),
        ("essays/6.md", "", 2),
        ("notebook/7.md", "lable", 4),
    }
    assert {one.standing for one in report.refused} == {"not stored"}
    assert fragment_ids(database) == ["essay:1#whole", "essay:3#whole"]


def test_a_refused_file_keeps_its_last_good_rows(tmp_path: Path, database: Database) -> None:
    """R020: its disclosure can be read, so what it said before goes on being served."""
    written_archive(tmp_path, ALL)
    run(tmp_path, database)
    before = row_versions(database)
    put(tmp_path, "essays/on-kites.md", ESSAY.replace("---\n", "---\ndate: someday\n", 1))
    report = run(tmp_path, database)
    assert report.refused == [
        RefusedFile("essays/on-kites.md", "date", 2, "write YYYY, YYYY-MM or YYYY-MM-DD", "kept")
    ]
    assert (report.rows.total, report.removed) == (0, [])
    assert row_versions(database) == before
    assert "refused, kept: essays/on-kites.md:2: date: write" in report.as_lines()[-1]


def test_two_files_of_one_id_are_both_refused_and_the_stored_one_kept(
    tmp_path: Path, database: Database
) -> None:
    """R020."""
    written_archive(tmp_path, {"essays/a.md": ESSAY, "essays/c.md": ESSAY})
    run(tmp_path, database)
    put(tmp_path, "essays/a.mdx", ESSAY.replace("Let", "Never let"))
    report = run(tmp_path, database)
    assert [(one.file, one.field, one.standing) for one in report.refused] == [
        ("essays/a.md", "slug", "kept"),
        ("essays/a.mdx", "slug", "not stored"),
    ]
    assert fragment_ids(database) == ["essay:a#whole", "essay:c#whole"]
    assert "Never let" not in everything(database, "private")


def test_files_without_text_and_drafts_are_reported_and_stored_nowhere(
    tmp_path: Path, database: Database
) -> None:
    """C10: and one that lost its text loses its rows."""
    written_archive(tmp_path, ALL | {"essays/empty.md": "", "essays/image.md": "![x](y.png)"})
    run(tmp_path, database)
    put(tmp_path, "essays/on-kites.md", ESSAY.partition("Let")[0])
    put(tmp_path, "notebook/piano-sale.md", NOTE.replace("---\n", "---\ndraft: true\n", 1))
    report = run(tmp_path, database)
    assert report.no_text == ["essays/empty.md", "essays/image.md", "essays/on-kites.md"]
    assert sorted(report.removed) == ["essays/on-kites.md", "notebook/piano-sale.md"]
    assert (report.drafts, report.exit_code) == (1, 0)
    assert fragment_ids(database) == IDS[:2]


def test_a_run_that_finds_no_text_at_all_fails(tmp_path: Path, database: Database) -> None:
    """C10; and an empty folder, which is what an unmounted disk looks like, removes nothing."""
    written_archive(tmp_path, {"essays/a.md": ESSAY})
    run(tmp_path, database)
    (tmp_path / "essays" / "a.md").unlink()
    with pytest.raises(MisauthoredInput, match="nothing was changed"):
        run(tmp_path, database)
    assert fragment_ids(database) == ["essay:a#whole"]
    put(tmp_path, "essays/b.md", "")
    with pytest.raises(MisauthoredInput, match="no file of this archive holds text"):
        run(tmp_path, database)


def test_a_wrong_root_stops_before_anything_is_written(tmp_path: Path, database: Database) -> None:
    """R020, R029: exit code 2, and the rows stay."""
    toml = written_archive(tmp_path, ALL)
    run(tmp_path, database)
    before = row_versions(database)
    put(tmp_path, "essays/on-kites.md", ESSAY.replace("Let", "Never let"))
    toml.write_text(toml.read_text().replace('"notebook"', '"notebok"'))
    with pytest.raises(Misconfigured):
        run(tmp_path, database)
    assert row_versions(database) == before


def test_a_row_the_database_does_not_take_costs_no_other_file(
    tmp_path: Path, database: Database
) -> None:
    """R097: the refusal names constraint and table, never a value."""
    change(
        database,
        "ALTER TABLE private.fragment ADD CONSTRAINT no_cheese CHECK (text NOT LIKE '%cheese%')",
    )
    written_archive(
        tmp_path, {"essays/a.md": ESSAY, "essays/b.md": ESSAY.replace("line", "cheese")}
    )
    report = run(tmp_path, database)
    assert (report.done, fragment_ids(database)) == (1, ["essay:a#whole"])
    (refused,) = report.refused
    assert refused.file == "essays/b.md"
    assert "constraint no_cheese" in refused.reason
    assert "cheese the" not in refused.reason


def test_a_corpus_larger_than_a_batch_is_stored_whole(tmp_path: Path, database: Database) -> None:
    files = {f"essays/{n:03}.md": ESSAY.replace("line", f"line {n}") for n in range(150)}
    written_archive(tmp_path, files)
    report = run(tmp_path, database)
    assert (report.done, report.rows.fragments, report.embedded) == (150, 150, 150)
    large = {f"essays/{n:03}.md": ESSAY + f"w{n:02} " * 120_000 for n in range(8)}
    for name, content in large.items():
        put(tmp_path, name, content)
    assert run(tmp_path, database).rows == RowCounts(0, 8, 8, 8)


def test_dates_are_stored_as_the_days_they_cover(tmp_path: Path, database: Database) -> None:
    """R012, C16: at the precision written; a date-time is the day as written."""
    written = {"a": "2019", "b": "2019-02", "c": "2019-03-14T23:30:00-05:00", "d": ""}
    files = {
        f"essays/{name}.md": ESSAY.replace("---\n", f"---\ndate: {date}\n", 1)
        for name, date in written.items()
    }
    written_archive(tmp_path, files)
    run(tmp_path, database)
    assert rows_of(
        database,
        "SELECT entity_id, date, date_start::text, date_end::text FROM private.entity ORDER BY 1",
    ) == [
        ("essay:a", "2019", "2019-01-01", "2019-12-31"),
        ("essay:b", "2019-02", "2019-02-01", "2019-02-28"),
        ("essay:c", "2019-03-14", "2019-03-14", "2019-03-14"),
        ("essay:d", None, None, None),
    ]


def test_a_report_shows_everything_an_author_may_want_to_change(
    tmp_path: Path, database: Database
) -> None:
    """R069: names, lines and reasons; as lines for a person and as JSON for a job."""
    files = ALL | {"essays/empty.md": "", "essays/long.md": ESSAY + "word " * 6000}
    files |= {"essays/book.md": ESSAY + "word " * 110_000}
    written_archive(tmp_path, files | {"essays/bad.md": "No title."})
    report = run(tmp_path, database)
    shown = report.as_json()
    assert {key: shown[key] for key in ("done", "noText", "removed", "waiting")} == {
        "done": 4,
        "noText": ["essays/empty.md"],
        "removed": [],
        "waiting": 0,
    }
    lines = report.as_lines()
    assert lines[0].startswith("4 done, 0 unchanged, 0 removed, 1 without text, 2 refused")
    assert "no text: essays/empty.md" in lines
    assert any(line.startswith("remark: essays/long.md: only the first 24 KiB") for line in lines)
    assert lines[-2].startswith("refused, not stored: essays/bad.md: title: a title is needed")
    assert lines[-1].startswith("refused, not stored: essays/book.md: text: a public fragment has")
