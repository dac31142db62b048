"""Of two archives that differ in what nobody may be told of, nothing else that is told or counted
differs: pages, listings, standing, rows of the serving login, events, and what the author is shown
who asks as a reader (R097).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from fonds.observing.checked import Event
from fonds.observing.observer import Observer
from tests.archives import house_of
from tests.database.at_once import within_one_day
from tests.database.rows import cloned
from tests.database.twins import QUESTIONS, Twin, built, differences
from tests.desks import desk_over, sitting_at
from tests.hosts import client_of, host_of, minted
from tests.scopes import enter
from tests.servers import Database, TestServer

SLUGS = {"bare": "alike-bare", "none": "alike-none"}
# Of a row: which archive it is of, when it was made, and a digest of all a build was made of, which
# the login that serves may read and no reply holds.
APART = ["archive_id", "built_at", "made_at", "fingerprint"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two."""

    twin: Twin
    folder: Path
    keeper: str = field(repr=False)
    events: list[Event] = field(repr=False)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture(scope="module")
def sides(shared: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[list[Side]]:
    """Each served by an application of its own, so that what it tells is of one alone."""
    root = tmp_path_factory.mktemp("alike")
    with ExitStack() as stack:
        made: list[Side] = []
        for hidden, slug in SLUGS.items():
            folder = built(root, slug, hidden, "provisional", shared)
            told: list[Event] = []
            hosting = stack.enter_context(host_of(shared, {slug: folder}))
            watched = replace(hosting, observer=Observer((told.append,)))
            client = stack.enter_context(client_of(watched))
            twin = Twin(client, slug, minted(shared, slug, "search", "ask"))
            made.append(Side(twin, folder, minted(shared, slug, "admin"), told))
        yield made


def around_questions(side: Side) -> Mapping[str, str]:
    """What is told without a question."""
    client, at = side.twin.client, f"/v1/archives/{side.twin.slug}"
    person, keeper = {"accept": "text/html"}, {"authorization": f"Bearer {side.keeper}"}
    replies = {
        "page": client.get(f"/{side.twin.slug}/"),
        "about": client.get(f"/{side.twin.slug}/about"),
        "led": client.get(f"/{side.twin.slug}", follow_redirects=False),
        "no page": client.get(f"/{side.twin.slug}/essays", headers=person),
        "wrong": client.post(f"/{side.twin.slug}/", data={"q": "?"}, headers=person),
        "standing": client.get(f"{at}/standing", headers=keeper),
        "not for everybody": client.get(f"{at}/standing"),
    }
    told = {name: side.twin.told(reply) for name, reply in replies.items()}
    told["tools"] = side.twin.sent({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    return told | {"search": side.twin.searched("?", {}), "refused": side.twin.asked("", {})}


def test_what_is_told_without_a_question_is_the_same(sides: list[Side]) -> None:
    one, other = (around_questions(side) for side in sides)
    assert differences(one, other) == []
    assert "refusals" in one["standing"]
    assert one["tools"].startswith("200")


def test_the_login_that_serves_reads_the_same_rows(shared: Database, sides: list[Side]) -> None:
    """In the same order, by the same numbers."""
    one, other = (rows_of(shared, side.twin.slug) for side in sides)
    assert one == other
    assert len(one) > 10


def rows_of(database: Database, slug: str) -> list[str]:
    with psycopg.connect(database.url("fonds_reader")) as session:
        found = session.execute("SELECT api.open_archive(%s)", (slug,)).fetchone()
        assert found is not None
        enter(session, found[0])
        rows: list[str] = []
        for table in ("live", "build", "calibration", "entity", "fragment"):
            asked = sql.SQL("SELECT to_jsonb(t) - %s::text[] FROM served.{} t")
            rows += map(str, session.execute(asked.format(sql.Identifier(table)), (APART,)))
    return rows


def test_the_same_is_noted_and_counted_of_both(shared: Database, sides: list[Side]) -> None:
    """Events, of which measures are made, and what a day has used up, but for times and names."""

    def noted(side: Side) -> list[str]:
        del side.events[:]
        for query in QUESTIONS:
            side.twin.searched(query, {})
            side.twin.asked(query, {})
            side.twin.asked_on_its_page(query)
        return [marks_of(event) for event in side.events]

    def asked() -> list[str]:
        return ["\n".join(noted(side)) for side in sides]

    one, other = within_one_day(shared, asked)
    assert one.splitlines() == other.splitlines()
    assert {"question.answered", "question.refused", "archive.searched"} <= set(one.split())
    assert counted(shared, sides[0].twin.slug) == counted(shared, sides[1].twin.slug) != []


def marks_of(event: Event) -> str:
    """An event without what differs between any two: moments, durations, requests, the archive."""
    marks = {
        name: mark
        for name, mark in event.marks().items()
        if name not in ("archive", "milliseconds", "request", "seconds", "bytes")
    }
    return f"{event.name} {marks}"


def counted(database: Database, slug: str) -> Sequence[object]:
    with psycopg.connect(database.admin_url) as session:
        return session.execute(
            "SELECT c.requests, c.questions FROM private.caller_day c"
            " JOIN private.archive a USING (archive_id) WHERE a.slug = %s ORDER BY 1, 2",
            (slug,),
        ).fetchall()


def test_an_author_who_asks_as_a_reader_is_shown_the_same(
    shared: Database, sides: list[Side]
) -> None:
    """Hits, figures and the gate as the desk shows them, to the byte."""
    one, other = (asked_at_the_desk(shared, side) for side in sides)
    assert differences(one, other) == []
    assert any("What a reader" in page or "score" in page for page in one.values())


def asked_at_the_desk(database: Database, side: Side) -> dict[str, str]:
    with house_of(side.folder, database) as house, sitting_at(desk_over(house)) as sitting:
        shown = {query: sitting.post("/ask", {"q": query}, 200) for query in QUESTIONS}
    return {
        query: re.sub("[0-9a-f]{64}", "", page.replace(side.twin.slug, ""))
        for query, page in shown.items()
    }


def test_the_premise_is_that_only_one_holds_what_is_hidden(
    shared: Database, sides: list[Side]
) -> None:
    with psycopg.connect(shared.admin_url) as session:
        held = [
            session.execute(
                "SELECT count(*) FROM private.entity e JOIN private.archive a USING (archive_id)"
                " WHERE a.slug = %s",
                (side.twin.slug,),
            ).fetchone()
            for side in sides
        ]
    assert held == [(5,), (9,)]
