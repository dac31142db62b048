"""The serving login as an attacker: tables, functions, and ways round them (R094, C03)."""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from tests.database import calibration_rows, rows
from tests.database.rows import Session, act, cloned, column, put
from tests.scopes import ScopedSession, scoped
from tests.servers import Database, TestServer

CANARY = "CANARY-7f3"
READABLE = {"served.live", "served.build", "served.calibration", "served.entity", "served.fragment"}
NEVER_SCOPED = {"admit", "open_archive", "revision"}
HOLDS = {"live_build", "narrowings", "served_build", "served_calibration"}
SAY_WHERE = NEVER_SCOPED | HOLDS | {"scope"}
FIND = {"nearest", "nearest_content", "standing", "undated"}
CALLABLE = SAY_WHERE | FIND | {"note_refusal", "take", "charge_private"}

# Each verb a relation knows, as the attacker writes it.
VERBS: dict[str, LiteralString] = {
    "select": "SELECT * FROM {}",
    "copy to": "COPY (SELECT * FROM {}) TO STDOUT",
    "insert": "INSERT INTO {} DEFAULT VALUES",
    "update": "UPDATE {} SET archive_id = 1",
    "delete": "DELETE FROM {}",
    "merge": "MERGE INTO {} USING (SELECT 1) AS s ON true WHEN MATCHED THEN DELETE",
    "truncate": "TRUNCATE {}",
    "copy from": "COPY {} FROM STDIN",
    "lock": "LOCK TABLE {} IN SHARE MODE",
    "select for update": "SELECT FROM {} FOR UPDATE",
    "trigger": (
        "CREATE TRIGGER t AFTER INSERT ON {} EXECUTE FUNCTION"
        " pg_catalog.suppress_redundant_updates_trigger()"
    ),
    "policy": "CREATE POLICY p ON {} USING (true)",
    "alter": "ALTER TABLE {} DISABLE ROW LEVEL SECURITY",
    "index": "CREATE INDEX ON {} (archive_id)",
    "drop": "DROP TABLE {}",
}

WAYS_OUT: tuple[LiteralString, ...] = (
    "CREATE TABLE public.t (a int)",
    "CREATE TEMP TABLE t (a int)",
    "CREATE SCHEMA s",
    "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE VIEW served.v AS SELECT 1",
    "DO $$ BEGIN END $$",
    "CREATE EXTENSION hstore",
    "CREATE ROLE r",
    "ALTER ROLE fonds_reader SUPERUSER",
    "GRANT fonds_build TO fonds_reader",
    "ALTER DATABASE postgres SET search_path = public",
    "SET log_statement = 'all'",
    "SET session_replication_role = replica",
    "SET SESSION AUTHORIZATION fonds_build",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/dev/null')",
    "SELECT pg_notify('a', 'b')",
    "COPY (SELECT 1) TO '/dev/null'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT FROM pg_catalog.pg_authid",
    "SELECT FROM pg_catalog.pg_statistic",
    "SELECT FROM pg_catalog.pg_hba_file_rules",
    "SELECT pg_stat_reset()",
)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    """Archive 1 has one public fragment live; the canary is wherever the reader may not see."""
    with cloned(server, template) as made, psycopg.connect(made.admin_url) as session:
        _ = [rows.registered(session, slug) for slug in ("one", "two")]
        rows.served(session, 1, 1, public=True)
        rows.go_live(session, 1, 1)
        rows.served(session, 1, 2, public=True, state="retired")
        rows.served(session, 2, 1, public=True)
        rows.go_live(session, 2, 1)
        for archive_id in (1, 2):
            _plant(session, archive_id)
        session.execute("RESET ROLE")
        session.commit()
        session.autocommit = True
        session.execute("ANALYZE")
        yield made


