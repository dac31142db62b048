"""R094: what serves callers has no address of the desk, and no connection of whoever sits at it."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import ExitStack

import pytest
from fastapi.routing import APIRoute

from fonds.desk.app import ROUTES
from fonds.desk.desk import Desk
from fonds.desk.way_in import WayIn
from fonds.store.servers import named_server
from fonds.wiring.house import House
from fonds.wiring.serving import RolePools
from tests.desks import KEY, NAMES, Sitting, sitting_at
from tests.hosts import client_of, host_of
from tests.servers import Database

SERVED_POOLS = {"fonds_reader"}


def test_a_service_knows_no_address_of_the_desk(
    desk: Desk, house: House, desk_database: Database
) -> None:
    """Every one of them is asked for, by every method; afterwards the process has connected as the
    reader and as nobody else.
    """
    folder = house.config.file.parent
    routes = [one for section in ROUTES for one in section(desk).routes]
    paths = {re.sub("{[^}]*}", "x", one.path) for one in routes if isinstance(one, APIRoute)}
    assert len(paths) > 5
    with host_of(desk_database, {"example": folder}) as hosting, client_of(hosting) as client:
        client.get("/v1/archives/example")
        for path in paths:
            for method in ("GET", "POST"):
                assert client.request(method, path).status_code in (404, 405), path
        assert set(hosting.pools.opened) <= SERVED_POOLS


@pytest.fixture
def reader_alone(house: House, desk_database: Database) -> Generator[Sitting]:
    """A desk whose settings name the reader's URL and no other."""

    def url_of(role: str) -> str | None:
        return desk_database.url(role) if role == "fonds_reader" else None

    with ExitStack() as stack:
        server = named_server(url_of)
        bare = House(
            house.settings,
            house.config,
            server,
            house.embedder,
            house.writer,
            RolePools(server, stack),
        )
        with sitting_at(Desk(bare, WayIn(KEY, NAMES))) as sitting:
            yield sitting


def test_a_role_without_a_url_is_missed_where_it_is_needed(reader_alone: Sitting) -> None:
    """The desk opens; the page that needs the role says in a line what is missing."""
    reply = reader_alone.client.get("/gists")
    assert reply.status_code == 503
    assert "no URL for fonds_curator: set FONDS_DATABASE_URL or the one of" in reply.text
    assert "It did not happen" in reply.text
