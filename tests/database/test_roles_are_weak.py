"""The premise of every other proof: no login is more than its grants say (R094)."""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import psycopg
import pytest

from fonds.store.databases import ROLES
from tests.database.rows import Session, cloned, column, one, rolled_back
from tests.scopes import enter
from tests.servers import Database, TestServer

NARROW = (
    "fonds_nearest",
    "fonds_narrower",
    "fonds_registrar",
    "fonds_clerk",
    "fonds_doorkeeper",
    "fonds_keysmith",
    "fonds_lister",
    "fonds_limiter",
    "fonds_overseer",
    "fonds_remover",
    "fonds_sealer",
    "fonds_indexer",
)
EVERY = ("fonds_owner", *NARROW, *ROLES)

# (member, role it may become, inherits, may SET, may hand on), exactly.
MEMBERSHIPS = {
    ("fonds_migrator", "fonds_owner", False, True, False),
} | {("fonds_owner", narrow, False, True, False) for narrow in NARROW}


# Policies that find an archive, or serve every one, before there is a scope.
UNSCOPED = [
    "jobs.attempt: the_queue_serves_every_archive",
    "jobs.procrastinate_jobs: the_queue_serves_every_archive",
    "jobs.slot: the_queue_serves_every_archive",
    "private.access: terms_are_listed",
    "private.access: terms_are_registered",
    "private.access: the_door_finds_terms",
    "private.api_key: keys_are_counted",
    "private.api_key: the_door_finds_keys",
    "private.archive: archives_are_found_by_slug",
    "private.archive: archives_are_listed",
    "private.archive: the_door_finds_archives",
    "private.caller_day: days_that_are_over_go",
    "private.charged_question: days_that_are_over_go",
    "private.job_lock: archives_get_their_locks",
    "private.limit_day: days_that_are_over_go",
    "private.removal: removals_are_listed",
    "seal.scope_key: a_login_is_checked_by_its_key",
    "seal.scope_key: the_migrator_registers_keys",
    "served.build: builds_are_listed",
    "served.live: pointers_are_listed",
]


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


def test_no_role_goes_past_row_security(shared: Database) -> None:
    """R094: not superuser, no BYPASSRLS, and none that could make itself so."""
    with rolled_back(shared) as session:
        strong = column(
            session,
            "SELECT rolname FROM pg_roles WHERE rolname ~ '^fonds_'"
            " AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR"
            " rolreplication OR rolinherit)",
        )
        known = column(session, "SELECT rolname FROM pg_roles WHERE rolname ~ '^fonds_'")
        logins = column(
            session, "SELECT rolname FROM pg_roles WHERE rolname ~ '^fonds_' AND rolcanlogin"
        )
    assert strong == []
    assert set(known) == set(EVERY)
    assert set(logins) == set(ROLES)


def test_memberships_are_the_migrators_and_the_owners_alone(shared: Database) -> None:
    """R094: the reader is a member of nothing, and nobody is a member of the reader."""
    with rolled_back(shared) as session:
        found = session.execute(
            "SELECT m.member::regrole::text, m.roleid::regrole::text, m.inherit_option,"
            " m.set_option, m.admin_option"
            " FROM pg_auth_members m"
            " WHERE m.member::regrole::text ~ '^fonds_' OR m.roleid::regrole::text ~ '^fonds_'"
        ).fetchall()
    assert set(found) == MEMBERSHIPS


def test_only_the_owner_owns_tables_and_narrow_roles_only_their_functions(shared: Database) -> None:
    """R094: an owner is bound by no grant, so no login owns anything."""
    with rolled_back(shared) as session:
        owners = session.execute(
            "SELECT DISTINCT refobjid::regrole::text, classid::regclass::text FROM pg_shdepend"
            " WHERE deptype = 'o' AND refclassid = 'pg_authid'::regclass"
            " AND refobjid::regrole::text ~ '^fonds_'"
            " AND dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))"
        ).fetchall()
        strangers = column(
            session,
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid ="
            " c.relnamespace"
            " WHERE n.nspname IN ('private', 'served', 'api', 'seal', 'migration')"
            " AND c.relowner <> 'fonds_owner'::regrole",
        )
    assert strangers == []
    by_owner = {who: {kind for owner, kind in owners if owner == who} for who, _ in owners}
    assert by_owner.keys() <= {"fonds_owner", *NARROW}
    assert all(by_owner[role] == {"pg_proc"} for role in NARROW)


