"""A build goes live in one order alone: begun, filled, checked, switched (R095)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import Failure, Misconfigured, NothingServed, ValidationRefused
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.settings import Settings
from fonds.store.archives import open_archive
from fonds.store.build_store import PostgresBuildStore
from fonds.store.pools import Pool
from fonds.store.servers import Server
from fonds.store.share import share_path
from fonds.wiring.house import House
from fonds.wiring.opening import opened
from tests.archives import essay, house_of, published, written
from tests.servers import Database


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, {"essays/a.md": essay("A", "Kites over the dyke.")})


def test_a_build_nobody_checked_does_not_go_live(
    folder: Path, database: Database, pool_of: Callable[..., Pool]
) -> None:
    """R095: the old build stays, and what was not wanted goes."""
    with house_of(folder, database) as house:
        published(house)
        store = PostgresBuildStore(pool_of("fonds_build"), 1)
        with store.session(house.terms) as session:
            build_id = session.build_id
        with pytest.raises(ValidationRefused, match="build 2 was not checked"):
            store.switch(build_id, keep=3)
        assert [(b.build_id, b.state, b.live) for b in house.builds()] == [
            (2, "building", False),
            (1, "checked", True),
        ]
        store.discard(1)
        assert store.prune(3) == 1
        assert [(build.build_id, build.live) for build in house.builds()] == [(1, True)]


def test_an_archive_that_is_not_registered_cannot_be_built(
    database: Database, pool_of: Callable[..., Pool], folder: Path
) -> None:
    with house_of(folder, database) as house:
        store = PostgresBuildStore(pool_of("fonds_build"), 77)
        with pytest.raises(NothingServed, match="not registered"), store.session(house.terms):
            pass
        with pytest.raises(NothingServed, match="no archive 'example'"):
            open_archive(pool_of("fonds_build"), "example")


def test_other_terms_are_another_build(folder: Path, database: Database) -> None:
    """R095: floors are served with the build, so a floor that moved is a change."""
    with house_of(folder, database) as house:
        published(house)
        assert house.build(yes=True).unchanged
        floors = replace(house.config.floors, score=0.4, coverage=0.25)
        house.config = replace(house.config, floors=floors)
        assert house.build(yes=True).switched
        live = house.live_build()
        assert (live.score_floor, live.coverage_floor) == (0.4, 0.25)


def test_served_rows_that_were_changed_by_hand_are_found(folder: Path, database: Database) -> None:
    """R093: by a rule that no constraint of one row can keep."""
    with house_of(folder, database) as house:
        published(house)
        house.validate()
        with psycopg.connect(database.admin_url) as session:
            session.execute("DELETE FROM served.embedding")
        with pytest.raises(ValidationRefused, match=r"1 problem\(s\) served: build 1: counts"):
            house.validate()


def test_every_pool_is_closed_when_the_house_is_left(
    folder: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty archives on one host: what a command opened, it gives back, however it ends."""

    @contextmanager
    def on_this_database(settings: object) -> Generator[object]:
        yield Server(database.url, None, database.key)

    monkeypatch.setattr("fonds.wiring.opening.serving", on_this_database)
    pools: list[Pool] = []

    def worked(house: House) -> None:
        published(house)
        house.live_build()
        pools.extend(house.pool(role) for role in ("fonds_ingest", "fonds_build", "fonds_reader"))
        raise Failure("left early")

    with pytest.raises(Failure, match="left early"), opened(Settings(), folder) as house:
        worked(house)
    assert [pool.closed for pool in pools] == [True] * 3
    assert HashingEmbedder().space == house.embedder.space


def test_an_installation_that_lacks_its_files_says_so() -> None:
    with pytest.raises(Misconfigured, match=r"lacks db/nowhere\.sql: install fonds again"):
        share_path("db/nowhere.sql")
