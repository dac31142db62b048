"""A build materialises what policy lets travel, and nothing when a verdict is not earned
(R091-R095).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import Failure, NothingServed, ValidationRefused
from fonds.contract.search_request import SearchRequest
from fonds.store.pools import Pool, transaction
from tests.archives import essay, house_of, ingested, note, published, written
from tests.scopes import enter
from tests.servers import Database

CANARY = "brindlewick"
BODY = f"The {CANARY} account stood open for eleven winters before anybody asked about it."
KITES = "Let the line out slowly and the kite will find its own wind over the dyke."


def served(database: Database, query: str) -> list[tuple[object, ...]]:
    """Rows as the superuser sees them, policies apart."""
    with psycopg.connect(database.admin_url) as session:
        return session.execute(query.encode()).fetchall()


def every_served_word(database: Database) -> str:
    """All content of the served schema in one string."""
    names = ("entity", "fragment", "phrase", "name", "word_list", "posting", "build")
    tables = [f"served.{name}" for name in names]
    return "\n".join(str(row) for table in tables for row in served(database, f"TABLE {table}"))


def gist_file(folder: Path, gists: Mapping[str, Mapping[str, object]]) -> Path:
    file = folder / "gists.json"
    file.write_text(json.dumps({"version": 1, "gists": gists}), encoding="utf-8")
    return file


def test_a_build_serves_text_gist_and_place_and_leaves_the_rest(
    tmp_path: Path, database: Database
) -> None:
    """R092: the four exposures of a private and a public layer after the strip."""
    files = {
        "essays/on-kites.md": essay("On Kites", KITES),
        "notes/open.md": note("An account", BODY, exposure="semantic", locator="p. 1"),
        "notes/shut.md": note("A place", BODY, locator="p. 2"),
        "notes/gone.md": note("Nothing", BODY, exposure="none", locator="p. 3"),
    }
    with house_of(written(tmp_path, files), database) as house:
        ingested(house)
        gists = {"note:open#p-1": {"gist": "A debt nobody mentions.", "review": "reviewed"}}
        assert house.import_gists(gist_file(tmp_path, gists)).as_json() == {
            "written": 1,
            "unchanged": 0,
            "refused": [],
        }
        report = house.build(yes=True)
    rows = served(
        database,
        "SELECT fragment_id, exposure, text, gist, gist_source, gist_review"
        " FROM served.fragment ORDER BY fragment_id",
    )
    assert rows == [
        ("essay:on-kites#whole", "text", KITES, None, None, None),
        ("note:open#p-1", "semantic", "", "A debt nobody mentions.", "edited", "reviewed"),
        ("note:shut#p-2", "locator", "", None, None, None),
    ]
    assert (report.entities, report.fragments, report.downgrades) == (3, 3, ())
    assert CANARY not in every_served_word(database)
    assert "quillwort" not in every_served_word(database)


def test_an_unchanged_archive_makes_no_build(tmp_path: Path, database: Database) -> None:
    with house_of(
        written(tmp_path, {"essays/on-kites.md": essay("On Kites", KITES)}), database
    ) as house:
        first, second = published(house), published(house)
        assert (first.unchanged, second.unchanged, second.build_id) == (False, True, first.build_id)
        assert len(house.builds()) == 1


def test_a_dry_run_keeps_nothing(tmp_path: Path, database: Database) -> None:
    with house_of(
        written(tmp_path, {"essays/on-kites.md": essay("On Kites", KITES)}), database
    ) as house:
        ingested(house)
        report = house.build(dry_run=True)
        assert (report.build_id, report.fragments) == (None, 1)
        assert house.builds() == ()
        with pytest.raises(NothingServed):
            house.search(SearchRequest("kites"))


@pytest.mark.parametrize(
    ("tampering", "named"),
    [
        (
            "UPDATE private.projection SET gist = 'stood open for eleven winters'",
            "note:open#p-1: gist quotes private text at words 1-5",
        ),
        (
            "UPDATE private.fragment SET text = text || '.' WHERE raw = 'private'",
            "note:open#p-1: text was changed beside its hash",
        ),
        (
            "UPDATE private.entity SET title = 'account stood open for eleven'"
            " WHERE raw = 'private'",
            "note:open: title quotes private text at words 1-5",
        ),
    ],
)
def test_a_row_changed_by_hand_stops_the_build(
    tmp_path: Path, database: Database, tampering: str, named: str
) -> None:
    """R091: a verdict in a row is a word; the served build is left as it was, and no word is
    shown.
    """
    files = {
        "essays/on-kites.md": essay("On Kites", KITES),
        "notes/open.md": note("An account", BODY, exposure="semantic", locator="p. 1"),
    }
    with house_of(written(tmp_path, files), database) as house:
        ingested(house)
        house.import_gists(
            gist_file(tmp_path, {"note:open#p-1": {"gist": "A debt nobody mentions."}})
        )
        house.build(yes=True)
        with psycopg.connect(database.admin_url) as session:
            enter(session, 1)
            session.execute(tampering.encode())
        with pytest.raises(ValidationRefused) as refused:
            house.build(yes=True)
        assert named in str(refused.value)
        assert CANARY not in str(refused.value)
        assert [(build.build_id, build.live) for build in house.builds()] == [(1, True)]


def test_a_canary_in_a_gist_stops_the_build(tmp_path: Path, database: Database) -> None:
    """R182: what the lint cannot see, a short name, is watched for before the switch."""
    folder = written(
        tmp_path, {"notes/open.md": note("An account", BODY, exposure="semantic", locator="p. 1")}
    )
    (folder / "gold.yaml").write_text(
        "queries:\n- id: a\n  query: kites?\n  expectAnswerMode: not-found\n"
        f"canaries: [{CANARY}]\n",
        encoding="utf-8",
    )
    with (folder / "archive.toml").open("a") as file:
        file.write('[evaluation]\ngold = "gold.yaml"\n')
    with house_of(folder, database) as house:
        ingested(house)
        house.import_gists(gist_file(tmp_path, {"note:open#p-1": {"gist": f"About {CANARY}."}}))
        with pytest.raises(ValidationRefused) as refused:
            house.build(yes=True)
        assert "canaries[0]: in the gist of note:open#p-1" in str(refused.value)
        assert CANARY not in str(refused.value)
        assert house.builds() == ()


def test_a_rollback_serves_the_build_before_and_revives_nothing(
    tmp_path: Path, database: Database
) -> None:
    """R095, R191: what was removed since stays removed in the older build."""
    folder = written(
        tmp_path,
        {
            "essays/on-kites.md": essay("On Kites", KITES),
            "essays/gone.md": essay("Gone", "Tide tables."),
        },
    )
    with house_of(folder, database) as house:
        published(house)
        (folder / "essays/more.md").write_text(essay("More", "A third page."), encoding="utf-8")
        published(house)
        (folder / "essays/gone.md").unlink()
        ingested(house)
        back = house.rollback()
        assert (back.build_id, back.live, back.fragment_count) == (1, True, 1)
        ids = {
            hit.provenance.fragment_id for hit in house.search(SearchRequest("tide kite page")).hits
        }
        assert "essay:gone#whole" not in ids
        with pytest.raises(NothingServed):
            house.rollback()


def test_old_builds_are_pruned_to_three(tmp_path: Path, database: Database) -> None:
    folder = written(tmp_path, {})
    with house_of(folder, database) as house:
        for number in range(5):
            (folder / f"essays/e{number}.md").write_text(
                essay(f"E{number}", "A page."), encoding="utf-8"
            )
            published(house)
        assert [build.build_id for build in house.builds()] == [5, 4, 3]


def test_a_narrowing_beside_a_running_build_reaches_it(
    tmp_path: Path, database: Database, pool_of: Callable[..., Pool]
) -> None:
    """The race: a source removed after the build's snapshot is not served by it."""
    files = {"essays/a.md": essay("A", "One page."), "essays/b.md": essay("B", "Another page.")}
    folder = written(tmp_path, files)
    with house_of(folder, database) as house:
        ingested(house)

        def remove_meanwhile(step: str) -> None:
            if step == "verify":
                with transaction(pool_of("fonds_ingest"), 1) as connection:
                    connection.execute("DELETE FROM private.entity WHERE entity_id = 'essay:b'")

        report = house.build(yes=True, progress=remove_meanwhile)
        assert report.switched
        assert [hit.provenance.fragment_id for hit in house.search(SearchRequest("page")).hits] == [
            "essay:a#whole"
        ]