def _plant(session: Session, archive_id: int) -> None:
    """Canaries in words of the private side, and of builds that are not archive 1's live one."""
    act(session, "fonds_ingest", archive_id)
    put(session, "private.source", rows.source(archive_id, source_key=CANARY))
    put(
        session,
        "private.entity",
        rows.entity(archive_id, source_key=CANARY, title=CANARY, version=CANARY, themes=[CANARY]),
    )
    put(
        session,
        "private.fragment",
        rows.fragment(archive_id, text=CANARY, label=CANARY, themes=[CANARY], text_hash=CANARY),
    )
    act(session, "fonds_curator", archive_id)
    put(session, "private.projection", rows.projection(archive_id, gist=CANARY))
    act(session, "fonds_build", archive_id)
    session.execute(
        "UPDATE served.fragment SET text = %s, label = %s, themes = ARRAY[%s], date = %s,"
        " date_start = '2019-01-01', date_end = '2019-12-31' WHERE (archive_id, build_id) <>"
        " (1, 1)",
        [CANARY] * 4,
    )
    calibration_rows.plant(session, archive_id, CANARY)


@pytest.fixture
def reader(shared: Database) -> Generator[ScopedSession]:
    """The reader in archive 1, with its key and with every default that weakens it dropped."""
    with scoped(shared.url("fonds_reader"), 1) as session:
        session.execute("RESET ALL")
        session.execute("SET default_transaction_read_only = off")
        yield session


def test_a_reader_has_no_verb_but_select_on_five_tables(reader: Session) -> None:
    """R094: each relation of the catalogue with each verb; a later one is covered unasked."""
    allowed: set[tuple[str, str]] = set()
    relations = _relations(reader)
    assert len(relations) > 15
    for schema, name in relations:
        for verb, template in VERBS.items():
            statement = sql.SQL(template).format(sql.Identifier(schema, name))
            if _sqlstate(reader, statement) != "42501":
                allowed.add((f"{schema}.{name}", verb))
    assert allowed == {(name, verb) for name in READABLE for verb in ("select", "copy to")}


def test_a_reader_calls_its_serving_functions_and_no_other(reader: Session) -> None:
    """R094: every function of ours, trigger functions included."""
    functions = _functions(reader)
    called = {name for name, call in functions if _sqlstate(reader, sql.SQL(call)) != "42501"}
    assert (len(functions) > 20, called) == (True, CALLABLE)


@pytest.mark.parametrize("statement", WAYS_OUT)
def test_a_reader_finds_no_way_out(reader: Session, statement: LiteralString) -> None:
    """R094: nothing to create, no language, no file, no other role, no setting of the server."""
    assert _sqlstate(reader, sql.SQL(statement)) == "42501"


def test_only_the_vector_extension_is_there(reader: Session) -> None:
    """R094: no dblink, no file access, no untrusted language to be granted by mistake."""
    extensions = column(reader, "SELECT extname FROM pg_extension")
    languages = column(reader, "SELECT lanname FROM pg_language WHERE NOT lanpltrusted")
    assert sorted(map(str, extensions)) == ["plpgsql", "vector"]
    assert sorted(map(str, languages)) == ["c", "internal"]


def test_without_an_archive_every_relation_and_function_is_an_error(reader: ScopedSession) -> None:
    """C03: counting with no scope is an error each, not zero rows and not all rows."""
    reader.archive_id = None
    for name in sorted(READABLE):
        counted = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(*name.split(".")))
        assert _sqlstate(reader, counted) == "55000"
    refused = {
        name for name, call in _functions(reader) if _sqlstate(reader, sql.SQL(call)) == "55000"
    }
    assert refused == CALLABLE - NEVER_SCOPED


def test_the_catalogue_holds_no_word_a_reader_may_not_see(
    shared: Database, reader: Session
) -> None:
    """R094: statistics, statements of others, definitions: whatever a system view shows."""
    with (
        psycopg.connect(shared.url("fonds_ingest")) as busy,
        psycopg.connect(shared.admin_url) as admin,
    ):
        busy.execute(b"SELECT 'CANARY-7f3 in a statement'")
        seen = _everything_readable(admin, ["pg_stats", "pg_stat_activity"])
        assert all(CANARY in text for text in seen.values()), "an administrator sees it"
        found = _everything_readable(reader, None)
    assert len(found) > 100
    assert [name for name, text in found.items() if CANARY in text] == []


