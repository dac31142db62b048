"""A build is skipped only when what it would serve is served; what breaks off leaves nothing."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import Busy, Unavailable, ValidationRefused
from fonds.contract.search_request import SearchRequest
from fonds.wiring.house import House
from tests.archives import essay, house_of, ingested, note, published, written
from tests.servers import Database

BODY = "The brindlewick account stood open for eleven winters before anybody asked about it."
GIST = "A debt nobody mentions."
NOTE_ID = "note:open#p-1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "essays/on-kites.md": essay("On Kites", "Let the line out slowly."),
        "notes/open.md": note("An account", BODY, exposure="semantic", locator="p. 1"),
    }
    return written(tmp_path, files)


def gists(folder: Path, **entry: object) -> Path:
    file = folder / "gists.json"
    entries = {NOTE_ID: {"gist": GIST, **entry}}
    file.write_text(json.dumps({"version": 1, "gists": entries}), encoding="utf-8")
    return file


def exposures(house: House) -> dict[str, str]:
    hits = house.search(SearchRequest("line account winters brindlewick")).hits
    return {hit.provenance.fragment_id: type(hit).__name__ for hit in hits}


def test_a_veto_that_is_lifted_is_served_again_by_the_next_build(
    folder: Path, database: Database
) -> None:
    """R191: the rows are as before, what is served is not: the veto took it out at once."""
    with house_of(folder, database) as house:
        ingested(house)
        house.import_gists(gists(folder))
        house.build(yes=True)
        assert exposures(house)[NOTE_ID] == "SemanticHit"
        house.import_gists(gists(folder, vetoed=True))
        assert exposures(house)[NOTE_ID] == "LocatorHit"
        assert house.import_gists(gists(folder)).written == 0
        assert house.import_gists(gists(folder, vetoed=False)).written == 1
        assert exposures(house)[NOTE_ID] == "LocatorHit"
        assert house.build(yes=True).switched
        assert exposures(house)[NOTE_ID] == "SemanticHit"
        assert house.build(yes=True).unchanged


def test_a_file_that_comes_back_is_served_again_by_the_next_build(
    folder: Path, database: Database
) -> None:
    """R095: as after a folder was not mounted for one run."""
    with house_of(folder, database) as house:
        published(house)
        page = folder / "essays/on-kites.md"
        kept = page.read_text(encoding="utf-8")
        page.unlink()
        ingested(house)
        assert "essay:on-kites#whole" not in exposures(house)
        page.write_text(kept, encoding="utf-8")
        ingested(house)
        house.build(yes=True)
        assert exposures(house)["essay:on-kites#whole"] == "TextHit"


def test_a_canary_that_is_added_is_looked_for_although_nothing_changed(
    folder: Path, database: Database
) -> None:
    """R182: exit 0 of a build says that no canary is served."""
    gold = folder / "gold.yaml"
    suite = "queries:\n- id: a\n  query: kites?\n  expectAnswerMode: not-found\ncanaries: [{}]\n"
    gold.write_text(suite.format("tolliver"), encoding="utf-8")
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[evaluation]\ngold = "gold.yaml"\n')
    with house_of(folder, database) as house:
        ingested(house)
        house.import_gists(gists(folder, gist="What brindlewick owed."))
        house.build(yes=True)
        assert house.build(yes=True).unchanged
        gold.write_text(suite.format("brindlewick"), encoding="utf-8")
        with pytest.raises(ValidationRefused) as refused:
            house.build(yes=True)
        said = str(refused.value)
        assert said.startswith("1 problem(s) in the live build 1: canaries[0]: in the gist of note")
        assert "brindlewick" not in said


@pytest.mark.parametrize("step", ["check", "materialise"])
def test_a_server_that_goes_away_leaves_the_old_build(
    step: str, folder: Path, database: Database
) -> None:
    """R095: the outage is called one, no row of the build is live, and the next build works."""
    with house_of(folder, database) as house:
        published(house)
        (folder / "essays/more.md").write_text(essay("More", "A third page."), encoding="utf-8")
        ingested(house)

        def cut_off(reached: str) -> None:
            if reached == step:
                with psycopg.connect(database.admin_url) as session:
                    session.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND usename = 'fonds_build'"
                    )

        with pytest.raises(Unavailable):
            house.build(yes=True, progress=cut_off)
        assert [(build.build_id, build.live) for build in house.builds()] == [(1, True)]
        assert house.build(yes=True).switched
        assert (house.live_build().build_id, house.validate().fragments) == (2, 3)


def test_what_a_killed_build_left_is_cleared_by_the_next(folder: Path, database: Database) -> None:
    with house_of(folder, database) as house:
        published(house)
        with psycopg.connect(database.admin_url) as session:
            session.execute(
                "INSERT INTO served.build (archive_id, build_id, state, provider, model,"
                " dimensions, query_prefix, passage_prefix, centring, space_id, score_floor,"
                " coverage_floor, fingerprint, narrowing)"
                " SELECT archive_id, 7, 'building', provider, model, dimensions, query_prefix,"
                " passage_prefix, centring, space_id, score_floor, coverage_floor, '', narrowing"
                " FROM served.build"
            )
        assert [build.state for build in house.builds()] == ["building", "checked"]
        (folder / "essays/more.md").write_text(essay("More", "A third page."), encoding="utf-8")
        assert published(house).build_id == 8
        assert [(b.build_id, b.state) for b in house.builds()] == [(8, "checked"), (1, "retired")]


def test_a_rollback_waits_for_no_build_and_says_so(folder: Path, database: Database) -> None:
    with house_of(folder, database) as house:
        published(house)

        def roll_back(step: str) -> None:
            if step == "verify":
                house.rollback()

        (folder / "essays/more.md").write_text(essay("More", "A third page."), encoding="utf-8")
        ingested(house)
        with pytest.raises(Busy, match="another build of this archive is running"):
            house.build(yes=True, progress=roll_back)
        assert [(build.build_id, build.live) for build in house.builds()] == [(1, True)]
