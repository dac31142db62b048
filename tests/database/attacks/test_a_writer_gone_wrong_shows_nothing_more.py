"""What ingest, build, curator and host do out of turn reaches no reader (R094, R095, R191)."""

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest

from tests.database import rows
from tests.database.attacks.stage import CANARY, attacking
from tests.database.rows import Session, act, column, one, put, rolled_back
from tests.scopes import enter
from tests.servers import Database


@pytest.fixture
def session(attacked: Database) -> Generator[Session]:
    """Everybody in turn, in one transaction, in the archive that serves a private description."""
    with rolled_back(attacked) as made:
        yield made


def shown(session: Session) -> list[object]:
    """All that a reader of the archive sees of its fragments."""
    act(session, "fonds_reader", 3)
    return column(session, "SELECT to_jsonb(f) FROM served.fragment f")


def test_private_material_that_comes_back_as_public_is_not_served_for_it(session: Session) -> None:
    """R191: deleted and written anew, it leaves every build, waits for another, is remembered."""
    assert len(shown(session)) == 1
    act(session, "fonds_ingest", 3)
    session.execute("DELETE FROM private.source")
    assert shown(session) == []
    rows.stored(session, 3, public=True)
    assert shown(session) == []
    act(session, "fonds_ingest", 3)
    assert one(session, "SELECT api.was_private('note:a', '{}')") is True


def test_private_material_that_is_called_public_is_not_served_for_it(session: Session) -> None:
    """R191: changed where it lies, what is served of it can only become less."""
    before = shown(session)
    act(session, "fonds_ingest", 3)
    with pytest.raises(psycopg.errors.IntegrityError), session.transaction():
        session.execute("UPDATE private.fragment SET exposure = 'text'")
    with session.transaction():
        session.execute("UPDATE private.fragment SET exposure = 'none'")
    assert shown(session) == []
    act(session, "fonds_ingest", 3)
    session.execute("UPDATE private.fragment SET exposure = 'semantic'")
    assert shown(session) == []
    assert before != []


def test_a_withdrawn_fragment_does_not_come_back_by_the_same_rows(session: Session) -> None:
    """Replayed: what ingest wrote before is written once more, and stays withdrawn."""
    act(session, "fonds_curator", 3)
    assert one(session, "SELECT api.tighten_fragment('note:a#1', 'none')") == "tightened"
    act(session, "fonds_ingest", 3)
    session.execute("DELETE FROM private.source")
    rows.stored(session, 3)
    assert column(session, "SELECT exposure FROM private.fragment") == ["none"]
    assert shown(session) == []


def test_a_curator_writes_nothing_that_is_served(session: Session) -> None:
    """Its word takes away at once; what it adds waits for a build."""
    act(session, "fonds_curator", 3)
    for statement in (
        "UPDATE served.fragment SET gist = 'More.'",
        "INSERT INTO served.live VALUES (3, 1)",
        "UPDATE private.fragment SET exposure = 'semantic'",
        "SELECT key_hash FROM private.api_key",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute(statement.encode())
    session.execute("UPDATE private.projection SET gist = 'Another description.'")
    assert "Another" not in str(shown(session))


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_build"])
def test_nobody_turns_the_counter_of_narrowings(session: Session, role: str) -> None:
    """R191: put back, it would let a build by that never heard of what was withdrawn since. Who
    stands in line at the archive's row may lock it, and nothing else.
    """
    act(session, role, 3)
    assert column(session, "SELECT narrowing FROM private.archive FOR UPDATE") == [0]
    for step in (-1, 0, 1):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute("UPDATE private.archive SET narrowing = narrowing + %s", (step,))


def test_what_was_emptied_does_not_stay_for_a_change_of_scope(session: Session) -> None:
    """R191: what follows a withdrawal follows it at the end of the transaction, whatever archive
    that is for by then.
    """
    act(session, "fonds_curator", 3)
    assert one(session, "SELECT api.tighten_fragment('note:a#1', 'none')") == "tightened"
    for other in (1, 0):
        enter(session, other)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState), session.transaction():
            session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    act(session, "fonds_reader", 3)
    session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert column(session, "SELECT title FROM served.entity") == []


