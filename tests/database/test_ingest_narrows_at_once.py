"""What a file no longer lets travel is gone before the run ends, and stays gone (R020, R191)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fonds.contract.failures import StoreRefused
from fonds.store.pools import transaction
from fonds.store.private_store import PostgresPrivateStore
from fonds.wiring.house import House
from tests.archives import house_of, ingested, published
from tests.database.ingesting import everything, fragment_ids, rows_of
from tests.ingestion.corpora import (
    ARCHIVE_TOML,
    BOOK,
    ESSAY,
    NOTE,
    CountingEmbedder,
    put,
    written_archive,
)
from tests.servers import Database

SEMANTIC_NOTE = NOTE.replace("---\n", "---\nexposure: semantic\n", 1)
GIST = "A family thing is given up for want of safe steps."
NOTE_ID = "note:piano-sale#blue-notebook-p-4"


def open_house(folder: Path, database: Database) -> House:
    with house_of(folder, database, CountingEmbedder()) as house:
        return house


def described(folder: Path, house: House, *, vetoed: bool = False) -> None:
    """Gives the note a gist, as an author would."""
    gist = {"gist": GIST, "source": "edited", "review": "reviewed", "vetoed": vetoed}
    file = folder / "gists.json"
    file.write_text(json.dumps({"version": 1, "gists": {NOTE_ID: gist}}))
    house.import_gists(file)


def served(database: Database) -> list[tuple[object, ...]]:
    return rows_of(
        database, "SELECT DISTINCT fragment_id, exposure FROM served.fragment ORDER BY 1"
    )


def test_a_removed_file_leaves_every_build_and_its_gist_is_erased(
    tmp_path: Path, database: Database
) -> None:
    """R191, C11: text, gist and vector; what stays is a tombstone without a word."""
    written_archive(tmp_path, {"essays/a.md": ESSAY, "notebook/piano-sale.md": SEMANTIC_NOTE})
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        ingested(house)
        described(tmp_path, house)
        house.build(yes=True)
        assert (NOTE_ID, "semantic") in served(database)
        (tmp_path / "notebook" / "piano-sale.md").unlink()
        ingested(house)
    assert served(database) == [("essay:a#whole", "text")]
    for schema in ("private", "served"):
        swept = everything(database, schema)
        for word in ("zebrawood", "want of safe steps", "Piano sale"):
            assert word not in swept
    assert rows_of(
        database, "SELECT fragment_id, vetoed, removed_at IS NOT NULL FROM private.ledger"
    ) == [(NOTE_ID, False, True)]


def test_a_veto_outlives_the_text_it_was_laid_on(tmp_path: Path, database: Database) -> None:
    """R191: removed and brought back, the fragment is still vetoed; its gist's words are gone."""
    written_archive(tmp_path, {"essays/a.md": ESSAY, "notebook/piano-sale.md": SEMANTIC_NOTE})
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        ingested(house)
        described(tmp_path, house, vetoed=True)
        (tmp_path / "notebook" / "piano-sale.md").unlink()
        ingested(house)
        assert "want of safe steps" not in everything(database, "private")
        assert rows_of(database, "SELECT vetoed FROM private.ledger") == [(True,)]
        put(tmp_path, "notebook/piano-sale.md", SEMANTIC_NOTE)
        published(house)
    assert rows_of(database, "SELECT vetoed, lint FROM private.projection") == [(True, "failed")]
    assert (NOTE_ID, "locator") in served(database)


def test_a_stricter_exposure_narrows_at_once(tmp_path: Path, database: Database) -> None:
    """C11: text to locator, and private material to nothing, without a build."""
    written_archive(tmp_path, {"essays/a.md": ESSAY, "notebook/piano-sale.md": NOTE})
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        published(house)
        put(tmp_path, "essays/a.md", ESSAY.replace("---\n", "---\nexposure: locator\n", 1))
        put(tmp_path, "notebook/piano-sale.md", NOTE.replace("---\n", "---\nexposure: none\n", 1))
        ingested(house)
    assert served(database) == [("essay:a#whole", "locator")]
    assert "Let the line out" not in everything(database, "served")


@pytest.mark.parametrize(
    "broken",
    [
        SEMANTIC_NOTE.replace("exposure: semantic", "exposre: none"),
        SEMANTIC_NOTE.replace("exposure: semantic", "exposure: text"),
        SEMANTIC_NOTE.replace("label: ", "label: [", 1),
        SEMANTIC_NOTE.replace("---\n", " ---\n", 1),
        SEMANTIC_NOTE.replace("---\n", "", 1).replace("exposure: semantic\n", ""),
        SEMANTIC_NOTE.replace("label:", "exposures: {blue-notebook-p-4: none}\nlabl:"),
        SEMANTIC_NOTE.replace("about: https", "about: ").replace(
            "exposure: semantic", "exposure: none"
        ),
    ],
)
def test_a_file_whose_disclosure_cannot_be_read_is_withdrawn(
    tmp_path: Path, database: Database, broken: str
) -> None:
    """R020, C17: from the kept builds at once and from the next one; the private rows stay."""
    written_archive(tmp_path, {"essays/a.md": ESSAY, "notebook/piano-sale.md": SEMANTIC_NOTE})
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        published(house)
        put(tmp_path, "notebook/piano-sale.md", broken)
        report = ingested(house)
        assert [(one.file, one.standing) for one in report.refused] == [
            ("notebook/piano-sale.md", "withdrawn")
        ]
        assert served(database) == [("essay:a#whole", "text")]
        assert NOTE_ID in fragment_ids(database)
        house.build(yes=True)
        assert served(database) == [("essay:a#whole", "text")]
        before = rows_of(database, "SELECT narrowing FROM private.archive")
        ingested(house)
        assert rows_of(database, "SELECT narrowing FROM private.archive") == before
        put(tmp_path, "notebook/piano-sale.md", SEMANTIC_NOTE)
        assert ingested(house).done == 1
        house.build(yes=True)
    assert (NOTE_ID, "locator") in served(database)
    assert rows_of(database, "SELECT action, subject FROM private.audit ORDER BY audit_id") == [
        ("accept", NOTE_ID),
        ("withdraw", "notebook/piano-sale.md"),
        ("accept", NOTE_ID),
    ]


