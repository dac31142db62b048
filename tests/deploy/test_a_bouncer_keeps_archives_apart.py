"""Transaction pooling by pgbouncer: one connection to the server serves every caller, and no
archive sees another's rows (R094, C02).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg
import pytest

from fonds.contract.caller import Caller
from fonds.contract.failures import NotAdmitted
from fonds.contract.search_request import SearchRequest
from fonds.store.door import PostgresDoor
from fonds.store.limiter import PostgresLimiter
from fonds.store.pools import open_pool, transaction
from tests.archives import UNGATED, essay, house_of, published, written
from tests.database.at_once import told, uncounted, within_one_day
from tests.database.rows import cloned
from tests.deploy.bouncing import ROLE, bounced
from tests.hosts import minted
from tests.servers import Database, TestServer

SLUGS = ("ferries", "kites")
TERMS = UNGATED + "[limits]\nper_day = 2\n"


@dataclass(frozen=True, slots=True)
class _Bounced(Database):
    """The database as the service reaches it: the reader through the bouncer, jobs directly."""

    bouncer: str

    def url(self, role: str) -> str:
        return self.bouncer if role == ROLE else Database.url(self, role)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two archives whose essays say the same words of different things."""
    root = tmp_path_factory.mktemp("archives")
    return {
        slug: written(
            root / slug,
            {"essays/one.md": essay(f"On {slug}", f"The {slug} need wind.")},
            slug,
            gate=TERMS,
        )
        for slug in SLUGS
    }


@pytest.fixture(scope="module")
def direct(server: TestServer, template: str, folders: dict[str, Path]) -> Generator[Database]:
    with cloned(server, template) as made:
        for folder in folders.values():
            with house_of(folder, made) as house:
                published(house)
        yield made


@pytest.fixture(scope="module")
def through(direct: Database) -> Generator[_Bounced]:
    """Everybody shares one connection to the server."""
    with bounced(direct, server_connections=1) as url:
        yield _Bounced(direct.server, direct.name, url)


def test_every_transaction_sees_its_own_archive_alone(through: _Bounced) -> None:
    """The scope is set in the transaction and ends with it, whoever has the connection next."""
    pools = [open_pool(through.login(ROLE), read_only=True, size=1) for _ in SLUGS]
    try:
        for turn in range(12):
            which = turn % 2
            with transaction(pools[which], which + 1) as session:
                seen = session.execute("SELECT archive_id, title FROM served.entity").fetchall()
            assert seen == [(which + 1, f"On {SLUGS[which]}")]
            with (
                psycopg.connect(through.bouncer) as nobody,
                pytest.raises(psycopg.Error, match="archive"),
            ):
                nobody.execute("SELECT title FROM served.entity")
    finally:
        for pool in pools:
            pool.close()


def test_a_search_through_it_is_the_search_without_it(
    direct: Database, through: _Bounced, folders: dict[str, Path]
) -> None:
    """The whole engine, both archives by turns, over the one connection; nothing is prepared."""
    request = SearchRequest("Who needs wind?")
    for slug in SLUGS * 3:
        with house_of(folders[slug], through) as one, house_of(folders[slug], direct) as other:
            found = one.search(request).response
            assert found == other.search(request).response
            assert [hit.provenance.entity.title for hit in found.hits] == [f"On {slug}"]


def test_callers_are_let_in_and_counted_through_it(direct: Database, through: _Bounced) -> None:
    """R187: what is counted over the bouncer is counted for all: the next process sees it."""
    key = minted(direct, "kites", "search")
    pools = [open_pool(one.login(ROLE), size=2) for one in (through, direct)]
    try:
        door = PostgresDoor(pools[0])
        let_in = door.admit("kites", key, "search")
        caller = Caller("key", str(let_in.key_id))
        limiters = [PostgresLimiter(pool) for pool in pools]
        with pytest.raises(NotAdmitted):
            door.admit("ferries", key, "search")

        def attempt() -> list[str]:
            uncounted(direct)
            took = [partial(one.take, let_in.archive_id, caller) for one in limiters * 2]
            return [told(one) for one in took]

        assert within_one_day(direct, attempt) == ["counted", "counted", "day", "day"]
    finally:
        for pool in pools:
            pool.close()
