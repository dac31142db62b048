"""No argument of `api.nearest` tells a private cosine finer than its released value (R122)."""

from __future__ import annotations

import math
from collections.abc import Generator

import psycopg
import pytest

from tests.database import rows
from tests.database.rows import Row, Session, act, cloned, put, rolled_back
from tests.servers import Database, TestServer

ASKED: Row = {
    "v": "[1,0,0]",
    "phrases": "{}",
    "floor": -1.0,
    "public_cap": 50,
    "private_cap": 50,
    "everything": True,
    "disclosure": 0.0,
    "recency": 0.0,
    "other": 0.0,
    "lexical": 0.0,
    "title": 0.0,
}
NEAREST = b"""
    SELECT fragment_id, cosine, certain_private FROM api.nearest(
        %(v)s, %(phrases)s, %(floor)s, %(public_cap)s, %(private_cap)s, %(everything)s,
        NULL, NULL, NULL, NULL, NULL, true, NULL, false, NULL, false,
        %(title)s, 0, '{public,private}', NULL, %(recency)s, '{public}', NULL,
        %(disclosure)s, %(other)s, '{tide}', 2, %(lexical)s)
"""

# Two exact cosines that are released as the same 0.55.
NEAR, FAR = 0.5269, 0.5731


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    """Two private fragments with different cosines and one released value."""
    with rolled_back(shared) as made:
        made.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
        assert rows.registered(made, "first") == 1
        rows.served(made, 1, 1)
        made.execute("DELETE FROM served.fragment")
        for name, cosine in (("a", NEAR), ("b", FAR)):
            put(made, "served.fragment", rows.served_fragment(1, fragment_id=f"note:a#{name}"))
            vector = f"[{cosine},{math.sqrt(1 - cosine * cosine)},0]"
            row = rows.served_embedding(1, fragment_id=f"note:a#{name}", embedding=vector)
            put(made, "served.embedding", row)
        rows.go_live(made, 1, 1)
        act(made, "fonds_reader", 1)
        yield made


def _found(session: Session, **changes: object) -> list[tuple[object, ...]]:
    return session.execute(NEAREST, ASKED | changes).fetchall()


def test_equal_released_values_are_ordered_by_id(session: Session) -> None:
    """A list ordered by exact scores would undo the rounding."""
    assert _found(session) == [("note:a#a", 0.55, 2), ("note:a#b", 0.55, 2)]


@pytest.mark.parametrize("boost", ["other", "disclosure", "recency", "title", "lexical"])
def test_no_floor_tells_two_of_them_apart(session: Session, boost: str) -> None:
    """A floor moved in small steps, with any boost: both come or neither, counted alike."""
    for promised in (0.0, 0.013, 0.1):
        for step in range(380, 760, 3):
            found = _found(
                session, **{boost: promised, "floor": step / 1000, "everything": step % 2 == 0}
            )
            assert len(found) in {0, 2}, (promised, step)
            assert {cosine for _, cosine, _ in found} <= {0.55}
            assert {certain for *_, certain in found} <= {0, 2}


def test_a_cap_does_not_tell_them_apart(session: Session) -> None:
    """What is tied by released value at the cut is kept or left out by released value."""
    assert len(_found(session, private_cap=1, everything=False, floor=0.2)) == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"v": None},
        {"v": "[0,0,0]"},
        {"v": "[1,0]"},
        {"floor": None},
        {"private_cap": 0},
        {"public_cap": 1001},
        {"other": -0.1},
        {"disclosure": -5.0},
        {"lexical": -0.1},
    ],
)
def test_an_argument_out_of_bounds_is_refused(session: Session, changes: Row) -> None:
    """C05, C06: a missing, zero or foreign query vector is refused; it finds not everything."""
    with pytest.raises(psycopg.DataError):
        _found(session, **changes)


def test_nothing_live_answers_nothing(session: Session) -> None:
    session.execute("RESET ROLE")
    session.execute("DELETE FROM served.live")
    act(session, "fonds_reader", 1)
    assert _found(session) == []
