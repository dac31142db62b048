"""Words are kept of what is served as text, and go with it at once (R112, R191)."""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import psycopg
import pytest

from fonds.store.databases import ROLES
from tests.database import rows
from tests.database.rows import (
    ADMINISTRATOR,
    QUOTED,
    Session,
    act,
    cloned,
    column,
    one,
    put,
    rolled_back,
)
from tests.servers import Database, TestServer

BUILDS = {1: "retired", 2: "checked", 3: "building"}
# Two texts of one entity share a word; the second stands in another block of the postings.
WORDS = {"note:a#1": (1023, ["kite", "tide"], [7, 9]), "note:a#2": (1024, ["tide"], [3])}
HELD = [("kite", 0, [1023 * 1024 + 7]), ("tide", 0, [1023 * 1024 + 9]), ("tide", 1, [1024**2 + 3])]
OTHERS = [("tide", 1, [1024**2 + 3])]

# What takes the first text back, by whom.
RETRACTED: tuple[tuple[str, LiteralString], ...] = (
    (
        "fonds_ingest",
        "UPDATE private.fragment SET exposure = 'locator' WHERE fragment_id = 'note:a#1'",
    ),
    (
        "fonds_ingest",
        "UPDATE private.fragment SET exposure = 'none' WHERE fragment_id = 'note:a#1'",
    ),
    ("fonds_ingest", "DELETE FROM private.fragment WHERE fragment_id = 'note:a#1'"),
    ("fonds_ingest", "SELECT api.narrow_fragment('note:a#1', 'locator')"),
    (
        "fonds_build",
        "UPDATE served.fragment SET exposure = 'locator', text = '' WHERE fragment_id = 'note:a#1'",
    ),
    ("fonds_build", "DELETE FROM served.fragment WHERE fragment_id = 'note:a#1'"),
)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    """Archives 1 and 2 serve the same two texts in three builds each."""
    with rolled_back(shared) as made:
        made.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
        for archive_id in (1, 2):
            _archive_with_words(made, archive_id)
        yield made


def _archive_with_words(session: Session, archive_id: int) -> None:
    session.execute("RESET ROLE")
    assert rows.registered(session, f"archive-{archive_id}") == archive_id
    rows.stored(session, archive_id, public=True)
    second = rows.fragment(archive_id, fragment_id="note:a#2", raw="public", exposure="text")
    put(session, "private.fragment", second)
    for build_id, state in BUILDS.items():
        rows.served(session, archive_id, build_id, public=True, state=state)
        shape = QUOTED | {"fragment_id": "note:a#2", "build_id": build_id}
        put(session, "served.fragment", rows.served_fragment(archive_id, **shape))
        for fragment_id, (number, words, weights) in WORDS.items():
            session.execute(
                "INSERT INTO served.word_list VALUES (%s, %s, %s, 'public', 'text', %s, %s, %s)",
                (archive_id, build_id, fragment_id, number, words, weights),
            )


def _held(session: Session, archive_id: int, build_id: int) -> list[tuple[object, ...]]:
    """Postings of a build, with the deferred work of a commit done."""
    session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    session.execute("SET CONSTRAINTS ALL DEFERRED")
    act(session, "fonds_build", archive_id)
    return session.execute(
        "SELECT word, block, held FROM served.posting WHERE build_id = %s ORDER BY 1, 2",
        (build_id,),
    ).fetchall()


@pytest.mark.parametrize(("role", "statement"), RETRACTED)
def test_the_words_of_a_text_leave_every_kept_build(
    session: Session, role: str, statement: LiteralString
) -> None:
    """R112, R191: at once, whoever narrows; the words of another text stay, in either archive."""
    assert all(_held(session, 1, build) == HELD for build in BUILDS)
    act(session, role, 1)
    session.execute(statement)
    assert all(_held(session, 1, build) == OTHERS for build in BUILDS)
    assert column(session, "SELECT DISTINCT fragment_id FROM served.word_list") == ["note:a#2"]
    if role == "fonds_ingest":
        assert column(session, "SELECT DISTINCT text_count FROM served.build") == [1]
    assert all(_held(session, 2, build) == HELD for build in BUILDS)


def test_postings_go_with_their_build_and_their_entity(session: Session) -> None:
    """R095: nothing of a pruned build stays, and nothing of an entity whose file is gone."""
    act(session, "fonds_build", 1)
    session.execute("DELETE FROM served.build WHERE build_id = 1")
    assert _held(session, 1, 1) == []
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.source")
    assert [_held(session, 1, build) for build in BUILDS] == [[], [], []]
    assert one(session, "SELECT count(*) FROM served.word_list") == 0


@pytest.mark.parametrize("role", [ADMINISTRATOR, "fonds_owner", "fonds_narrower", *ROLES])
def test_words_of_private_text_are_refused_for_every_role(session: Session, role: str) -> None:
    """R112: private text has no lexical trace; the database says so itself."""
    for raw, exposure in (("private", "locator"), ("public", "locator"), ("private", "text")):
        act(session, role, 1)
        with pytest.raises(psycopg.Error) as refusal, session.transaction():
            session.execute(
                "INSERT INTO served.word_list"
                " VALUES (1, 2, 'note:a#3', %s, %s, 5, '{leak}', '{1}')",
                (raw, exposure),
            )
        assert refusal.value.sqlstate == (
            "23514" if role in {ADMINISTRATOR, "fonds_build"} else "42501"
        )


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO served.posting VALUES (1, 2, 'leak', 0, '{1025}')",
        "UPDATE served.posting SET held = held || 1025",
        "DELETE FROM served.posting",
        "UPDATE served.word_list SET words = '{leak,tide}'",
    ],
)
def test_nobody_writes_postings_beside_the_lists(session: Session, statement: str) -> None:
    """R112: what is found by word is what a list of public text holds."""
    for role in ROLES:
        act(session, role, 1)
        with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute(statement.encode())


def test_a_text_that_comes_twice_is_held_twice(session: Session) -> None:
    """Lists may come in several statements: postings of one word grow, and shrink again."""
    act(session, "fonds_build", 1)
    put(session, "served.fragment", rows.served_fragment(1, **QUOTED | {"fragment_id": "note:a#4"}))
    session.execute(
        "INSERT INTO served.word_list VALUES"
        " (1, 1, 'note:a#4', 'public', 'text', 2, '{kite}', '{1023}')"
    )
    assert _held(session, 1, 1)[0] == ("kite", 0, [1023 * 1024 + 7, 2 * 1024 + 1023])
    session.execute("DELETE FROM served.word_list WHERE fragment_id = 'note:a#4'")
    assert _held(session, 1, 1) == HELD