def test_a_snapshot_is_older_than_a_narrowing_made_while_it_is_read(
    tmp_path: Path, database: Database, pool_of: Callable[..., Pool]
) -> None:
    """The race inside the snapshot: rows it still sees are taken out by the switch."""
    files = {"essays/a.md": essay("A", "One page."), "essays/b.md": essay("B", "Another page.")}
    with house_of(written(tmp_path, files), database) as house:
        ingested(house)

        def remove_meanwhile(step: str) -> None:
            if step == "materialise":
                with transaction(pool_of("fonds_ingest"), 1) as connection:
                    connection.execute("DELETE FROM private.entity WHERE entity_id = 'essay:b'")

        report = house.build(yes=True, progress=remove_meanwhile)
        assert report.narrowed_meanwhile == 1
        assert served(database, "SELECT fragment_id FROM served.fragment") == [("essay:a#whole",)]
        assert served(database, "SELECT entity_count, fragment_count FROM served.build") == [(1, 1)]


def test_fragments_without_vectors_stop_the_build(tmp_path: Path, database: Database) -> None:
    with house_of(written(tmp_path, {"essays/a.md": essay("A", "One page.")}), database) as house:
        ingested(house)
        with psycopg.connect(database.admin_url) as session:
            session.execute("DELETE FROM private.embedding")
        with pytest.raises(Failure, match=r"1 fragment\(s\) have no vector"):
            house.build(yes=True)
        assert house.builds() == ()


def test_an_empty_archive_is_not_published(tmp_path: Path, database: Database) -> None:
    with house_of(
        written(tmp_path, {"notes/n.md": note("L", BODY, exposure="none")}), database
    ) as house:
        ingested(house)
        with pytest.raises(Failure, match="nothing to serve"):
            house.build(yes=True)


def test_two_archives_on_one_server_never_see_each_other(
    tmp_path: Path, database: Database
) -> None:
    first = written(tmp_path / "a", {"essays/x.md": essay("X", "Kites over the dyke.")}, "first")
    second = written(tmp_path / "b", {"essays/x.md": essay("X", "Tides under the pier.")}, "second")
    with house_of(first, database) as one, house_of(second, database) as other:
        published(one)
        published(other)
        for house, word in ((one, "Kites"), (other, "Tides")):
            hits = house.search(SearchRequest("kites tides dyke pier")).hits
            assert len(hits) == 1
            assert word in str(getattr(hits[0], "text", ""))
