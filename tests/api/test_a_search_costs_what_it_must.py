"""What a search over HTTP costs beside the search itself, counted: round trips, messages between
threads, values taken apart. Whoever adds to it says so here.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Generator, Mapping
from typing import Any

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient

from fonds.api import asking
from fonds.contract.evidence_hit import EvidenceHit
from fonds.settings import Settings
from fonds.store import pools
from fonds.store.limiter import PostgresLimiter
from fonds.wiring.hosting import Hosting
from fonds.wiring.reply_cache import KeptReply, ReplyCache
from tests.answering.hits import text_hit
from tests.api.conftest import Hosted
from tests.hosts import client_of, host_of
from tests.python_calls import python_calls
from tests.round_trips import RoundTrips, traced
from tests.wiring.test_a_reply_is_kept_for_its_edition import ASKED, EDITION, response

ADDRESS = "/v1/archives/harbour/search"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the driver traces on Linux alone")


@pytest.fixture(scope="module")
def narrow(hosted: Hosted) -> Generator[Hosting]:
    """One thread, so one connection a pool."""
    settings = Settings(serve_threads=1)
    with host_of(hosted.database, hosted.folders, settings=settings) as made:
        yield made


@pytest.fixture(scope="module")
def narrow_client(narrow: Hosting) -> Generator[TestClient]:
    with client_of(narrow) as made:
        yield made


@pytest.fixture
def trips(narrow: Hosting, monkeypatch: pytest.MonkeyPatch) -> Generator[RoundTrips]:
    """`reader` searches and keeps the door, `limiter` counts. However long a connection rests, it
    is looked at and not asked.
    """
    monkeypatch.setattr(pools, "ASKED_AFTER_SECONDS", float("inf"))
    assert isinstance(narrow.limiter, PostgresLimiter)
    with traced(reader=narrow.pools.of("fonds_reader"), limiter=narrow.limiter.pool) as made:
        yield made


def searched(client: TestClient, hosted: Hosted, question: str) -> dict[str, Any]:
    reply = client.post(ADDRESS, json={"q": question}, headers=hosted.bearer("harbour"))
    assert reply.status_code == 200
    return reply.json()


@on_linux
def test_round_trips_of_a_search_and_of_a_kept_one(
    narrow_client: TestClient, hosted: Hosted, trips: RoundTrips
) -> None:
    """Two to be let in, with the wiping; two to be counted; four for a search, three for the
    edition of a kept reply.
    """
    searched(narrow_client, hosted, "Which crane lifted the herring at first?")
    trips.since()

    found = searched(narrow_client, hosted, "Which crane lifted the herring?")
    once = trips.since()
    again = searched(narrow_client, hosted, "Which crane lifted the herring?")

    assert found == again
    assert found["hits"]
    assert once["limiter"] == 2
    assert once["reader"] <= 2 + 4
    assert trips.since() == {"reader": 2 + 3, "limiter": 2}


@on_linux
def test_who_is_turned_away_costs_two_round_trips(
    narrow_client: TestClient, hosted: Hosted, trips: RoundTrips
) -> None:
    for key, status in (("fk_made_up", 404), (None, 401)):
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        trips.since()
        reply = narrow_client.post(ADDRESS, json={"q": "Which crane?"}, headers=headers)
        assert reply.status_code == status
        assert trips.since() == {"reader": 2, "limiter": 0}


def test_a_reply_is_written_once_and_not_on_the_event_loop(
    narrow_client: TestClient, hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    as_it_is = asking.json_response

    def noted(document: Mapping[str, object]) -> Response:
        written.append(threading.current_thread().name)
        return as_it_is(document)

    monkeypatch.setattr(asking, "json_response", noted)
    found = searched(narrow_client, hosted, "Which crane lifted forty barrels?")

    assert found["hits"]
    assert written == ["fonds-0"]


def _calls_to_keep(hits: tuple[EvidenceHit, ...], question: str) -> int:
    """How many functions written in Python a reply's keeping calls."""
    cache = ReplyCache()
    reply = KeptReply(dataclasses.replace(response(), hits=hits), private=False)
    asked = dataclasses.replace(ASKED, query=question)
    for _ in range(2):  # the first finds what is looked up once a class
        cache.keep(EDITION, "search", asked, reply)
    return python_calls(lambda: cache.keep(EDITION, "search", asked, reply))


def test_keeping_a_reply_calls_one_function_a_value() -> None:
    """A hit is itself, its provenance, its entity and where it stands."""
    hits = tuple(text_hit(text=f"Kites on the dyke, {number}.") for number in range(20))
    values = 4

    more = _calls_to_keep(hits, "Who flew kites?") - _calls_to_keep(hits[:10], "Who flew kites?")

    assert 0 < more <= 10 * values
