"""No login reads an archive by saying so: what it says is sealed, for one transaction (R094, C02).

The attacker has a login's password and sends what SQL it likes, and sees what the house's own
sessions set. What it lacks is the key of the login.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from fonds.store.pools import open_pool, transaction
from fonds.store.scope import ASK_MOMENT, SCOPED_ROLES, ScopeKey, moment_of
from tests.database.attacks.stage import CANARY
from tests.database.rows import Session, act, column, one
from tests.scopes import enter, key_of, sealed
from tests.servers import Database

TEXTS: LiteralString = "SELECT DISTINCT text FROM served.fragment"
READABLE = ("live", "build", "calibration", "entity", "fragment")
SCOPED_CALLS: tuple[LiteralString, ...] = (
    "SELECT api.scope()",
    "SELECT api.live_build()",
    "SELECT api.narrowings()",
    "SELECT api.served_build()",
    "SELECT api.standing(1)",
    "SELECT api.note_refusal('missing_citation', '{}', NULL, NULL)",
    "SELECT api.take('key', '1', NULL)",
    "SELECT api.undated(NULL, NULL, NULL, NULL, false, NULL, false)",
)
SAID = "no archive is set for this transaction"


@pytest.fixture
def stolen(attacked: Database) -> Generator[Session]:
    """A session of the reader's password, without its key, in a transaction."""
    with psycopg.connect(attacked.url("fonds_reader")) as session:
        session.prepare_threshold = None
        session.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
        session.commit()
        yield session
        session.rollback()


def say(session: Session, written: str, *, local: bool = True) -> None:
    session.execute("SELECT set_config('fonds.archive', %s, %s)", (written, local))


def refused(session: Session, statement: LiteralString | sql.Composed = TEXTS) -> str:
    """What the server says to a statement that it must not carry out; the transaction goes on."""
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as told, session.transaction():
        session.execute(statement)
    return str(told.value.diag.message_primary)


def moment(session: Session) -> bytes:
    return moment_of(session.execute(ASK_MOMENT))


def reader_key() -> ScopeKey:
    key = key_of("fonds_reader")
    assert key is not None
    return key


def test_a_password_alone_reads_nothing(stolen: Session) -> None:
    """R094: every table and function of the reader, with the number of an archive for its word."""
    for written in ("1", "2"):
        say(stolen, written)
        for table in READABLE:
            counted = sql.SQL("SELECT count(*) FROM served.{}").format(sql.Identifier(table))
            assert refused(stolen, counted) == SAID
        assert {refused(stolen, call) for call in SCOPED_CALLS} == {SAID}


FORGERIES: dict[str, Callable[[Session], str]] = {
    "nothing": lambda session: "",
    "a bare number": lambda session: "2",
    "no seal": lambda session: "2:",
    "a seal of zeros": lambda session: "2:" + "0" * 64,
    "a random seal": lambda session: "2:" + secrets.token_hex(32),
    "a cut seal": lambda session: sealed(session, 2)[:-1],
    "a longer seal": lambda session: sealed(session, 2) + "0",
    "a seal in capitals": lambda session: sealed(session, 2).upper(),
    "a seal after a space": lambda session: " " + sealed(session, 2),
    "no archive": lambda session: ":" + sealed(session, 2).partition(":")[2],
    "a negative archive": lambda session: "-" + sealed(session, 2),
    "an archive beyond all numbers": lambda session: "9" * 20 + sealed(session, 2)[1:],
    "another archive by its own seal": lambda session: "2" + sealed(session, 1)[1:],
    "a key that is no login's": lambda session: ScopeKey.of("k" * 32).sealed(2, moment(session)),
    "an empty key": lambda session: ScopeKey(b"").sealed(2, moment(session)),
    "the key of another login": lambda session: other_key().sealed(2, moment(session)),
    "the name of another login": lambda session: other_key().sealed(
        2, moment(session)[:12] + b"fonds_build"
    ),
    "a moment without the process": lambda session: reader_key().sealed(2, moment(session)[4:]),
    "a moment without the start": lambda session: reader_key().sealed(
        2, moment(session)[:4] + moment(session)[12:]
    ),
    "a moment without the login": lambda session: reader_key().sealed(2, moment(session)[:12]),
}


