"""One archive of every kind of gist, on a database of each module, and a desk over it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from fonds.desk.desk import Desk
from fonds.desk.way_in import WayIn
from fonds.wiring.house import House
from tests.archives import essay, house_of, ingested, note, written
from tests.browsers import browser
from tests.database.rows import cloned
from tests.desks import KEY, NAMES, Sitting, desk_over, served_to_browsers, sitting_at, visitor_at
from tests.servers import Database, TestServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SECRETS = (
    "Grandmother pawned the brass sextant to pay the harbour pilot in winter.",
    "The miller buried his ledger under the third sycamore beside the weir.",
    "The watchmaker forged the almanac page and burned the genuine one.",
)


@pytest.fixture(scope="module")
def desk_database(server: TestServer, template: str) -> Generator[Database]:
    """A migrated database of one module."""
    with cloned(server, template) as made:
        yield made


@pytest.fixture(scope="module")
def house(desk_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """One public essay and a private note for each of SECRETS that asks to be described; ingested,
    and not built.
    """
    files = {"essays/on-kites.md": essay("On Kites", "My aunt Ilse taught me to fly kites.")}
    files |= {
        f"notes/note-{place}.md": note(
            f"Note {place}", text, exposure="semantic", locator=f"p. {place}"
        )
        for place, text in enumerate(SECRETS, start=1)
    }
    folder = written(tmp_path_factory.mktemp("desk"), files)
    with house_of(folder, desk_database) as opened:
        ingested(opened)
        yield opened


@pytest.fixture(scope="module")
def desk(house: House) -> Desk:
    """The desk of the module's archive."""
    return desk_over(house)


@pytest.fixture(scope="module")
def sitting(desk: Desk) -> Generator[Sitting]:
    """A signed-in client of the desk."""
    with sitting_at(desk) as made:
        yield made


@pytest.fixture(scope="module")
def desk_address(desk: Desk) -> Generator[str]:
    """Where a browser reaches the desk."""
    with served_to_browsers(desk) as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    """One browser a module."""
    with browser() as launched:
        yield launched


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(house: House, clock: Clock) -> Desk:
    """A desk of this test alone, by its clock."""
    return Desk(house, WayIn(KEY, NAMES, clock))


@pytest.fixture
def visitor(timed: Desk) -> Generator[TestClient]:
    with visitor_at(timed) as client:
        yield client
