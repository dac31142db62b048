"""R188 on the database: whatever changes what an archive may say makes the next request a miss."""

from __future__ import annotations

from collections.abc import Generator
from datetime import date
from pathlib import Path

import pytest

from fonds.contract.evidence_hit import EvidenceHit, LocatorHit, SemanticHit, TextHit
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse
from fonds.wiring.gates import GateDesk
from fonds.wiring.gists import GistDesk
from fonds.wiring.house import House
from fonds.wiring.reply_cache import Edition, KeptReply, ReplyCache, edition_of, terms_of
from fonds.wiring.taking_back import AuthorDesk
from tests.archives import essay, house_of, ingested, note, published, written
from tests.servers import Database

DAY = date(2026, 3, 1)
NOTE, ESSAY = "note:ilse#p-4", "essay:kites#whole"
GIST = "A debt, and an unusual way of settling it."
ASKED = SearchRequest("Who flew kites on the dyke at Norden, and who owed Tolliver forty crowns?")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "essays/kites.md": essay("On Kites", "Aunt Ilse flew kites on the dyke at Norden."),
        "notes/ilse.md": note("A note", "She owed Tolliver forty crowns.", exposure="semantic"),
    }
    return written(tmp_path / "archive", files)


@pytest.fixture
def house(folder: Path, database: Database) -> Generator[House]:
    with house_of(folder, database) as made:
        ingested(made)
        GistDesk(made).edit(NOTE, GIST, reviewed=True)
        made.build(yes=True)
        yield made


def edition(house: House, day: date = DAY) -> Edition:
    """As the next request would read it."""
    return edition_of(1, house.live_build(), terms_of(house.config), day)


def searched(house: House, cache: ReplyCache) -> SearchResponse:
    """A request that was not answered before: it is searched, and kept."""
    assert cache.found(edition(house), "search", ASKED) is None
    found = house.search(ASKED)
    rested_on = edition_of(1, found.build, terms_of(house.config), DAY)
    cache.keep(rested_on, "search", ASKED, KeptReply(found.response, private=True))
    kept = cache.found(edition(house), "search", ASKED)
    assert kept == KeptReply(found.response, private=True)
    return found.response


def shown(response: SearchResponse) -> dict[str, type[EvidenceHit]]:
    return {hit.provenance.fragment_id: type(hit) for hit in response.hits}


def test_what_the_author_takes_back_is_gone_from_the_next_reply(house: House) -> None:
    """A veto, a tightening and a withdrawal leave the build as it is, and no reply."""
    cache = ReplyCache()
    build = house.live_build().build_id
    assert shown(searched(house, cache)) == {ESSAY: TextHit, NOTE: SemanticHit}

    GistDesk(house).veto((NOTE,), vetoed=True)
    assert shown(searched(house, cache)) == {ESSAY: TextHit, NOTE: LocatorHit}
    AuthorDesk(house).tighten((ESSAY,), "locator")
    assert shown(searched(house, cache)) == {ESSAY: LocatorHit, NOTE: LocatorHit}
    AuthorDesk(house).tighten((NOTE,), "none")
    assert shown(searched(house, cache)) == {ESSAY: LocatorHit}

    assert house.live_build().build_id == build
    assert cache.held()[0] == 1


def test_a_build_a_rollback_and_a_removed_source_are_each_another_edition(
    house: House, folder: Path
) -> None:
    cache = ReplyCache()
    first = searched(house, cache)
    (folder / "essays/dyke.md").write_text(essay("The dyke", "Kites flew over the dyke."))
    published(house)
    second = searched(house, cache)
    house.rollback()
    assert searched(house, cache) == first != second

    (folder / "essays/kites.md").unlink()
    ingested(house)
    assert shown(searched(house, cache)) == {NOTE: SemanticHit}


def test_other_floors_another_gate_and_another_day_are_each_another_edition(
    house: House, folder: Path, database: Database
) -> None:
    cache = ReplyCache()
    searched(house, cache)
    file = folder / "archive.toml"
    terms = file.read_text().replace("enabled = false", "enabled = true")
    file.write_text(terms + "[floors]\nscore = 0.9\n")
    with house_of(folder, database) as told:
        assert cache.found(edition(told), "search", ASKED) is None
        published(told)
        assert searched(told, cache).hits == ()
        GateDesk(told).fit()
        searched(told, cache)
        assert cache.found(edition(told, date(2026, 3, 2)), "search", ASKED) is None


def test_a_veto_between_look_up_and_search_is_not_undone_by_the_slower_request(
    house: House,
) -> None:
    """Two requests, one before the veto and one after: what the first found is kept for nobody."""
    cache = ReplyCache()
    before = edition(house)
    old = house.search(ASKED)
    GistDesk(house).veto((NOTE,), vetoed=True)
    after = searched(house, cache)

    rested_on = edition_of(1, old.build, terms_of(house.config), DAY)
    assert rested_on == before
    cache.keep(rested_on, "search", ASKED, KeptReply(old.response, private=True))

    kept = cache.found(edition(house), "search", ASKED)
    assert kept is not None
    assert kept.reply == after != old.response