def other_key() -> ScopeKey:
    key = key_of("fonds_build")
    assert key is not None
    return key


@pytest.mark.parametrize("forged", FORGERIES)
def test_what_was_not_sealed_for_it_is_no_scope(stolen: Session, forged: str) -> None:
    """R094: one and the same refusal for every one, so that no answer helps with the next."""
    say(stolen, FORGERIES[forged](stolen))
    assert {refused(stolen), refused(stolen, "SELECT api.scope()")} == {SAID}


def test_what_the_key_sealed_is_a_scope(stolen: Session) -> None:
    """The premise of all others: with its own key the same session reads what is asked for."""
    enter(stolen, 2)
    assert column(stolen, TEXTS) == [CANARY]


def test_a_scope_opens_no_later_transaction(stolen: Session) -> None:
    """After no commit and no roll back, chained or not, although it was set for the session."""
    for end in ("COMMIT", "ROLLBACK", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN"):
        written = sealed(stolen, 2)
        say(stolen, written, local=False)
        assert column(stolen, TEXTS) == [CANARY]
        stolen.execute(end.encode())
        say(stolen, written)
        assert refused(stolen) == SAID
        stolen.rollback()


def test_a_scope_opens_no_other_session(attacked: Database, stolen: Session) -> None:
    """Copied while its own transaction is open, by the same login, and at the same moment."""
    with psycopg.connect(attacked.url("fonds_reader")) as house:
        enter(house, 2)
        written = str(one(house, "SELECT current_setting('fonds.archive')"))
        assert column(house, TEXTS) == [CANARY]
        say(stolen, written)
        assert refused(stolen) == SAID


def test_what_the_activity_of_the_same_login_shows_opens_nothing(
    attacked: Database, stolen: Session
) -> None:
    """A login sees the statements of its own sessions, a scope with its seal among them."""
    with psycopg.connect(attacked.url("fonds_reader"), autocommit=True) as house:
        with psycopg.ClientCursor(house) as cursor:
            cursor.execute("BEGIN")
            written = sealed(house, 2)
            cursor.execute("SELECT set_config('fonds.archive', %s, true)", (written,))
        shown = column(
            stolen,
            "SELECT query FROM pg_stat_activity WHERE pid = %(pid)s",
            pid=house.info.backend_pid,
        )
        assert written in str(shown[0]), "it is there to be copied"
        say(stolen, written)
        assert refused(stolen) == SAID
        house.execute("ROLLBACK")


def test_a_savepoint_brings_back_no_scope_but_that_of_its_transaction(stolen: Session) -> None:
    """Within a transaction its own scopes hold; one that is gone is not brought back."""
    say(stolen, "2")
    stolen.execute("SAVEPOINT before")
    enter(stolen, 1)
    assert CANARY not in column(stolen, TEXTS)
    stolen.execute("ROLLBACK TO before")
    assert refused(stolen) == SAID
    earlier = sealed(stolen, 2)
    stolen.rollback()
    stolen.execute("SAVEPOINT later")
    say(stolen, earlier)
    stolen.execute("RELEASE later")
    assert refused(stolen) == SAID


def test_a_prepared_plan_and_a_cursor_outlive_no_scope(stolen: Session) -> None:
    """R094: a plan asks anew each time it runs; a cursor that was not kept ends with its scope."""
    stolen.execute("PREPARE kept AS SELECT DISTINCT text FROM served.fragment")
    for _ in range(7):  # past the runs after which the server keeps one plan
        enter(stolen, 2)
        assert column(stolen, "EXECUTE kept") == [CANARY]
        stolen.execute("DECLARE held CURSOR FOR SELECT DISTINCT text FROM served.fragment")
        stolen.commit()
        assert refused(stolen, "EXECUTE kept") == SAID
        with pytest.raises(psycopg.errors.InvalidCursorName), stolen.transaction():
            stolen.execute("FETCH ALL FROM held")
    stolen.execute("DEALLOCATE ALL")


def test_a_cursor_that_has_not_run_is_not_run_by_a_later_scope(stolen: Session) -> None:
    """Declared in one archive and fetched when another is claimed: its own scope is asked then."""
    enter(stolen, 1)
    stolen.execute("DECLARE late CURSOR FOR SELECT DISTINCT archive_id FROM served.fragment")
    say(stolen, "2")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState), stolen.transaction():
        stolen.execute("FETCH ALL FROM late")