def test_no_statistics_are_kept_of_words(shared: Database) -> None:
    """Estimates of leakproof operators show statistics of hidden rows; words have none."""
    with psycopg.connect(shared.admin_url) as admin:
        told = column(
            admin,
            "SELECT format('%%s.%%s.%%s', schemaname, tablename, attname) FROM pg_stats s"
            " WHERE s::text LIKE '%%CANARY%%' AND schemaname IN ('private', 'served')",
        )
        estimated = column(
            admin,
            "SELECT format('%%s.%%s', attrelid::regclass, attname) FROM pg_attribute a"
            " WHERE attrelid IN ('served.entity'::regclass, 'served.fragment'::regclass) AND"
            " attnum > 0"
            " AND atttypid <> 'integer'::regtype AND"
            " attstattarget IS NULL",
        )
    # A path and a hash are keys of joins; a role that could ask for an estimate reads them anyway.
    allowed = {
        "private.source.source_key",
        "private.entity.source_key",
        "private.fragment.text_hash",
    }
    assert set(map(str, told)) <= allowed
    # Words from closed lists, the same in every archive.
    assert {str(name).rpartition(".")[2] for name in estimated} == {
        "raw",
        "exposure",
        "gist_source",
        "gist_review",
    }


@pytest.mark.parametrize(
    "tempting",
    [
        "SELECT text::integer FROM served.fragment",
        "SELECT 1 FROM served.fragment WHERE (text || label)::integer > 0",
        "SELECT 1 FROM served.fragment WHERE 1 / (length(text) - length('CANARY-7f3')) > 9",
        "SELECT count(*) FROM served.fragment WHERE themes[1]::date > now()",
    ],
)
def test_an_error_tells_of_visible_rows_only(reader: Session, tempting: LiteralString) -> None:
    """R094, R097: a predicate that raises meets no row that the policy hides."""
    told = ""
    try:
        reader.execute(tempting)
    except psycopg.Error as trouble:
        told = f"{trouble.sqlstate} {trouble}"
    assert CANARY not in told
    assert "22012" not in told, "it divided by the length of a hidden row"


def _relations(session: Session) -> list[tuple[str, str]]:
    return session.execute(
        "SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE nspname !~ '^(pg_|information_schema$)' AND relkind IN ('r', 'p', 'v', 'm',"
        " 'f') ORDER BY 1, 2"
    ).fetchall()


def _functions(session: Session) -> list[tuple[str, LiteralString]]:
    """Name and a call with NULL for each argument, of every function of ours."""
    return session.execute(
        "SELECT proname, format('SELECT %I.%I(%s)', nspname, proname,"
        "   (SELECT string_agg('NULL::' || t::regtype, ', ' ORDER BY n)"
        "      FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n)))"
        " FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE nspname IN ('private', 'served', 'api') ORDER BY 1"
    ).fetchall()


def _everything_readable(session: Session, names: list[str] | None) -> dict[str, str]:
    """Every row of every system relation as text; one that may not be read is left out."""
    found: dict[str, str] = {}
    views = session.execute(
        "SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE nspname IN ('pg_catalog', 'information_schema') AND relkind IN ('r', 'v')"
        " AND has_table_privilege(c.oid, 'SELECT') AND (%(names)s::text[] IS NULL OR relname"
        " = ANY (%(names)s))",
        {"names": names},
    ).fetchall()
    for schema, name in views:
        whole = sql.SQL("SELECT string_agg(x::text, ' ') FROM {} AS x")
        try:
            answer = session.execute(whole.format(sql.Identifier(schema, name))).fetchone()
        except psycopg.errors.InsufficientPrivilege:
            continue
        found[f"{schema}.{name}"] = str(answer)
    return found


def _sqlstate(session: Session, statement: sql.SQL | sql.Composed) -> str | None:
    """How the server refuses a statement; None when it is carried out, and then it is undone."""
    try:
        with session.transaction(force_rollback=True), session.cursor() as cursor:
            if "STDOUT" in statement.as_string(None):
                with cursor.copy(statement) as copied:
                    list(copied)
            elif "STDIN" in statement.as_string(None):
                with cursor.copy(statement):
                    pass
            else:
                cursor.execute(statement)
    except psycopg.Error as trouble:
        return trouble.sqlstate
    return None
