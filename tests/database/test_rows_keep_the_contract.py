"""Every CHECK and foreign key, each broken by one row: refused whoever writes it (R001, R093).

The rows are tried as the superuser, whom no grant and no policy stops.
"""

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest

from fonds.store.databases import ROLES
from tests.database import rows
from tests.database.broken_rows import BROKEN
from tests.database.lawful_rows import LAWFUL, lay_ground
from tests.database.rows import (
    ADMINISTRATOR,
    LOCATED,
    QUOTED,
    Row,
    Session,
    act,
    cloned,
    put,
    rolled_back,
)
from tests.scopes import enter
from tests.servers import Database, TestServer


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    """Archive 1 with a private entity stored and served; build 2 is being written."""
    with cloned(server, template) as made, psycopg.connect(made.admin_url) as session:
        lay_ground(session)
        session.commit()
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    with rolled_back(shared) as made:
        enter(made, 1)
        yield made


@pytest.mark.parametrize("table", LAWFUL)
def test_a_lawful_row_is_accepted(session: Session, table: str) -> None:
    """The premise: what is refused below is refused for what it changes."""
    put(session, table, LAWFUL[table])


@pytest.mark.parametrize(("table", "rule", "changes"), BROKEN)
def test_a_broken_row_is_refused_by_its_rule(
    session: Session, table: str, rule: str, changes: Row
) -> None:
    """R001, R092, R093: by name, also for whom no policy binds."""
    with pytest.raises(psycopg.errors.IntegrityError) as refusal:
        put(session, table, LAWFUL[table] | changes)
    assert refusal.value.diag.constraint_name == rule


def test_every_rule_of_the_catalogue_is_broken_above(session: Session) -> None:
    """A rule that is added later is missing here until a row breaks it."""
    known = session.execute(
        "SELECT conrelid::regclass::text, conname FROM pg_constraint"
        " WHERE connamespace IN ('private'::regnamespace, 'served'::regnamespace) AND"
        " contype IN ('c', 'f')"
    ).fetchall()
    assert set(known) == {(table, rule) for table, rule, _ in BROKEN}


def test_what_a_file_asks_is_noted_whatever_is_written_beside_it(session: Session) -> None:
    """R191: the column that a lifted tightening goes back to is the database's own."""
    for number, written in enumerate((None, "none", "semantic")):
        name = f"note:a#{number + 20}"
        put(session, "private.fragment", rows.fragment(1, fragment_id=name, file_exposure=written))
        asked = session.execute(
            "SELECT exposure, file_exposure FROM private.fragment WHERE fragment_id = %s", (name,)
        ).fetchall()
        assert asked == [("semantic", "semantic")]


def test_no_column_that_has_to_be_there_may_be_missing(session: Session) -> None:
    """A CHECK passes on NULL: what it looks at is NOT NULL, or the rule says so itself."""
    required = session.execute(
        "SELECT attrelid::regclass::text, attname FROM pg_attribute a JOIN pg_class c ON"
        " c.oid = attrelid"
        " WHERE relnamespace IN ('private'::regnamespace, 'served'::regnamespace) AND relkind = 'r'"
        " AND attnum > 0 AND attnotnull AND attidentity = '' AND attgenerated = ''"
    ).fetchall()
    assert len(required) > 100
    for table, name in set(required) - {("private.fragment", "file_exposure")}:
        with pytest.raises(psycopg.errors.NotNullViolation), session.transaction():
            put(session, table, LAWFUL[table] | {name: None})


@pytest.mark.parametrize("role", [ADMINISTRATOR, "fonds_owner", "fonds_narrower", *ROLES])
def test_text_on_a_location_is_refused_for_every_role(session: Session, role: str) -> None:
    """R093: a private-shaped row smuggled in is refused by the database itself, owner included."""
    act(session, role, 1)
    leak = rows.served_fragment(1, **LOCATED | {"fragment_id": "note:a#9", "text": "leak"})
    with pytest.raises(psycopg.Error) as refusal:
        put(session, "served.fragment", leak)
    bound = role in {ADMINISTRATOR, "fonds_build"}
    assert refusal.value.sqlstate == ("23514" if bound else "42501")


def test_the_owner_without_row_security_is_refused_as_well(session: Session) -> None:
    """R093: an owner may take its own policies away, and still meets the rule."""
    session.execute("SET LOCAL ROLE fonds_owner")
    session.execute("ALTER TABLE served.fragment NO FORCE ROW LEVEL SECURITY")
    with pytest.raises(psycopg.errors.CheckViolation) as refusal:
        put(session, "served.fragment", rows.served_fragment(1, **QUOTED | {"raw": "private"}))
    assert refusal.value.diag.constraint_name == "private_is_not_quoted"


@pytest.mark.parametrize("vector", ["[nan,0,0]", "[inf,0,0]", "[1e9,0,0]", "[]", "[1,,0]"])
def test_a_vector_holds_finite_numbers(session: Session, vector: str) -> None:
    """R091, C06: halfvec itself takes nothing else."""
    with pytest.raises(psycopg.DataError):
        put(session, "private.embedding", LAWFUL["private.embedding"] | {"embedding": vector})


@pytest.mark.parametrize(
    "column", ["content_hash", "policy", "source_review", "draft", "require_review"]
)
def test_served_has_no_column_for_what_stays_private(session: Session, column: str) -> None:
    """R092, R093: a strip that forgets one of these has nowhere to put it."""
    found = rows.column(
        session,
        "SELECT attrelid::regclass::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
        " WHERE relnamespace = 'served'::regnamespace AND attname = %(name)s",
        name=column,
    )
    assert found == []
