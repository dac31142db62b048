"""What was ever private is remembered by id and keyed hash, without a word of it (R191)."""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from typing import LiteralString

import psycopg
import pytest

from tests.database import rows
from tests.database.rows import Session, act, cloned, column, one, put, rolled_back
from tests.servers import Database, TestServer

ASKED = "SELECT api.was_private(%(entity)s, %(hashes)s)"


BODY = "She sold the boat.\n\nNobody was told."
TITLED = f"Of the boat\n\n{BODY}"


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture
def session(shared: Database) -> Generator[Session]:
    """Archive 1 holds one private fragment, archive 2 nothing."""
    with rolled_back(shared) as made:
        made.execute("ALTER TABLE private.archive ALTER archive_id RESTART WITH 1")
        assert [rows.registered(made, slug) for slug in ("one", "two")] == [1, 2]
        rows.stored(made, 1)
        yield made


def _ledger(session: Session) -> list[tuple[object, ...]]:
    session.execute("RESET ROLE")
    return session.execute(
        "SELECT fragment_id, exposure, vetoed, removed_at IS NOT NULL FROM private.ledger"
        " ORDER BY 1"
    ).fetchall()


def _was_private(session: Session, entity: str, *hashes: str, archive_id: int = 1) -> object:
    act(session, "fonds_ingest", archive_id)
    return one(session, ASKED, entity=entity, hashes=list(hashes))


def test_it_is_asked_by_entity_and_by_body(session: Session) -> None:
    """R191: the same id, or the same body under another id; and only in its own archive."""
    assert _was_private(session, "note:a") is True
    assert _was_private(session, "essay:b", "other", "text-1") is True
    assert _was_private(session, "essay:b", "other") is False
    assert _was_private(session, "essay:b") is False
    assert _was_private(session, "note:a", "text-1", archive_id=2) is False


def test_a_body_is_known_without_the_title_that_stood_over_it(session: Session) -> None:
    """R191: a text that comes back under another title is the same text."""
    act(session, "fonds_ingest", 1)
    session.execute("UPDATE private.fragment SET text_hash = 't', text = %s", (TITLED,))
    bare, whole = (hashlib.sha256(text.encode()).hexdigest() for text in (BODY, TITLED))
    assert _was_private(session, "essay:b", bare) is True
    assert _was_private(session, "essay:b", whole) is False
    assert _was_private(session, "essay:b", bare, archive_id=2) is False
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.source")
    assert _was_private(session, "essay:b", bare) is True


def test_an_earlier_version_is_known_as_well(session: Session) -> None:
    """R191: what was ever private, not what it was last; and forgotten, all of it is."""
    act(session, "fonds_ingest", 1)
    session.execute("UPDATE private.fragment SET text_hash = 't2', text = %s", (TITLED,))
    for known in ("text-1", "t2", hashlib.sha256(BODY.encode()).hexdigest()):
        assert _was_private(session, "essay:b", known) is True
    session.execute("DELETE FROM private.source")
    session.execute("SELECT api.forget_private('essay:b', ARRAY['text-1'])")
    for known in ("text-1", "t2"):
        assert _was_private(session, "essay:b", known) is False


def test_it_outlives_the_rows(session: Session) -> None:
    """R191: a removed source leaves a tombstone; coming back, it is no longer marked removed."""
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.source")
    assert _ledger(session) == [("note:a#1", "semantic", False, True)]
    assert _was_private(session, "note:a") is True
    assert _was_private(session, "essay:b", "text-1") is True
    rows.stored(session, 1)
    assert _ledger(session) == [("note:a#1", "semantic", False, False)]


def test_it_keeps_the_strictest_exposure(session: Session) -> None:
    """R191: asking for less counts, asking for more later does not."""
    for exposure, strictest in (("locator", "locator"), ("none", "none"), ("semantic", "none")):
        act(session, "fonds_ingest", 1)
        session.execute("UPDATE private.fragment SET exposure = %s", (exposure,))
        assert _ledger(session) == [("note:a#1", strictest, False, False)]


def test_it_holds_no_word_and_no_plain_hash(session: Session) -> None:
    """R191: a copied ledger does not tell which texts were private; two archives' hashes differ."""
    rows.stored(session, 2)
    session.execute("RESET ROLE")
    kept = (
        "SELECT (l, t)::text FROM private.ledger l JOIN private.ledger_text t USING (fragment_id)"
    )
    written = " ".join(map(str, column(session, kept)))
    for hidden in (
        "Words",
        "stay at home",
        "A label",
        "text-1",
        hashlib.sha256(b"text-1").hexdigest(),
    ):
        assert hidden not in written
    assert len(set(column(session, "SELECT text_hash FROM private.ledger_text"))) == 4
    assert one(session, "SELECT min(length(ledger_key)) FROM private.archive") == 32


def test_the_owner_may_forget(session: Session) -> None:
    """R191: said explicitly, noted in the audit by id; then it may come back as public."""
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.source")
    session.execute("SELECT api.forget_private('note:a', '{text-1}')")
    assert _was_private(session, "note:a", "text-1") is False
    assert session.execute("SELECT action, subject FROM private.audit").fetchall() == [
        ("publish", "note:a")
    ]
    rows.stored(session, 1, public=True)
    assert _ledger(session) == []


def test_forgetting_is_for_one_archive(session: Session) -> None:
    rows.stored(session, 2)
    act(session, "fonds_ingest", 2)
    session.execute("SELECT api.forget_private('note:a', '{text-1}')")
    assert _was_private(session, "note:a", "text-1", archive_id=2) is False
    assert _was_private(session, "note:a", "text-1") is True


