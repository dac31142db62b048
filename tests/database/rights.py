"""What a role may do, read from the catalogue: every object of the database and every verb (R094).

The answer counts what PUBLIC has and what a role inherits. System objects are named when a role of
ours is named in their rights; what every Postgres gives PUBLIC there is the same for all.
"""

from __future__ import annotations

import re
from typing import LiteralString

from tests.database.rows import Session

# Each answers (object, verb) pairs for one role.
_QUESTIONS: tuple[LiteralString, ...] = (
    """
    SELECT 'database', v FROM unnest(ARRAY['CONNECT', 'CREATE', 'TEMPORARY']) AS v
     WHERE has_database_privilege(%(role)s, current_database(), v)
    """,
    """
    SELECT 'schema ' || nspname, v FROM pg_namespace, unnest(ARRAY['USAGE', 'CREATE']) AS v
     WHERE nspname !~ '^(pg_toast|pg_temp)' AND has_schema_privilege(%(role)s, oid, v)
       AND NOT (nspname IN ('pg_catalog', 'information_schema') AND v = 'USAGE')
    """,
    """
    SELECT 'language ' || lanname, 'USAGE'
      FROM pg_language
     WHERE lanpltrusted AND has_language_privilege(%(role)s, oid, 'USAGE')
    """,
    """
    SELECT c.oid::regclass::text, v
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
           unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER,MAINTAIN}'::text[]) AS v
     WHERE nspname !~ '^(pg_|information_schema$)' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND has_table_privilege(%(role)s, c.oid, v)
    """,
    """
    SELECT c.oid::regclass::text, v || ' ' || string_agg(a.attname, ' ' ORDER BY a.attnum)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped,
           unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS v
     WHERE nspname !~ '^(pg_|information_schema$)' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND has_column_privilege(%(role)s, c.oid, a.attnum, v)
       AND NOT has_table_privilege(%(role)s, c.oid, v)
     GROUP BY c.oid, v
    """,
    """
    SELECT 'sequence ' || c.oid::regclass::text, v
      FROM pg_class c, unnest(ARRAY['USAGE', 'SELECT', 'UPDATE']) AS v
     WHERE c.relkind = 'S' AND has_sequence_privilege(%(role)s, c.oid, v)
    """,
    # The extension's own functions compare vectors and read nothing.
    """
    SELECT n.nspname || '.' || p.proname, 'EXECUTE'
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE nspname !~ '^(pg_|information_schema$)'
       AND has_function_privilege(%(role)s, p.oid, 'EXECUTE')
       AND NOT EXISTS (SELECT FROM pg_depend d
                        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                          AND d.deptype = 'e')
    """,
    """
    SELECT 'system ' || classid::regclass || ' ' || objid, 'granted' FROM pg_shdepend
     WHERE deptype = 'a' AND refclassid = 'pg_authid'::regclass AND refobjid = %(role)s::regrole
       AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND objid < 16384  -- made by initdb
       AND classid <> 'pg_language'::regclass
    UNION ALL
    SELECT 'large object ' || oid, 'owned' FROM pg_largeobject_metadata
     WHERE lomowner = %(role)s::regrole
    UNION ALL
    SELECT 'setting ' || parname, 'granted' FROM pg_parameter_acl, aclexplode(paracl) AS g
     WHERE g.grantee IN (0, %(role)s::regrole)
    UNION ALL
    SELECT 'foreign ' || fdwname, 'USAGE' FROM pg_foreign_data_wrapper
     WHERE has_foreign_data_wrapper_privilege(%(role)s, oid, 'USAGE')
    """,
)


def rights(session: Session, role: str) -> dict[str, list[str]]:
    """Object -> verbs, both in order; an object that a role may do nothing with is not named."""
    found: dict[str, list[str]] = {}
    for question in _QUESTIONS:
        for thing, verb in session.execute(question, {"role": role}).fetchall():
            found.setdefault(str(thing), []).append(str(verb))
    return {thing: sorted(found[thing]) for thing in sorted(found)}


def library_folded(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """The same with one entry a kind for the objects of the queue's library, whose names are its
    own; those of a kind that differ in their verbs are named.
    """
    folded: dict[str, list[str]] = {}
    for thing, verbs in found.items():
        kind = f"{'sequences' if thing.startswith('sequence ') else 'tables'} of the library"
        if not re.match(r"(sequence )?jobs\.procrastinate_", thing):
            folded[thing] = verbs
        elif verbs[0] == "EXECUTE":
            folded["functions of the library"] = ["called"]
        elif folded.setdefault(kind, verbs) != verbs:
            folded[thing] = verbs
    return folded


def lines_of(found: dict[str, list[str]]) -> list[str]:
    """One line an object with its verbs, one a schema for what may be called, in order."""
    called: dict[str, list[str]] = {}
    lines: list[str] = []
    for thing, verbs in library_folded(found).items():
        if verbs[0] == "EXECUTE":
            schema, _, name = thing.partition(".")
            called.setdefault(schema, []).extend([name] * len(verbs))
        else:
            lines.append(f"{thing}: {', '.join(verbs)}")
    return sorted(
        [*lines, *(f"call {schema}: {' '.join(names)}" for schema, names in called.items())]
    )


def unfolded(table: str) -> list[str]:
    """The lines of a table that is written folded."""
    return sorted(table.strip().replace("\n  ", " ").splitlines())
