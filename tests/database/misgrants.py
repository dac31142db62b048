"""Powers planted in a database, each with the premise of the proof that it breaks (R094)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import LiteralString


@dataclass(frozen=True, slots=True)
class Misgrant:
    """`statement` is run by the superuser; `found` has to be among the excess of `premise`.

    `also` are premises that the same slip breaks besides.
    """

    name: str
    statement: LiteralString
    premise: str
    found: str
    also: frozenset[str] = field(default=frozenset())


def _one(name: str, premise: str, found: str, statement: LiteralString, *also: str) -> Misgrant:
    return Misgrant(name, statement, premise, found, frozenset(also))


_OPEN_BODY: LiteralString = (
    "CREATE FUNCTION api.peek() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER"
    " AS 'SELECT text FROM private.fragment'; GRANT EXECUTE ON FUNCTION api.peek() TO fonds_reader"
)
_WRAPPER: LiteralString = (
    "CREATE FOREIGN DATA WRAPPER far; CREATE SERVER far FOREIGN DATA WRAPPER far;"
)

RIGHTS = (
    _one("superuser", "role_attributes", "SUPERUSER", "ALTER ROLE fonds_reader SUPERUSER",
         "memberships", "database_rights", "schema_rights", "relation_rights", "system_rights",
         "function_rights", "language_rights", "foreign_access", "side_effects",
         "unbound_functions", "owners_reach", "owners_views", "large_objects", "overloads"),
    _one("bypass of row security", "role_attributes", "BYPASSRLS",
         "ALTER ROLE fonds_reader BYPASSRLS"),
    _one("replication", "role_attributes", "REPLICATION", "ALTER ROLE fonds_reader REPLICATION"),
    _one("membership that is not inherited", "memberships", "fonds_build",
         "GRANT fonds_build TO fonds_reader WITH INHERIT FALSE"),
    _one("membership of the system's own role", "memberships", "pg_read_all_stats",
         "GRANT pg_read_all_stats TO fonds_reader WITH INHERIT FALSE"),
    _one("a table of its own", "owned_objects", "table served.kept",
         "CREATE TABLE served.kept (); ALTER TABLE served.kept ENABLE ROW LEVEL SECURITY,"
         " FORCE ROW LEVEL SECURITY, OWNER TO fonds_reader", "relation_rights", "side_effects"),
    _one("temporary tables for everybody", "database_rights", "TEMPORARY",
         "DO $$ BEGIN EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC',"
         " current_database()); END $$"),
    _one("the private schema", "schema_rights", "USAGE on schema private",
         "GRANT USAGE ON SCHEMA private TO fonds_reader"),
    _one("making things in served", "schema_rights", "CREATE on schema served",
         "GRANT CREATE ON SCHEMA served TO fonds_reader"),
    _one("the public schema for everybody", "schema_rights", "USAGE on schema public",
         "GRANT USAGE ON SCHEMA public TO PUBLIC"),
    _one("a private table", "relation_rights", "SELECT on private.fragment",
         "GRANT SELECT ON private.fragment TO fonds_reader"),
    _one("a private table for everybody", "relation_rights", "SELECT on private.embedding",
         "GRANT SELECT ON private.embedding TO PUBLIC", "owners_reach"),
    _one("a private column", "relation_rights", "SELECT on private.entity (title)",
         "GRANT SELECT (title) ON private.entity TO fonds_reader"),
    _one("the vectors", "relation_rights", "SELECT on served.embedding",
         "GRANT SELECT ON served.embedding TO fonds_reader"),
    _one("a new table without a policy", "relation_rights", "SELECT on served.extra",
         "CREATE TABLE served.extra (archive_id integer NOT NULL, text text);"
         "GRANT SELECT ON served.extra TO fonds_reader", "unguarded_relations"),
    _one("a sequence", "relation_rights", "USAGE on served.counter",
         "CREATE SEQUENCE served.counter; GRANT USAGE ON SEQUENCE served.counter TO fonds_reader"),
    _one("a view that reads as its owner", "relation_rights", "SELECT on served.everything",
         "CREATE VIEW served.everything AS SELECT * FROM private.fragment;"
         "GRANT SELECT ON served.everything TO fonds_reader", "owners_views"),
    _one("a serving table that has an heir", "relation_shape", "served.live is no plain table",
         "CREATE TABLE private.heir () INHERITS (served.live);"
         "ALTER TABLE private.heir ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
    _one("a rule on a serving table", "relation_shape", "served.entity is no plain table",
         "CREATE RULE told AS ON UPDATE TO served.entity DO ALSO NOTHING"),
    _one("the passwords", "system_rights", "SELECT on pg_authid (oid)",
         "GRANT SELECT (oid) ON pg_catalog.pg_authid TO fonds_reader"),
    _one("the statistics of every column", "system_rights", "SELECT on pg_statistic (stavalues1)",
         "GRANT SELECT (stavalues1) ON pg_catalog.pg_statistic TO PUBLIC"),
    _one("a change of the system's tables", "system_rights",
         "UPDATE on information_schema.sql_features",
         "GRANT UPDATE ON information_schema.sql_features TO fonds_reader"),
    _one("files of the server", "system_rights", "pg_read_file(text)",
         "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO fonds_reader"),
    _one("a function that reads for it", "function_rights", "api.peek()", _OPEN_BODY,
         "unbound_functions", "owners_reach", "function_bodies"),
    _one("the trigger's own function", "function_rights", "private.keep_ledger()",
         "GRANT EXECUTE ON FUNCTION private.keep_ledger() TO fonds_reader",
         "unbound_functions", "owners_reach"),
    _one("a second function of the same name", "overloads", "api.open_archive(integer)",
         "CREATE FUNCTION api.open_archive(integer) RETURNS text LANGUAGE sql"
         " SET search_path = pg_catalog, pg_temp AS 'SELECT 1';"
         "GRANT EXECUTE ON FUNCTION api.open_archive(integer) TO fonds_reader", "function_bodies"),
    _one("a function smuggled into the extension", "extension_functions", "vector: ext.peek()",
         "CREATE FUNCTION ext.peek() RETURNS integer LANGUAGE sql AS 'SELECT 1';"
         "ALTER EXTENSION vector ADD FUNCTION ext.peek();"
         "GRANT EXECUTE ON FUNCTION ext.peek() TO fonds_reader"),
    _one("a language", "language_rights", "plpgsql", "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC"),
    _one("a large object", "large_objects", "large object 4242",
         "SELECT lo_create(4242); GRANT SELECT ON LARGE OBJECT 4242 TO PUBLIC"),
    _one("large objects without rights", "large_objects", "lo_compat_privileges",
         "SET LOCAL lo_compat_privileges = on"),
    _one("a foreign server", "foreign_access", "server far",
         _WRAPPER + "GRANT USAGE ON FOREIGN SERVER far TO fonds_reader"),
    _one("somebody's password on a foreign server", "foreign_access", "mapping for public on far",
         _WRAPPER + "CREATE USER MAPPING FOR PUBLIC SERVER far"),
    _one("a parameter of the server", "settings", "may set log_statement",
         "GRANT SET ON PARAMETER log_statement TO fonds_reader"),
    _one("an archive nobody named", "settings", "begins with fonds.archive",
         "ALTER ROLE fonds_reader SET fonds.archive = '1'"),
    _one("code of somebody's in every session", "settings", "begins with session_preload_libraries",
         "ALTER ROLE fonds_reader SET session_preload_libraries = 'auto_explain'"),
    _one("a path through somebody's schema", "settings", "begins with search_path",
         "ALTER ROLE fonds_reader SET search_path = public, pg_catalog"),
)  # fmt: skip

REACH = (
    _one("a function of a superuser", "unbound_functions", "api.open_archive(text)",
         "ALTER FUNCTION api.open_archive(text) OWNER TO CURRENT_USER", "owners_reach"),
    _one("a function of a role that reads bodies", "unbound_functions", "api.open_archive(text)",
         "ALTER FUNCTION api.open_archive(text) OWNER TO fonds_narrower", "owners_reach"),
    _one("a function without a path", "unbound_functions", "api.open_archive(text)",
         "ALTER FUNCTION api.open_archive(text) RESET search_path"),
    _one("a function with an open path", "unbound_functions", "api.open_archive(text)",
         "ALTER FUNCTION api.open_archive(text) SET search_path = public, pg_catalog"),
    _one("a function that finds a session's own types first", "unbound_functions",
         "api.open_archive(text)",
         "ALTER FUNCTION api.open_archive(text) SET search_path = pg_catalog"),
    _one("an owner that logs in", "unbound_functions", "api.open_archive(text)",
         "ALTER ROLE fonds_registrar LOGIN"),
    _one("an invoker without a path", "invoker_functions", "api.live_build()",
         "ALTER FUNCTION api.live_build() RESET search_path"),
    _one("an invoker that names what is private", "invoker_functions", "api.revision()",
         "CREATE OR REPLACE FUNCTION api.revision() RETURNS text LANGUAGE sql"
         " SET search_path = pg_catalog, pg_temp AS 'SELECT max(text) FROM private.fragment'",
         "function_bodies"),
    _one("a function that says something else", "function_bodies", "api.open_archive(text)",
         "CREATE OR REPLACE FUNCTION api.open_archive(asked_slug text) RETURNS integer LANGUAGE sql"
         " STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS 'SELECT 1'"),
    _one("a scope that is always there", "function_bodies", "api.scope()",
         "CREATE OR REPLACE FUNCTION api.scope() RETURNS integer LANGUAGE sql STABLE"
         " SET search_path = pg_catalog, pg_temp AS 'SELECT 1'", "forged_scopes"),
    _one("a scope that takes a setting's word", "forged_scopes", "a bare number",
         "CREATE OR REPLACE FUNCTION api.scope() RETURNS integer LANGUAGE sql STABLE"
         " SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
         " AS $$ SELECT split_part(current_setting('fonds.archive'), ':', 1)::integer $$",
         "function_bodies"),
    _one("the keys of scopes", "scope_keys", "fonds_reader: SELECT on seal.scope_key",
         "GRANT SELECT ON seal.scope_key TO fonds_reader", "relation_rights"),
    _one("a column of the keys for everybody", "scope_keys", "PUBLIC: SELECT on seal.scope_key",
         "GRANT SELECT (outer_pad) ON seal.scope_key TO PUBLIC", "relation_rights",
         "owners_reach"),
    _one("the keys for another login", "scope_keys", "fonds_build: SELECT on seal.scope_key",
         "GRANT SELECT ON seal.scope_key TO fonds_build"),
    _one("every key for the function that checks one", "scope_keys",
         "seal.scope_key: a_login_is_checked_by_its_key",
         "ALTER POLICY a_login_is_checked_by_its_key ON seal.scope_key USING (true)"),
    _one("another login that becomes who checks", "scope_keys",
         "fonds_curator: member of fonds_sealer",
         "GRANT fonds_sealer TO fonds_curator WITH INHERIT FALSE"),
    _one("keys for the owner of the search", "owners_reach",
         "fonds_nearest: SELECT on seal.scope_key.inner_pad",
         "GRANT SELECT (inner_pad) ON seal.scope_key TO fonds_nearest", "scope_keys"),
    _one("row security off on the keys", "unguarded_relations", "seal.scope_key",
         "ALTER TABLE seal.scope_key DISABLE ROW LEVEL SECURITY"),
    _one("the keys published", "published", "publication far",
         "CREATE PUBLICATION far FOR TABLE seal.scope_key"),
    _one("the copies of vectors published", "published", "publication far",
         "CREATE PUBLICATION far FOR TABLES IN SCHEMA indexes"),
    _one("a copy of vectors for everybody", "relation_rights", "SELECT on indexes.near_1_1",
         "CREATE TABLE indexes.near_1_1 (n integer); GRANT SELECT ON indexes.near_1_1 TO PUBLIC",
         "owners_reach"),
    _one("a scope whose body has no text", "function_bodies", "api.scope()",
         "CREATE OR REPLACE FUNCTION api.scope() RETURNS integer LANGUAGE sql STABLE"
         " SET search_path = pg_catalog, pg_temp RETURN 1", "forged_scopes"),
    _one("the door's policy for who is let in", "policies",
         "private.archive: the_door_finds_archives",
         "ALTER POLICY the_door_finds_archives ON private.archive"
         " TO fonds_doorkeeper, fonds_reader"),
    _one("bodies for the owner of the search", "owners_reach",
         "fonds_nearest: SELECT on private.fragment.text",
         "GRANT SELECT (text) ON private.fragment TO fonds_nearest"),
    _one("questions for the clerk", "owners_reach",
         "fonds_clerk: SELECT on private.refusal.question",
         "GRANT SELECT (question) ON private.refusal TO fonds_clerk"),
    _one("another role for the owner of the search", "owners_reach",
         "fonds_nearest: member of fonds_curator",
         "GRANT fonds_curator TO fonds_nearest WITH INHERIT FALSE"),
    _one("a table of the owner of the search", "owners_reach",
         "fonds_nearest: owns table served.name",
         "ALTER TABLE served.name OWNER TO fonds_nearest"),
    _one("a view for the owner of the search", "owners_views", "served.wide",
         "CREATE VIEW served.wide AS SELECT * FROM private.fragment;"
         "GRANT SELECT ON served.wide TO fonds_nearest", "owners_reach"),
    _one("a stored view", "owners_views", "served.copied",
         "CREATE MATERIALIZED VIEW served.copied AS SELECT * FROM private.fragment;"
         "GRANT SELECT ON served.copied TO fonds_reader", "relation_rights"),
    _one("row security not forced", "unguarded_relations", "served.fragment",
         "ALTER TABLE served.fragment NO FORCE ROW LEVEL SECURITY"),
    _one("row security off", "unguarded_relations", "served.entity",
         "ALTER TABLE served.entity DISABLE ROW LEVEL SECURITY"),
    _one("row security off on the private side", "unguarded_relations", "private.fragment",
         "ALTER TABLE private.fragment DISABLE ROW LEVEL SECURITY"),
    _one("a policy dropped", "policies", "served.fragment: no policy",
         "DROP POLICY archive_reads_its_live_build ON served.fragment"),
    _one("a policy for everything", "policies", "served.fragment: archive_reads_its_live_build",
         "ALTER POLICY archive_reads_its_live_build ON served.fragment USING (true)"),
    _one("a policy for builds that are not live", "policies",
         "served.entity: archive_reads_its_live_build",
         "ALTER POLICY archive_reads_its_live_build ON served.entity"
         " USING (archive_id = (SELECT api.scope()))"),
    _one("a second policy for everybody", "policies", "served.fragment: generous",
         "CREATE POLICY generous ON served.fragment FOR SELECT USING (exposure = 'text')"),
    _one("a policy that asks a setting", "policies", "served.live: archive_reads_its_pointer",
         "ALTER POLICY archive_reads_its_pointer ON served.live"
         " USING (archive_id = current_setting('fonds.archive')::integer)"),
    _one("a policy for the owner of the search", "policies",
         "served.embedding: archive_is_searched",
         "ALTER POLICY archive_is_searched ON served.embedding USING (archive_id > 0)"),
    _one("statistics of a table without row security", "statistics", "served.bare",
         "CREATE TABLE served.bare AS SELECT n AS archive_id FROM generate_series(1, 9) AS n;"
         "GRANT SELECT ON served.bare TO fonds_reader; ANALYZE served.bare",
         "relation_rights", "unguarded_relations"),
    _one("writing what refers to the private side", "side_effects",
         "served.build refers to private.archive",
         "GRANT INSERT (build_id) ON served.build TO fonds_reader", "relation_rights"),
    _one("writing what sets off a trigger", "side_effects",
         "private.projection sets off private.keep_veto()",
         "GRANT DELETE ON private.projection TO fonds_reader", "relation_rights"),
    _one("tables of tomorrow", "default_privileges",
         "fonds_owner gives SELECT on what it makes (tables)",
         "ALTER DEFAULT PRIVILEGES FOR ROLE fonds_owner GRANT SELECT ON TABLES TO fonds_reader"),
    _one("functions of tomorrow", "default_privileges",
         "fonds_owner leaves the functions it makes to everybody",
         "ALTER DEFAULT PRIVILEGES FOR ROLE fonds_owner GRANT EXECUTE ON FUNCTIONS TO PUBLIC"),
    _one("a private table published", "published", "publication far",
         "CREATE PUBLICATION far FOR TABLE private.fragment"),
    _one("a schema published", "published", "publication far",
         "CREATE PUBLICATION far FOR TABLES IN SCHEMA private"),
    _one("everything published", "published", "publication far",
         "CREATE PUBLICATION far FOR ALL TABLES"),
    _one("rows from elsewhere", "published", "subscription near",
         "CREATE SUBSCRIPTION near CONNECTION 'host=localhost' PUBLICATION far"
         " WITH (connect = false, slot_name = NONE)"),
)  # fmt: skip

MISGRANTS: tuple[Misgrant, ...] = RIGHTS + REACH

# The logins without content: what the reader's misgrants have not shown of their duties.
HOST_MISGRANTS = (
    _one("a private table for the host", "relation_rights", "SELECT on private.fragment",
         "GRANT SELECT ON private.fragment TO fonds_host"),
    _one("the live text for the host", "relation_rights", "SELECT on served.fragment (text)",
         "GRANT SELECT (text) ON served.fragment TO fonds_host"),
    _one("the search for the host", "function_rights", "api.served_build()",
         "GRANT EXECUTE ON FUNCTION api.served_build() TO fonds_host"),
    _one("hashes for who mints keys", "owners_reach",
         "fonds_keysmith: SELECT on private.api_key.key_hash",
         "GRANT SELECT (key_hash) ON private.api_key TO fonds_keysmith"),
    _one("text for who lists archives", "owners_reach",
         "fonds_lister: SELECT on served.fragment.text",
         "GRANT SELECT (text) ON served.fragment TO fonds_lister"),
    _one("text for who removes archives", "owners_reach",
         "fonds_remover: SELECT on private.fragment.text",
         "GRANT SELECT (text) ON private.fragment TO fonds_remover"),
    _one("removal of what is not in scope", "policies", "served.fragment: archive_is_removed",
         "ALTER POLICY archive_is_removed ON served.fragment USING (true)"),
)  # fmt: skip
QUEUE_MISGRANTS = (
    _one("a private table for the queue", "relation_rights", "SELECT on private.source",
         "GRANT SELECT ON private.source TO fonds_queue"),
    _one("a definer function in the queue's schema", "function_rights", "jobs.peek()",
         "CREATE FUNCTION jobs.peek() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER"
         " SET search_path = pg_catalog, pg_temp AS 'SELECT text FROM private.fragment';"
         "ALTER FUNCTION jobs.peek() OWNER TO fonds_build;"
         "GRANT EXECUTE ON FUNCTION jobs.peek() TO fonds_queue",
         "unbound_functions", "owners_reach"),
    _one("a job that refers to a fragment", "side_effects", "jobs.told refers to private.entity",
         "CREATE TABLE jobs.told (archive_id integer, entity_id text,"
         " FOREIGN KEY (archive_id, entity_id) REFERENCES private.entity (archive_id, entity_id));"
         "GRANT INSERT ON jobs.told TO fonds_queue"),
    _one("a job that sets off another's rights", "side_effects",
         "jobs.slot sets off private.keep_veto()",
         "CREATE TRIGGER told AFTER INSERT ON jobs.slot FOR EACH ROW"
         " EXECUTE FUNCTION private.keep_veto()"),
    _one("a view in the queue's schema", "owners_views", "jobs.everything",
         "CREATE VIEW jobs.everything AS SELECT * FROM private.fragment;"
         "GRANT SELECT ON jobs.everything TO fonds_queue"),
)  # fmt: skip
