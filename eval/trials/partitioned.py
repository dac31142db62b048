"""`served.embedding` of a scratch database made anew as hash partitions by archive, with the keys,
checks, policies, grants and triggers that the table has.
"""

from __future__ import annotations

from typing import Any, LiteralString

import psycopg

_COPIED: tuple[LiteralString, ...] = (
    # Foreign keys; the other constraints are copied with the columns.
    """
    SELECT format('ALTER TABLE served.embedding ADD %s', pg_get_constraintdef(oid))
      FROM pg_constraint WHERE conrelid = 'served.embedding_whole'::regclass AND contype = 'f'
    """,
    """
    SELECT format('CREATE POLICY %I ON served.embedding AS %s FOR %s TO %s%s%s', policyname,
                  permissive, cmd, array_to_string(roles, ', '), ' USING (' || qual || ')',
                  ' WITH CHECK (' || with_check || ')')
      FROM pg_policies WHERE schemaname = 'served' AND tablename = 'embedding_whole'
    """,
    """
    SELECT format('GRANT %s ON served.embedding TO %s', a.privilege_type, a.grantee::regrole)
      FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
     WHERE c.oid = 'served.embedding_whole'::regclass AND a.grantee <> c.relowner
    UNION ALL
    SELECT format('GRANT %s (%I) ON served.embedding TO %s', a.privilege_type, t.attname,
                  a.grantee::regrole)
      FROM pg_attribute t CROSS JOIN LATERAL aclexplode(t.attacl) AS a
     WHERE t.attrelid = 'served.embedding_whole'::regclass
    """,
    """
    SELECT replace(pg_get_triggerdef(oid), 'embedding_whole', 'embedding')
      FROM pg_trigger WHERE tgrelid = 'served.embedding_whole'::regclass AND NOT tgisinternal
    """,
)
_MADE: tuple[LiteralString, ...] = (
    "ALTER TABLE served.embedding RENAME TO embedding_whole",
    """
    CREATE TABLE served.embedding (LIKE served.embedding_whole
        INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)
        PARTITION BY HASH (archive_id)
    """,
    "ALTER TABLE served.embedding OWNER TO fonds_owner",
    "ALTER TABLE served.embedding ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
)
_PARTITION: LiteralString = """
    DO $$ BEGIN
        FOR n IN 0 .. current_setting('trial.partitions')::integer - 1 LOOP
            EXECUTE format('CREATE TABLE served.embedding_%s PARTITION OF served.embedding'
                           ' FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                           n, current_setting('trial.partitions'), n);
            EXECUTE format('ALTER TABLE served.embedding_%s OWNER TO fonds_owner', n);
            EXECUTE format('ALTER TABLE served.embedding_%s'
                           ' ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', n);
        END LOOP;
    END $$
    """
_MOVED: tuple[LiteralString, ...] = (
    "INSERT INTO served.embedding SELECT * FROM served.embedding_whole"
    " ORDER BY archive_id, build_id, fragment_id",
    "DROP TABLE served.embedding_whole",
)


def partition(admin: psycopg.Connection[Any], partitions: int) -> None:
    """Splits the table; `admin` is a superuser's connection. All of it happens or nothing."""
    with admin.transaction():
        for statement in _MADE:
            admin.execute(statement)
        admin.execute("SELECT set_config('trial.partitions', %(n)s, true)", {"n": str(partitions)})
        admin.execute(_PARTITION)
        for copied in _COPIED:
            for (statement,) in admin.execute(copied).fetchall():
                admin.execute(str(statement).encode())
        for statement in _MOVED:
            admin.execute(statement)


def partitions_read(admin: psycopg.Connection[Any], archive_id: int) -> list[str]:
    """Which partitions the scan of an archive's live build opens, by a plan made for any archive,
    as the one inside `api.nearest` is.
    """
    with admin.transaction(force_rollback=True):
        admin.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        admin.execute("SET LOCAL enable_seqscan = off")
        admin.execute(
            "PREPARE scan (integer) AS SELECT count(number) FROM served.embedding"
            " WHERE archive_id = $1 AND build_id = 1"
        )
        asked = f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE scan ({int(archive_id)})"
        row = admin.execute(asked.encode()).fetchone()
        admin.execute("DEALLOCATE scan")
    assert row is not None  # noqa: S101 - EXPLAIN answers one row
    return sorted(set(_relations(row[0][0]["Plan"])))


def _relations(plan: dict[str, Any]) -> list[str]:
    own = [str(plan["Relation Name"])] if "Relation Name" in plan else []
    return own + [name for part in plan.get("Plans", []) for name in _relations(part)]
