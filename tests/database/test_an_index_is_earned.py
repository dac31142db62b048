"""An index is made for a build, earns its admission, follows what is withdrawn and goes with its
build (R114, R191, R192).
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import pytest

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import Misconfigured, StoreRefused
from fonds.contract.near_index import LEAST_VECTORS, IndexShape
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.search import Searched
from fonds.store.archive_register import remove_archive
from fonds.store.archives import open_archive
from fonds.store.index_store import PostgresIndexStore
from fonds.store.pools import open_pool
from fonds.wiring.house import House
from fonds.wiring.index_desk import IndexDesk
from fonds.wiring.taking_back import AuthorDesk
from tests.archives import essay, house_of, note, published, written
from tests.database.rows import column
from tests.servers import Database

ESSAYS = 56
GOOD = IndexShape(links=16, width=200, breadth=40, least=1)
BAD = IndexShape(links=2, width=4, breadth=9, least=1)
ASKED = SearchRequest("What was said of the harbour?")
SPACE = EmbeddingSpace("scripted", "scattered", 12, default_floor=-0.2)


@dataclass(frozen=True, slots=True)
class Scattered:
    """A direction of its own for every text, the same each time: hard for a poor graph."""

    space: EmbeddingSpace = SPACE

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return EmbedOutcome(tuple(self.embed_query(text) for text in texts))

    def embed_query(self, text: str) -> Vector:
        drawn = random.Random(text)  # noqa: S311 - a test's own numbers
        return tuple(drawn.gauss(0, 1) for _ in range(self.space.dimensions))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        f"essays/on-{number}.md": essay(f"Harbour {number}", f"Said of the harbour, part {number}.")
        for number in range(ESSAYS)
    }
    files["notes/kept.md"] = note("A note of the harbour", "Nobody was paid for the pilot.")
    return written(tmp_path / "example", files)


@pytest.fixture
def house(folder: Path, database: Database) -> Generator[House]:
    with house_of(folder, database, Scattered()) as opened:
        published(opened)
        yield opened


@contextmanager
def administering(database: Database) -> Generator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(database.admin_url) as session:
        yield session


def copies(database: Database) -> list[object]:
    """Tables of the schema of indexes."""
    with administering(database) as session:
        return column(
            session,
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'indexes'::regnamespace"
            " AND relkind = 'r' ORDER BY 1",
        )


def both(house: House, request: SearchRequest = ASKED) -> tuple[Searched, Searched]:
    return house.search(request), house.search(request, exactly=True)


def shown(found: Searched) -> list[str]:
    return [hit.provenance.fragment_id for hit in found.hits]


def test_an_admitted_index_answers_and_shows_what_a_scan_shows(
    house: House, database: Database
) -> None:
    """R114: from the commit that admits it on, of this archive, with a table nobody else may
    read.
    """
    assert not house.search(ASKED).by_index
    check, made = IndexDesk(house).create(GOOD)
    assert check.admitted
    assert made is not None
    assert (made.admitted, made.vectors, check.by_index > 0) == (True, ESSAYS, True)
    ours, exact = both(house)
    assert (ours.by_index, shown(ours)) == (True, shown(exact))
    assert copies(database) == ["near_1_1"]
    with administering(database) as session:
        owner = "SELECT relowner::regrole::text || coalesce(relacl::text, '') FROM pg_class"
        assert column(session, f"{owner} WHERE relname = 'near_1_1'") == ["fonds_indexer"]
        session.execute("SET ROLE fonds_reader")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("SELECT * FROM indexes.near_1_1")


def test_the_graph_is_what_the_copy_is_searched_by(house: House, database: Database) -> None:
    """And the table every archive shares has no other index than before."""
    with administering(database) as session:
        before = column(
            session, "SELECT indexname FROM pg_indexes WHERE schemaname = 'served' ORDER BY 1"
        )
    IndexDesk(house).create(GOOD)
    with administering(database) as session:
        session.execute("SET enable_seqscan = off")  # as the function that asks it does
        session.execute("SET enable_sort = off")
        plan = column(
            session,
            "EXPLAIN SELECT fragment_id FROM indexes.near_1_1 ORDER BY embedding OPERATOR(ext.<=>)"
            " (SELECT embedding FROM indexes.near_1_1 LIMIT 1) LIMIT 9",
        )
        after = column(
            session, "SELECT indexname FROM pg_indexes WHERE schemaname = 'served' ORDER BY 1"
        )
    assert any("Index Scan using near_1_1_graph" in str(line) for line in plan)
    assert after == before


def test_an_index_that_misses_hits_is_dropped_again(house: House, database: Database) -> None:
    """R114: a poor graph, planted; recall is below .99 and nothing of it stays."""
    check, made = IndexDesk(house).create(BAD)
    assert check.recall is not None
    assert check.recall < 0.99
    assert (check.admitted, made, copies(database)) == (False, None, [])
    ours, exact = both(house)
    assert replace(ours, figures=None) == replace(exact, figures=None)


def test_an_index_that_misses_hits_takes_none_away(house: House, database: Database) -> None:
    """R114: the one that was in use is made again, of its own shape, and earns it again."""
    _, used = IndexDesk(house).create(GOOD)
    check, made = IndexDesk(house).create(BAD)
    assert not check.admitted
    assert used is not None
    assert made is not None
    assert (made.admitted, made.shape, made.vectors) == (True, used.shape, used.vectors)
    assert copies(database) == ["near_1_1"]
    ours, exact = both(house)
    assert (ours.by_index, shown(ours)) == (True, shown(exact))


@pytest.mark.parametrize("broken", [BAD, GOOD])
def test_an_index_whose_making_is_broken_off_is_wished_for_again(
    house: House,
    database: Database,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    broken: IndexShape,
) -> None:
    """R114: the new one or, after it found too little, the one before. Until then every row is
    compared; the next build makes the one that was in use.
    """
    IndexDesk(house).create(GOOD)
    make = PostgresIndexStore.make

    def broken_off(indexes: PostgresIndexStore, build_id: int, shape: IndexShape) -> int:
        if shape != broken:
            return make(indexes, build_id, shape)
        indexes.drop(build_id)
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(PostgresIndexStore, "make", broken_off)
        with pytest.raises(KeyboardInterrupt):
            IndexDesk(house).create(BAD)
    assert copies(database) == []
    ours, exact = both(house)
    assert replace(ours, figures=None) == replace(exact, figures=None)
    (folder / "essays/on-new.md").write_text(essay("New", "Said of the harbour anew."), "utf-8")
    assert published(house).index["state"] == "admitted"
    kept = house.indexing.indexes.index_of(2)
    assert kept is not None
    assert kept.shape == GOOD


def test_what_was_measured_cannot_be_written_as_admitted(house: House) -> None:
    """R114: the database refuses it, whoever asks."""
    IndexDesk(house).create(GOOD)
    with pytest.raises(StoreRefused, match="only_what_finds_all_is_admitted"):
        house.indexing.indexes.note_check(1, questions=9, by_index=9, recall=0.98, admitted=True)


def test_a_small_archive_is_told_why_it_gets_none(house: House, database: Database) -> None:
    with pytest.raises(Misconfigured, match=f"{ESSAYS} public vectors: below {LEAST_VECTORS}"):
        IndexDesk(house).create(IndexShape())
    with pytest.raises(Misconfigured, match="build 1 has no index"):
        IndexDesk(house).check()
    assert copies(database) == []


def test_every_build_earns_its_own_and_a_rollback_brings_back_its_own(
    house: House, folder: Path, database: Database
) -> None:
    """R114: made and measured before the build is live; the ones kept stay usable."""
    IndexDesk(house).create(GOOD)
    (folder / "essays/on-new.md").write_text(essay("New", "Said of the harbour anew."), "utf-8")
    made = published(house)
    assert (made.build_id, made.index["state"]) == (2, "admitted")
    assert copies(database) == ["near_1_1", "near_1_2"]
    assert both(house)[0].by_index
    assert house.rollback().build_id == 1
    ours, exact = both(house)
    assert (ours.by_index, shown(ours)) == (True, shown(exact))
    assert IndexDesk(house).drop() == 2
    assert copies(database) == []
    assert not house.search(ASKED).by_index
    assert published(house).index == {"state": "off"}


def test_a_build_whose_index_finds_too_little_goes_live_without_one(
    house: House, folder: Path, database: Database
) -> None:
    """R114: the wish is kept, and the next build tries again."""
    IndexDesk(house).create(GOOD)
    poor = "UPDATE served.near_index SET links = 2, width = 4, breadth = 9"
    with administering(database) as session:
        session.execute(poor)
    (folder / "essays/on-new.md").write_text(essay("New", "Said of the harbour anew."), "utf-8")
    made = published(house)
    assert (made.switched, made.index["state"]) == (True, "not admitted")
    assert copies(database) == ["near_1_1"]
    ours, exact = both(house)
    assert replace(ours, figures=None) == replace(exact, figures=None)
    again = house.build()
    assert (again.unchanged, again.index["state"]) == (True, "not admitted")


def test_what_is_withdrawn_leaves_the_index_at_once(
    house: House, folder: Path, database: Database
) -> None:
    """R191: no search shows it, its vector is gone, and until a check every row is compared."""
    IndexDesk(house).create(GOOD)
    best = shown(house.search(ASKED))[0]
    AuthorDesk(house).tighten([best], "none")
    ours, exact = both(house)
    assert replace(ours, figures=None) == replace(exact, figures=None)
    assert best not in shown(ours)
    with administering(database) as session:
        held = column(session, "SELECT fragment_id FROM indexes.near_1_1")
    assert (best in held, len(held)) == (False, ESSAYS - 1)
    check, _ = IndexDesk(house).check()
    assert check.admitted
    ours, exact = both(house)
    assert (ours.by_index, shown(ours)) == (True, shown(exact))


def test_a_public_text_made_stricter_is_only_located_at_once(house: House) -> None:
    """R191: content is read under its own row security, whatever named the row."""
    IndexDesk(house).create(GOOD)
    best = house.search(ASKED).hits[0]
    AuthorDesk(house).tighten([best.provenance.fragment_id], "locator")
    ours = house.search(ASKED)
    assert ours.by_index
    hit = next(
        one for one in ours.hits if one.provenance.fragment_id == best.provenance.fragment_id
    )
    assert type(hit).__name__ == "LocatorHit"


def test_an_archive_that_leaves_takes_its_indexes_along(house: House, database: Database) -> None:
    """R192: nothing of the schema of indexes is left of it."""
    IndexDesk(house).create(GOOD)
    host = open_pool(database.login("fonds_host"))
    try:
        remove_archive(database.login("fonds_host"), host, open_archive(host, "example"))
    finally:
        host.close()
    assert copies(database) == []


def test_a_builds_check_shows_readers_nothing(house: House) -> None:
    """R114: as if it were admitted, inside a transaction that is rolled back."""
    IndexDesk(house).create(GOOD)
    indexes = house.indexing.indexes
    indexes.note_check(1, questions=0, by_index=0, recall=None, admitted=False)
    with house.calibrator.store.as_if_live(1, by_index=True):
        assert not house.search(ASKED).by_index
    kept = indexes.index_of(1)
    assert kept is not None
    assert replace(kept, checked_at=None).admitted is False
