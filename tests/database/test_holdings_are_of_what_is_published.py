"""What a reader is told an archive holds, by the login that serves: of public rows alone, in the
live build, as it is narrowed at this moment (R095, R188, R193).
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from fonds.contract.failures import NothingServed
from fonds.contract.holdings import Holdings
from fonds.wiring.house import House
from fonds.wiring.known_holdings import KnownHoldings
from fonds.wiring.registering import registered
from fonds.wiring.taking_back import AuthorDesk
from tests.archives import essay, house_of, ingested, note, published, written
from tests.servers import Database

THEMED = "themes: [wind, patience]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two essays with a theme in common, one that is exposed as nothing, and a private note."""
    bells = essay("On Bells", "Wessel cast nine bells.", "1931").replace(THEMED, "themes: [wind]")
    hidden = essay("On Tar", "Tar keeps.", "1800").replace(THEMED, "exposure: none\nthemes: [tar]")
    kept = note("A note", "She owed forty crowns.").replace("locator:", "themes: [debt]\nlocator:")
    files = {
        "essays/kites.md": essay("On Kites", "Aunt Ilse flew kites.", "2019-05"),
        "essays/bells.md": bells,
        "essays/tar.md": hidden,
        "notes/ilse.md": kept.replace("exposure:", "date: 1700\nexposure:"),
    }
    return written(tmp_path / "archive", files)


@pytest.fixture
def house(folder: Path, database: Database) -> Generator[House]:
    with house_of(folder, database) as made:
        published(made)
        yield made


def held(house: House, known: KnownHoldings) -> Holdings:
    pool = house.pool("fonds_ingest")
    return known.of(house.pool("fonds_reader"), registered(pool, house.config))


def test_only_what_is_public_is_counted_dated_and_themed(house: House) -> None:
    told = held(house, KnownHoldings())
    assert told == Holdings(
        built_at=house.live_build().built_at,
        types=(("essay", 2),),
        first_year=1931,
        last_year=2019,
        themes=("wind", "patience"),
    )


def test_what_is_withdrawn_is_told_of_no_more_without_a_build(house: House) -> None:
    known = KnownHoldings()
    before = held(house, known)
    AuthorDesk(house).tighten(["essay:kites#whole"], "none")
    after = held(house, known)
    assert before.types == (("essay", 2),)
    assert (after.types, after.themes) == ((("essay", 1),), ("wind",))
    assert (after.first_year, after.last_year) == (1931, 1931)


def test_another_build_is_told_of_from_its_first_moment(house: House, folder: Path) -> None:
    known = KnownHoldings()
    held(house, known)
    (folder / "essays/rope.md").write_text(essay("On Rope", "A rope.", "2022"), encoding="utf-8")
    ingested(house)
    assert held(house, known).last_year == 2019
    house.build(yes=True)
    assert held(house, known).last_year == 2022


def test_it_is_read_once_for_as_long_as_nothing_changes(house: House) -> None:
    known = KnownHoldings()
    assert held(house, known) is held(house, known)


def test_without_a_build_nothing_is_held(folder: Path, database: Database) -> None:
    with house_of(folder, database) as house:
        ingested(house)
        with pytest.raises(NothingServed):
            held(house, KnownHoldings())
