"""A desk for a test: over files and a database of its own, signed in, or served to a browser."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, LiteralString

import psycopg
from starlette.testclient import TestClient

from fonds.desk.app import create_desk
from fonds.desk.desk import Desk
from fonds.desk.way_in import CSRF_FIELD, WayIn
from fonds.observing.observer import SILENT, Observer
from fonds.wiring.house import House
from tests.browsers import listening
from tests.scopes import enter
from tests.servers import Database

KEY: Final = "a-key-of-thirty-two-characters-or-more"
NAMES: Final = ("localhost:*", "127.0.0.1:*")
BASE: Final = "http://127.0.0.1"


def desk_over(house: House) -> Desk:
    """A desk nobody sits at yet; `KEY` lets in."""
    return Desk(house, WayIn(KEY, NAMES))


@dataclass(frozen=True, slots=True)
class Sitting:
    """A client with a session of its own, and what its forms bring."""

    client: TestClient
    csrf: str = field(repr=False)

    def get(self, path: str) -> str:
        """The page at an address, which has to be there."""
        reply = self.client.get(path)
        assert reply.status_code == 200, reply.text
        return reply.text

    def post(self, path: str, fields: Mapping[str, str | list[str]], status: int = 303) -> str:
        """What a form of this session comes to; the address it leads to, or the page."""
        sent = {CSRF_FIELD: self.csrf, **fields}
        reply = self.client.post(path, data=sent, follow_redirects=False)
        assert reply.status_code == status, reply.text
        return reply.headers["location"] if status == 303 else reply.text


@contextmanager
def visitor_at(desk: Desk, observer: Observer = SILENT) -> Generator[TestClient]:
    """A client without a session."""
    with TestClient(create_desk(desk, observer), base_url=BASE, follow_redirects=False) as client:
        yield client


@contextmanager
def sitting_at(desk: Desk, observer: Observer = SILENT) -> Generator[Sitting]:
    """A client that came in by the key."""
    with visitor_at(desk, observer) as client:
        assert client.post("/enter", data={"key": KEY}).status_code == 303
        (session,) = client.cookies.jar
        assert session.value is not None
        yield Sitting(client, desk.way_in.csrf(session.value))


@contextmanager
def served_to_browsers(desk: Desk) -> Generator[str]:
    """The desk on a free port of this machine, in a thread; yields its address."""
    with listening(create_desk(desk, SILENT)) as address:
        yield address


def in_archive(
    database: Database, statement: LiteralString, **values: object
) -> list[tuple[object, ...]]:
    """The rows of a statement that the superuser runs within the one archive of a database."""
    with psycopg.connect(database.admin_url) as session:
        ((archive_id,),) = session.execute("SELECT archive_id FROM private.archive").fetchall()
        enter(session, archive_id)
        found = session.execute(statement, values)
        return found.fetchall() if found.description else []