def test_what_was_public_is_not_in_it(session: Session) -> None:
    rows.stored(session, 2, public=True)
    assert _was_private(session, "note:a", "text-1", archive_id=2) is False


def test_a_veto_is_not_lost_with_the_rows(session: Session) -> None:
    """R191: neither when the fragment comes again, nor when its gist is drafted again."""
    act(session, "fonds_curator", 1)
    put(session, "private.projection", rows.projection(1, vetoed=True))
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.source")
    rows.stored(session, 1)
    assert _ledger(session) == [("note:a#1", "semantic", True, False)]
    act(session, "fonds_curator", 1)
    assert one(session, "SELECT vetoed FROM private.projection") is True
    session.execute("DELETE FROM private.projection")
    put(session, "private.projection", rows.projection(1))
    assert one(session, "SELECT vetoed FROM private.projection") is True


def test_an_unveto_is_remembered_as_well(session: Session) -> None:
    """The author's later word counts; a veto given before the fragment came counts too."""
    act(session, "fonds_curator", 1)
    put(session, "private.projection", rows.projection(1, vetoed=True))
    session.execute("UPDATE private.projection SET vetoed = false")
    assert _ledger(session) == [("note:a#1", "semantic", False, False)]
    act(session, "fonds_curator", 2)
    put(session, "private.projection", rows.projection(2, vetoed=True))
    rows.stored(session, 2)
    session.execute("RESET ROLE")
    assert one(session, "SELECT vetoed FROM private.ledger WHERE archive_id = 2") is True


def _forget(session: Session, *asked: str, archive_id: int = 1) -> list[object]:
    act(session, "fonds_curator", archive_id)
    return column(session, "SELECT * FROM api.forget_tombstones(%(ids)s)", ids=list(asked))


def test_a_tombstone_is_erased_by_its_own_or_its_entity_s_id(session: Session) -> None:
    """R191: by the curator, with the veto and what it was held to; noted by id, here alone."""
    rows.stored(session, 2)
    for asked in ("note:a#1", "note:a"):
        act(session, "fonds_curator", 1)
        put(session, "private.projection", rows.projection(1, vetoed=True))
        session.execute("SELECT api.tighten_fragment('note:a#1', 'none')")
        for archive_id in (1, 2):
            act(session, "fonds_ingest", archive_id)
            session.execute("DELETE FROM private.source")
        assert _was_private(session, "note:a") is True
        assert _forget(session, asked, "x", "") == ["note:a#1"]
        assert _was_private(session, "note:a", "text-1") is False
        assert _was_private(session, "note:a", archive_id=2) is True
        act(session, "fonds_curator", 1)
        assert column(session, "SELECT fragment_id FROM private.projection") == []
        assert column(session, "SELECT fragment_id FROM private.tightening") == []
        rows.stored(session, 1)
    act(session, "fonds_curator", 1)
    noted = column(session, "SELECT subject FROM private.audit WHERE action = 'forget'")
    assert noted == ["note:a#1", "note:a#1"]


def test_what_is_stored_is_no_tombstone(session: Session) -> None:
    """R191: neither by its own id nor by its entity's; what is beside it and gone is one."""
    act(session, "fonds_ingest", 1)
    put(session, "private.fragment", rows.fragment(1, fragment_id="note:a#2"))
    assert _forget(session, "note:a", "note:a#1", "note:a#2") == []
    act(session, "fonds_ingest", 1)
    session.execute("DELETE FROM private.fragment WHERE fragment_id = 'note:a#2'")
    assert _forget(session, "note:a") == ["note:a#2"]
    assert _ledger(session) == [("note:a#1", "semantic", False, False)]
    assert _was_private(session, "note:a") is True


def test_publishing_what_was_never_private_notes_nothing(session: Session) -> None:
    """R192: the audit says what was done."""
    act(session, "fonds_ingest", 1)
    session.execute("SELECT api.forget_private('essay:b', '{other}')")
    assert column(session, "SELECT action FROM private.audit") == []


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_build", "fonds_curator"])
def test_nobody_signs_the_audit_for_another(session: Session, role: str) -> None:
    """R192: who and when are the database's words, and no entry is changed or removed."""
    act(session, role, 1)
    session.execute("INSERT INTO private.audit (archive_id, action, subject) VALUES (1, 'x', 'y')")
    named = one(session, "SELECT actor = session_user AND noted_at = now() FROM private.audit")
    assert named is True
    statements: tuple[LiteralString, ...] = (
        "INSERT INTO private.audit (archive_id, actor, action, subject) VALUES (1, 'a', 'x', 'y')",
        "INSERT INTO private.audit (archive_id, noted_at, action, subject)"
        " VALUES (1, '2000-01-01', 'x', 'y')",
        "UPDATE private.audit SET action = 'z'",
        "DELETE FROM private.audit",
    )
    for statement in statements:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute(statement)


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_build", "fonds_curator", "fonds_reader"])
def test_no_login_touches_the_ledger_itself(session: Session, role: str) -> None:
    """R191: the author lists it without its hashes, and erases through the function alone."""
    act(session, role, 1)
    statements: tuple[LiteralString, ...] = (
        "DELETE FROM private.ledger",
        "UPDATE private.ledger SET vetoed = false",
        "SELECT text_hash FROM private.ledger_text",
        "DELETE FROM private.ledger_text",
    )
    for statement in statements:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute(statement)