def test_every_definer_function_is_narrow_and_pins_its_names(shared: Database) -> None:
    """R094: its owner owns no table, so row security binds it; no schema slips in between."""
    with rolled_back(shared) as session:
        definers = session.execute(
            "SELECT p.oid::regprocedure::text, p.proowner::regrole::text, p.proconfig FROM"
            " pg_proc p"
            " JOIN pg_namespace n ON n.oid = p.pronamespace"
            " WHERE n.nspname IN ('private', 'served', 'api', 'ext', 'public') AND p.prosecdef"
        ).fetchall()
        unpinned = column(
            session,
            "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid ="
            " p.pronamespace"
            " WHERE n.nspname IN ('private', 'api')"
            " AND NOT EXISTS (SELECT FROM unnest(p.proconfig) s WHERE s ~"
            " '^search_path=pg_catalog(, ext)?, pg_temp$')",
        )
    assert {owner for _, owner, _ in definers} == set(NARROW)
    assert unpinned == []


def test_row_security_is_forced_wherever_there_is_an_archive(shared: Database) -> None:
    """R094: every table is an archive's and binds its own owner; no view goes round it."""
    with rolled_back(shared) as session:
        tables = session.execute(
            "SELECT c.oid::regclass::text, c.relrowsecurity AND c.relforcerowsecurity,"
            " EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname ="
            " 'archive_id' AND a.attnotnull)"
            " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname IN ('private', 'served', 'api', 'seal') AND c.relkind IN ('r', 'p')"
        ).fetchall()
        others = column(
            session,
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid ="
            " c.relnamespace"
            " WHERE n.nspname IN ('private', 'served', 'api', 'seal')"
            " AND c.relkind IN ('v', 'm', 'f')",
        )
        unscoped = column(
            session,
            "SELECT format('%%s: %%s', polrelid::regclass, polname) FROM pg_policy"
            " WHERE coalesce(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))"
            "       !~ 'archive_id = \\( ?SELECT api.scope\\(\\)'",
        )
        owned = column(
            session, "SELECT polname FROM pg_policy WHERE 'fonds_owner'::regrole = ANY (polroles)"
        )
    assert len(tables) > 10
    assert [name for name, forced, _ in tables if not forced] == []
    assert [name for name, _, tied in tables if not tied] == ["seal.scope_key"]
    assert others == []
    assert sorted(map(str, unscoped)) == UNSCOPED
    assert owned == []


@pytest.mark.parametrize("role", ROLES)
def test_a_session_without_its_defaults_is_no_stronger(shared: Database, role: str) -> None:
    """R094: settings are defaults a session may change; the grants carry the guarantee."""
    with psycopg.connect(shared.url(role)) as session:
        session.autocommit = True
        session.execute("RESET ALL")
        session.execute("SET default_transaction_read_only = off")
        session.execute("SET search_path = private, served, api, pg_catalog")
        assert one(session, "SELECT current_user || session_user") == role + role
        administrators = column(session, "SELECT rolname FROM pg_roles WHERE rolsuper")
        assert administrators
        for other in (*map(str, administrators), *EVERY):
            if other in {role} or (role, other) in {("fonds_migrator", "fonds_owner")}:
                continue
            if role == "fonds_migrator" and other in NARROW:
                continue  # reached through the owner, which holds them to hand functions over
            assert _refused(session, "SELECT set_config('role', %s, false)", other)
            assert _refused(session, "SELECT set_config('session_authorization', %s, false)", other)


def test_row_security_cannot_be_switched_off(shared: Database) -> None:
    """R094: with row_security = off a query is an error; the owner reads nothing either way."""
    with psycopg.connect(shared.url("fonds_reader")) as session:
        session.execute("SET row_security = off")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            session.execute("SELECT FROM served.fragment")
    with rolled_back(shared) as session:
        enter(session, 1)
        session.execute(
            "INSERT INTO private.archive (slug, name, author, base_url) VALUES ('x', 'x', 'x', 'x')"
        )
        session.execute("SET LOCAL ROLE fonds_owner")
        assert one(session, "SELECT count(*) FROM private.archive") == 0
        session.execute("SET LOCAL ROLE fonds_registrar")
        assert one(session, "SELECT count(*) FROM private.archive") == 1


def _refused(session: Session, statement: LiteralString, value: str) -> bool:
    try:
        session.execute(statement, (value,))
    except psycopg.Error as trouble:
        session.rollback()
        return trouble.sqlstate in {"42501", "22023"}
    return False
