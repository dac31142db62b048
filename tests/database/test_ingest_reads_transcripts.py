"""Transcripts from disk to the served side: titles, parents, speakers, and what narrows (R026)."""

from __future__ import annotations

from pathlib import Path

from fonds.ingestion.report import IngestReport
from tests.archives import house_of, ingested
from tests.database.ingesting import everything, fragment_ids, row_versions, rows_of
from tests.ingestion.corpora import ARCHIVE_TOML, put, written_archive
from tests.servers import Database

TOML = f"""{ARCHIVE_TOML}
[[collections]]
dir = "episodes"
url_prefix = "/episodes/"
type = "episode"
"""
TITLE = "The day the brindled frame was tuned again"
EPISODE = f"---\ntitle: {TITLE}\ncreators: [Person B]\n---\nA talk about a piano.\n"
VTT = f"""WEBVTT

00:01.000 --> 00:09.000
<v Mina>{TITLE}, I wept quillfeather tears.
"""
FIELDS = f"title: {TITLE}\nabout: https://example.org/episodes/tuning/\nparent: episode:tuning\n"
FILES = {
    "episodes/tuning.md": EPISODE,
    "talks/tuning.vtt": VTT,
    "talks/tuning.yaml": FIELDS,
}


def written(folder: Path, files: dict[str, str] | None = None) -> None:
    (folder / "episodes").mkdir(parents=True)
    written_archive(folder, files or FILES, TOML)


def run(folder: Path, database: Database, *, build: bool = False) -> IngestReport:
    with house_of(folder, database) as house:
        report = ingested(house)
        if build:
            house.build(yes=True)
    return report


def test_a_title_that_its_public_page_has_too_is_public(tmp_path: Path, database: Database) -> None:
    """R026: it may then stand in the recording; the page's creators are the transcript's."""
    written(tmp_path)
    assert run(tmp_path, database, build=True).refused == []
    assert rows_of(
        database,
        "SELECT title, parent, attribution -> 0 ->> 'name' FROM served.entity "
        "WHERE type = 'transcript'",
    ) == [(TITLE, "episode:tuning", "Person B")]
    assert "quillfeather" not in everything(database, "served")
    assert rows_of(
        database,
        "SELECT fragment_id, attribution -> 0 ->> 'name' FROM served.fragment "
        "WHERE entity_id = 'transcript:tuning'",
    ) == [("transcript:tuning#t1-9", "Mina")]


def test_a_second_run_writes_nothing(tmp_path: Path, database: Database) -> None:
    written(tmp_path)
    run(tmp_path, database)
    before = row_versions(database)
    again = run(tmp_path, database)
    assert (again.unchanged, again.done, again.rows.total) == (2, 0, 0)
    assert row_versions(database) == before


def test_a_page_that_gets_another_title_takes_the_permission_back(
    tmp_path: Path, database: Database
) -> None:
    """The transcript's own files did not move; its title quotes the recording from now on."""
    written(tmp_path)
    run(tmp_path, database)
    put(tmp_path, "episodes/tuning.md", EPISODE.replace(TITLE, "Tuning"))
    (refusal,) = run(tmp_path, database).refused
    assert (refusal.file, refusal.field) == ("talks/tuning.vtt", "title")
    assert "quotes private text" in refusal.reason
    assert TITLE not in refusal.as_line()


def test_a_page_that_is_withheld_or_gone_lends_nothing(tmp_path: Path, database: Database) -> None:
    """R026: a parent that is not served does not travel either."""
    written(tmp_path, FILES | {"talks/tuning.vtt": VTT.replace(f"{TITLE}, ", "")})
    run(tmp_path, database)
    put(tmp_path, "episodes/tuning.md", EPISODE.replace("creators", "exposure: none\ncreators"))
    assert run(tmp_path, database, build=True).refused == []
    assert rows_of(database, "SELECT parent, attribution -> 0 ->> 'name' FROM served.entity") == [
        (None, "Person A")
    ]
    assert rows_of(
        database, "SELECT public_title FROM private.entity WHERE type = 'transcript'"
    ) == [(False,)]


def test_a_stricter_exposure_beside_the_recording_is_noticed_at_once(
    tmp_path: Path, database: Database
) -> None:
    """R191: the .vtt itself did not change a byte."""
    written(tmp_path)
    run(tmp_path, database, build=True)
    put(tmp_path, "talks/tuning.yaml", FIELDS + "exposure: none\n")
    assert run(tmp_path, database).done == 1
    assert (
        rows_of(database, "SELECT FROM served.fragment WHERE entity_id = 'transcript:tuning'") == []
    )


def test_fields_that_vanish_or_cannot_be_read_withdraw_the_recording(
    tmp_path: Path, database: Database
) -> None:
    """R020: what governs disclosure cannot be read, so nothing of it goes on being served."""
    written(tmp_path)
    run(tmp_path, database, build=True)
    put(tmp_path, "talks/tuning.yaml", FIELDS + "exposre: none\n")
    (refusal,) = run(tmp_path, database).refused
    assert (refusal.standing, refusal.field) == ("withdrawn", "exposre")
    (tmp_path / "talks/tuning.yaml").unlink()
    (refusal,) = run(tmp_path, database).refused
    assert refusal.standing == "withdrawn"
    assert (
        rows_of(database, "SELECT FROM served.fragment WHERE entity_id = 'transcript:tuning'") == []
    )


def test_a_recording_in_two_formats_is_refused_in_both(tmp_path: Path, database: Database) -> None:
    srt = "1\n00:00:01,000 --> 00:00:02,000\nHello.\n"
    written(tmp_path, FILES | {"talks/tuning.srt": srt})
    assert {one.file for one in run(tmp_path, database).refused} == {
        "talks/tuning.srt",
        "talks/tuning.vtt",
    }
    assert fragment_ids(database) == ["episode:tuning#whole"]


def test_a_recording_without_words_is_a_note_of_the_report(
    tmp_path: Path, database: Database
) -> None:
    """C10."""
    written(tmp_path, FILES | {"talks/tuning.vtt": "WEBVTT\n"})
    report = run(tmp_path, database)
    assert (report.no_text, report.refused) == (["talks/tuning.vtt"], [])