def test_a_setting_left_on_a_session_of_a_pool_is_no_scope(attacked: Database) -> None:
    """C02: with the wiping away, the next borrower has the text and no archive."""
    pool = open_pool(attacked.login("fonds_reader"), size=1)
    try:
        connection = pool.getconn()
        with connection.transaction():
            say(connection, sealed(connection, 2), local=False)
            assert column(connection, TEXTS) == [CANARY]
        assert str(one(connection, "SELECT current_setting('fonds.archive')")).startswith("2:")
        connection.rollback()
        assert refused(connection) == SAID
        pool.putconn(connection)
        with transaction(pool, 1) as next_one:
            assert CANARY not in column(next_one, TEXTS)
    finally:
        pool.close()


def test_who_acts_as_another_is_still_who_logged_in(attacked: Database) -> None:
    """The owner and the superuser change roles, not the login that a seal is checked by."""
    with psycopg.connect(attacked.admin_url) as session:
        act(session, "fonds_reader", 2)
        assert column(session, TEXTS) == [CANARY]
        say(session, reader_key().sealed(2, moment(session)))
        assert refused(session) == SAID
        named = reader_key().sealed(2, moment(session)[:12] + b"fonds_reader")
        say(session, named)
        assert refused(session) == SAID
        session.rollback()
    with psycopg.connect(attacked.url("fonds_migrator")) as session:
        session.execute("SET ROLE fonds_owner")
        say(session, sealed(session, 2))
        with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute("SELECT api.scope()")
        assert column(session, "SELECT text FROM private.fragment") == []
        assert column(session, "SELECT login FROM seal.scope_key") == []


@pytest.mark.parametrize("role", SCOPED_ROLES)
def test_a_definer_function_is_of_the_login_that_calls_it(attacked: Database, role: str) -> None:
    """R094: stronger rights inside a function lend nobody another's word."""
    calls: dict[str, LiteralString] = {
        "fonds_ingest": "SELECT api.was_private('note:a', '{}')",
        "fonds_build": "SELECT api.catch_up_narrowing(1)",
        "fonds_curator": "SELECT api.lift_tightening('note:a#1')",
        "fonds_reader": "SELECT api.narrowings()",
        "fonds_host": "SELECT api.list_keys()",
    }
    with psycopg.connect(attacked.url(role)) as session:
        for other in SCOPED_ROLES:
            key = key_of(other)
            assert key is not None
            say(session, key.sealed(2, moment(session)))
            if other == role:
                session.execute(calls[role])
            else:
                assert refused(session, calls[role]) == SAID
        session.rollback()


@pytest.mark.parametrize("role", [*SCOPED_ROLES, "fonds_queue", "fonds_migrator"])
def test_no_login_reads_or_writes_a_key(attacked: Database, role: str) -> None:
    """R094: the migrator may replace keys through its function, and reads none."""
    with psycopg.connect(attacked.url(role)) as session:
        for statement in (
            "SELECT inner_pad FROM seal.scope_key",
            "INSERT INTO seal.scope_key VALUES ('x', '', '')",
            "UPDATE seal.scope_key SET inner_pad = ''",
            "DELETE FROM seal.scope_key",
            "COPY seal.scope_key TO STDOUT",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute(statement.encode())
        if role != "fonds_migrator":
            with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute("SELECT api.register_scope_key('fonds_reader', '', '')")


def test_limit_transactions_of_one_message_share_a_moment(attacked: Database) -> None:
    """The server takes the time once a message: what is sent in one message with a seal, after its
    transaction, may use it as what is sent within it may.
    """
    twice = "BEGIN; SELECT transaction_timestamp(); COMMIT"
    with psycopg.connect(attacked.url("fonds_reader"), autocommit=True) as session:
        cursor = psycopg.ClientCursor(session)
        cursor.execute(f"{twice}; {twice}".encode())
        seen = [cursor.fetchall() for _ in range(6) if cursor.nextset() and cursor.description]
    assert len(seen) == 2
    assert seen[0] == seen[1]