def test_private_words_come_back_as_public_only_when_the_owner_says_so(
    tmp_path: Path, database: Database
) -> None:
    """R191: a note moved to the public folder, under another id, with its title and body."""
    written_archive(tmp_path, {"essays/a.md": ESSAY, "notebook/piano-sale.md": NOTE})
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        ingested(house)
        (tmp_path / "notebook" / "piano-sale.md").rename(tmp_path / "essays" / "piano.md")
        report = ingested(house)
        assert [(one.file, one.reason, one.standing) for one in report.refused] == [
            (
                "essays/piano.md",
                "was private before: fonds ingest --publish essay:piano",
                "not stored",
            )
        ]
        assert "zebrawood" not in everything(database, "private")
        again = house.ingest(
            progress=lambda step, done, total: None, publish=frozenset({"essay:piano"})
        )
        assert (again.done, again.exit_code) == (1, 0)
        assert ingested(house).rows.total == 0
    assert "essay:piano#whole" in fragment_ids(database)
    assert ("publish", "essay:piano") in rows_of(
        database, "SELECT action, subject FROM private.audit"
    )


def test_an_id_that_turns_from_one_layer_to_the_other_leaves_the_builds(
    tmp_path: Path, database: Database
) -> None:
    """C11, R191: public to private takes the text out at once; back again needs the owner."""
    toml = ARCHIVE_TOML.replace('type = "essay"', 'type = "note"')
    written_archive(tmp_path, {"essays/x.md": ESSAY, "books/b.md": BOOK}, toml)
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        published(house)
        assert ("note:x#whole", "text") in served(database)
        (tmp_path / "essays" / "x.md").unlink()
        put(tmp_path, "notebook/x.md", NOTE)
        ingested(house)
        assert "note:x#whole" not in [one for one, _ in served(database)]
        assert "note:x#blue-notebook-p-4" in fragment_ids(database)
        (tmp_path / "notebook" / "x.md").unlink()
        put(tmp_path, "essays/x.md", ESSAY)
        (refused,) = ingested(house).refused
        assert "was private before" in refused.reason
    assert "note:x#whole" not in fragment_ids(database)


def test_a_layer_that_turns_within_one_source_is_deleted_and_written_anew(
    tmp_path: Path, database: Database
) -> None:
    """The same file name under a root that is declared private from one day to the next."""
    toml = ARCHIVE_TOML.replace('type = "essay"', 'type = "note"')
    written_archive(tmp_path, {"essays/x.md": ESSAY, "books/b.md": BOOK}, toml)
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        published(house)
    turned = toml.replace('private_notes_dir = "notebook"', 'private_notes_dir = "essays"')
    turned = turned.partition("[[collections]]")[0]
    written_archive(tmp_path, {"essays/x.md": NOTE, "books/b.md": BOOK}, turned)
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        assert ingested(house).done == 1
    assert rows_of(database, "SELECT raw FROM private.fragment WHERE entity_id = 'note:x'") == [
        ("private",)
    ]
    assert "note:x#whole" not in [one for one, _ in served(database)]


def test_ingest_reads_no_body_back_and_writes_no_other_archive(
    tmp_path: Path, database: Database
) -> None:
    """R094: 42501 from the database, whatever this code would do."""
    written_archive(tmp_path, {"notebook/piano-sale.md": NOTE})
    with house_of(tmp_path, database, CountingEmbedder()) as house:
        ingested(house)
        pool = house.pool("fonds_ingest")
        for statement in (
            "SELECT text FROM private.fragment",
            "SELECT title FROM private.entity",
            "SELECT gist FROM private.projection",
            "SELECT embedding FROM private.embedding",
            "INSERT INTO private.source VALUES (999, 'k', 'public', '', '', 0)",
        ):
            with pytest.raises(StoreRefused) as refusal, transaction(pool, 1) as session:
                session.execute(statement.encode())
            assert refusal.value.sqlstate == "42501"
        stranger = PostgresPrivateStore(pool, 998)
        assert stranger.sources() == {}
        assert stranger.remove_sources(["notebook/piano-sale.md"]).total == 0
        assert stranger.withdraw_sources(["notebook/piano-sale.md"]) == 0
    assert fragment_ids(database) == [NOTE_ID]
