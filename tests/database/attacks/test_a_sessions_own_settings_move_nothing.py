"""What anybody may set in a session, tried on functions of stronger rights (R094, R187)."""

from __future__ import annotations

import re
from collections.abc import Generator

import psycopg
import pytest

from fonds.store.databases import ROLES
from fonds.store.pools import open_pool, transaction
from fonds.store.scope import SCOPED_ROLES
from tests.database import rows
from tests.database.at_once import within_one_day
from tests.database.attacks.stage import attacking
from tests.database.rows import Session, act, column, one, rolled_back
from tests.house.tree import ROOT
from tests.servers import Database

# To PostgreSQL 18 the name UTC is what the session's own zone calls so, before it is anything else.
ZONES_CALLED_UTC = ("UTC-72", "UTC+72", "<UTC>-24")
TAKE = "SELECT limit_hit FROM api.take('key', '1', NULL)"
DAYS = (
    "SELECT l.day || ' ' || encode(l.day_key, 'hex') || ' ' || c.day || ' ' || c.requests"
    " FROM private.limit_day l JOIN private.caller_day c USING (archive_id) WHERE archive_id = 2"
)


@pytest.fixture
def session(attacked: Database) -> Generator[Session]:
    with rolled_back(attacked) as made:
        yield made


@pytest.mark.parametrize("zone", ZONES_CALLED_UTC)
def test_a_zone_that_calls_itself_utc_ends_no_day(attacked: Database, zone: str) -> None:
    """R187: neither its own archive's nor, where days that are over are cleared away, another's."""

    def attempt() -> list[str]:
        with rolled_back(attacked) as session:
            act(session, "fonds_reader", 2)
            one(session, TAKE)
            act(session, rows.ADMINISTRATOR, 2)
            before = column(session, DAYS)
            session.execute("SELECT set_config('TimeZone', %s, true)", (zone,))
            act(session, "fonds_reader", 1)
            one(session, TAKE)
            one(session, "SELECT limit_hit FROM api.charge_private('key', '1', NULL, sha256(''))")
            act(session, rows.ADMINISTRATOR, 2)
            assert len(before) == 1
            assert column(session, DAYS) == before
            days = column(session, "SELECT DISTINCT day::text FROM private.limit_day")
            return [str(day) for day in days]

    assert len(within_one_day(attacked, attempt)) == 1


def test_a_zone_moves_no_end_of_what_lasts_days(session: Session) -> None:
    """R187: a key, and a question that is kept, end after days of 24 hours, in every zone."""
    session.execute("SET TIME ZONE 'Europe/Berlin'")
    counts = range(30, 361, 30)
    alike = (
        "SELECT now() + make_interval(days => %(days)s) = now() + %(days)s * interval '24 hours'"
    )
    assert {one(session, alike, days=days) for days in counts} == {True, False}, "summer time"
    for days in counts:
        act(session, "fonds_host", 1)
        mint = (
            "SELECT expires_at - minted_at = %(days)s * interval '24 hours'"
            " FROM api.mint_key(sha256(%(digest)s), '{search}', 'test', %(days)s)"
        )
        assert one(session, mint, days=days, digest=str(days).encode()) is True
        act(session, "fonds_curator", 1)
        one(session, "SELECT api.keep_questions(%(days)s)", days=days)
        act(session, "fonds_reader", 1)
        note = "SELECT api.note_refusal('missing_citation', '{}', 'why', %(days)s)::text"
        one(session, note, days=days)
    act(session, "fonds_curator", 1)
    kept = "SELECT extract(epoch FROM question_until - refused_at) / 86400 FROM private.refusal"
    assert column(session, f"{kept} ORDER BY refusal_id") == list(counts)


def test_no_sql_of_the_house_asks_a_session_for_its_zone() -> None:
    """A zone by its name, a length in days, and today: each is the session's own word."""
    asks = re.compile(
        r"time\s+zone\s+'|\btimezone\s*\(|make_interval\s*\(\s*(?:years|months|weeks|days)\b"
        r"|date_trunc\s*\([^,()]*,[^()]*,|\binterval\s+'[^']*\b(?:days?|weeks?|months?|years?)\b"
        r"|\bcurrent_date\b|\blocaltime|now\(\)\s*::\s*date",
        re.IGNORECASE,
    )
    assert asks.search("(now() AT TIME ZONE 'UTC')::date")
    assert asks.search("date_trunc('day', at, 'UTC')")
    texts = [*ROOT.glob("db/*.sql"), *ROOT.glob("src/fonds/store/sql/*.sql")]
    assert len(texts) > 20
    found = {text.name: asks.findall(text.read_text()) for text in texts}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("role", SCOPED_ROLES)
def test_what_a_login_is_made_to_begin_with_changes_no_transaction_of_ours(
    attacked: Database, role: str
) -> None:
    """R191: whoever holds a password may leave this behind, and a withdrawal by an older snapshot
    would miss a build.
    """
    begin = f"ALTER ROLE {role} IN DATABASE {attacked.name} SET default_transaction_"
    pool = open_pool(attacked.login(role), size=1)
    try:
        with psycopg.connect(attacked.url(role), autocommit=True) as thief:
            thief.execute("SET default_transaction_read_only = off")
            thief.execute(f"{begin}isolation = 'repeatable read'".encode())
            thief.execute(f"{begin}read_only = on".encode())
        with psycopg.connect(attacked.url(role)) as begun:
            assert one(begun, "SHOW transaction_isolation") == "repeatable read"
        with transaction(pool, 1) as ours:
            assert one(ours, "SHOW transaction_isolation") == "read committed"
            assert one(ours, "SHOW transaction_read_only") == "off"
    finally:
        pool.close()
        with psycopg.connect(attacked.admin_url) as admin:
            admin.execute(f"ALTER ROLE {role} IN DATABASE {attacked.name} RESET ALL".encode())


@pytest.mark.parametrize("role", ROLES)
def test_a_limit_a_login_says_what_its_sessions_begin_with(attacked: Database, role: str) -> None:
    """Postgres lets a login change its own password and defaults, and no right takes that away:
    after a leak both are set anew.
    """
    with attacking(attacked, role) as session:
        session.execute(f"ALTER ROLE {role} PASSWORD 'another'".encode())
        session.execute(f"ALTER ROLE {role} SET statement_timeout = 1".encode())
        for other in set(ROLES) - {role}:
            with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute(f"ALTER ROLE {other} PASSWORD 'another'".encode())