def test_a_key_that_was_revoked_is_not_minted_again(session: Session) -> None:
    """R187: replayed by whoever holds the host's login and once knew the hash."""
    digest = b"h" * 32
    act(session, "fonds_host", 3)
    mint = "SELECT key_id FROM api.mint_key(%(digest)s, '{search}', 'test', NULL)"
    key = one(session, mint, digest=digest)
    one(session, "SELECT api.revoke_key(%(key)s)::text", key=key)
    with pytest.raises(psycopg.errors.UniqueViolation), session.transaction():
        one(session, mint, digest=digest)
    act(session, "fonds_reader", 3)
    verdict = "SELECT verdict FROM api.admit('three', %(digest)s, 'search')"
    assert one(session, verdict, digest=digest) == "no-archive"


def test_an_unfinished_build_is_not_pointed_at(session: Session) -> None:
    """R095: by nobody, with the rights of the build and out of its order."""
    act(session, "fonds_build", 3)
    put(session, "served.build", rows.build(3, build_id=2, state="building"))
    with pytest.raises(psycopg.errors.IntegrityError), session.transaction():
        session.execute("UPDATE served.live SET build_id = 2")
    with pytest.raises(psycopg.errors.IntegrityError), session.transaction():
        session.execute("UPDATE served.live SET build_id = 2, may_be_live = false")


def test_a_build_killed_in_the_middle_leaves_no_row(attacked: Database) -> None:
    """R095: its session ends between two rows, and a reader notices nothing of it."""
    with (
        attacking(attacked, "fonds_build") as build,
        attacking(attacked, "fonds_reader") as reader,
        psycopg.connect(attacked.admin_url, autocommit=True) as admin,
    ):
        before = column(reader, "SELECT text FROM served.fragment")
        put(build, "served.build", rows.build(1, build_id=7, state="building"))
        put(build, "served.entity", rows.served_entity(1, build_id=7, raw="public"))
        pid = build.info.backend_pid
        assert one(admin, "SELECT pg_terminate_backend(%(pid)s, 60000)", pid=pid) is True
        with pytest.raises(psycopg.OperationalError):
            put(build, "served.fragment", rows.served_fragment(1, build_id=7, **rows.QUOTED))
        reader.rollback()
        assert column(reader, "SELECT text FROM served.fragment") == before
        assert column(admin, "SELECT build_id FROM served.build WHERE build_id = 7") == []


def test_two_builds_at_once_are_one_and_a_refusal(attacked: Database) -> None:
    """The row of the job is held by one; a number that is taken cannot be taken again."""
    hold = "SELECT job FROM private.job_lock WHERE job = 'build' FOR UPDATE NOWAIT"
    with (
        attacking(attacked, "fonds_build") as one_build,
        attacking(attacked, "fonds_build") as another,
        attacking(attacked, "fonds_build", 2) as of_another_archive,
    ):
        assert column(one_build, hold) == ["build"]
        with pytest.raises(psycopg.errors.LockNotAvailable):
            another.execute(hold.encode())
        assert column(of_another_archive, hold) == ["build"]
        one_build.rollback()
        another.rollback()
        assert column(another, hold) == ["build"]
        with pytest.raises(psycopg.errors.UniqueViolation):
            put(another, "served.build", rows.build(1, build_id=1))


def test_a_limit_the_builds_own_login_serves_what_it_reads(attacked: Database) -> None:
    """Whoever holds it may call a private body public: the constraints know what a row calls
    itself, not where its words are from. No service and no other job holds this login.
    """
    with attacking(attacked, "fonds_build", 2) as build:
        build.execute("UPDATE served.fragment SET text = (SELECT text FROM private.fragment)")
        assert CANARY not in column(build, "SELECT text FROM served.fragment")
        with pytest.raises(psycopg.errors.CheckViolation), build.transaction():
            build.execute("UPDATE served.fragment SET raw = 'private'")
