-- name: owners_views
-- A view reads with its owner's rights unless it says otherwise, and a stored one is cut by no policy.
SELECT c.oid::pg_catalog.regclass::text
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND (c.relkind = 'm' OR NOT coalesce(c.reloptions && ARRAY['security_invoker=true', 'security_invoker=on', 'security_invoker=1'], false))
   AND EXISTS (SELECT FROM pg_catalog.pg_roles r
                WHERE (r.rolname = session_user OR r.rolname = ANY (%(owners)s::text[]))
                  AND pg_catalog.has_any_column_privilege(r.oid, c.oid, 'SELECT')
                  AND pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE'))
 ORDER BY 1;

-- name: unbound_functions
-- A definer function it may call runs as a role that row security does not bind, that logs in, or that is none of
-- those made for it; or it finds names by the caller's path, or by one in which others may put theirs.
SELECT p.oid::pg_catalog.regprocedure::text
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_catalog.pg_roles r ON r.oid = p.proowner
 WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND pg_catalog.has_function_privilege(session_user, p.oid, 'EXECUTE')
   AND (r.rolsuper OR r.rolbypassrls OR r.rolcanlogin OR NOT r.rolname = ANY (%(owners)s::text[])
        OR NOT EXISTS (SELECT FROM pg_catalog.unnest(p.proconfig) AS setting
                        WHERE setting ~ '^search_path="?pg_catalog"?(, ext)?, pg_temp$'))
 ORDER BY 1;

-- name: invoker_functions
-- The others run with the caller's own rights; they pin their path too, and name nothing private.
WITH named AS MATERIALIZED (
    SELECT p.oid, p.prosrc, p.proconfig
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE NOT p.prosecdef AND n.nspname || '.' || p.proname = ANY (%(functions)s::text[])
)
SELECT p.oid::pg_catalog.regprocedure::text
  FROM named p
 WHERE pg_catalog.has_function_privilege(session_user, p.oid, 'EXECUTE')
   AND (p.prosrc ~* '\mprivate"?\s*\.'
        OR NOT EXISTS (SELECT FROM pg_catalog.unnest(p.proconfig) AS setting
                        WHERE setting ~ '^search_path="?pg_catalog"?(, ext)?, pg_temp$'))
 ORDER BY 1;

-- name: function_bodies
-- What each function of the house says, to be compared with what was shipped: a definer function with another body does
-- with its owner's rights whatever that body says.
SELECT n.nspname || '.' || p.proname, p.oid::pg_catalog.regprocedure::text, CASE WHEN p.prosqlbody IS NULL THEN p.prosrc END
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname IN ('api', 'private', 'served', 'seal')
 ORDER BY 2;

-- name: owners_reach
-- What the owners of those functions may read beyond their task, themselves or by another role.
WITH owner AS (
    SELECT DISTINCT r.oid, r.rolname
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      JOIN pg_catalog.pg_roles r ON r.oid = p.proowner
     WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')
       AND pg_catalog.has_function_privilege(session_user, p.oid, 'EXECUTE')
)
SELECT o.rolname || ': SELECT on ' || c.oid::pg_catalog.regclass::text || '.' || a.attname
  FROM owner o
 CROSS JOIN pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
   AND pg_catalog.has_any_column_privilege(o.oid, c.oid, 'SELECT')
   AND pg_catalog.has_column_privilege(o.oid, c.oid, a.attnum, 'SELECT')
   AND a.attname <> 'archive_id'  -- by which every policy finds its rows: a number, and no content
   AND (NOT c.oid::pg_catalog.regclass::text = ANY (%(touched)s::text[])
        OR o.rolname || ': ' || c.oid::pg_catalog.regclass::text || '.' || a.attname = ANY (%(untouched)s::text[]))
UNION ALL
SELECT o.rolname || ': member of ' || r.rolname
  FROM owner o
  JOIN pg_catalog.pg_auth_members m ON m.member = o.oid
  JOIN pg_catalog.pg_roles r ON r.oid = m.roleid
UNION ALL
SELECT o.rolname || ': owns ' || pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid)
  FROM owner o
  JOIN pg_catalog.pg_shdepend d ON d.refobjid = o.oid AND d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass
 WHERE d.deptype = 'o' AND d.classid <> 'pg_catalog.pg_proc'::pg_catalog.regclass
   AND d.dbid IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))
 ORDER BY 1;

-- name: unguarded_relations
-- Every table of both sides is cut by row security, its owner's rights included, and so is all it may read elsewhere.
SELECT c.oid::pg_catalog.regclass::text
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
   AND (n.nspname IN ('private', 'served', 'seal') OR c.oid::pg_catalog.regclass::text = ANY (%(relations)s::text[]))
 ORDER BY 1;

-- name: policies
-- Each policy that is for this login, for everybody or for an owner of its functions compares with the scope, and what
-- shows a build with the live one. Texts are compared without spaces, brackets and column names, in which versions of
-- the server differ. A relation that no policy names is one whose policy was dropped.
WITH policy AS (
    SELECT p.polrelid, p.polrelid::pg_catalog.regclass::text AS relation, p.polname,
           0 = ANY (p.polroles) OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = ANY (p.polroles) AND r.rolname = session_user) AS is_own,
           pg_catalog.regexp_replace(
               coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), ''),
               '\s+AS\s+\w+|[\s()]', '', 'gi') AS text
      FROM pg_catalog.pg_policy p
      JOIN pg_catalog.pg_class c ON c.oid = p.polrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE p.polpermissive AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT n.nspname = ANY (%(own)s::text[])
       AND (0 = ANY (p.polroles) OR EXISTS (
                SELECT FROM pg_catalog.pg_roles r
                 WHERE r.oid = ANY (p.polroles) AND (r.rolname = session_user OR r.rolname = ANY (%(owners)s::text[]))))
)
SELECT relation || ': ' || polname
  FROM policy
 WHERE CASE WHEN is_own AND relation = ANY (%(live_rows)s::text[])
            THEN text <> 'archive_id=SELECTapi.scopeANDbuild_id=SELECTapi.live_build'
            ELSE text NOT IN ('archive_id=SELECTapi.scope', 'archive_id=SELECTapi.scopeANDbuild_id=SELECTapi.live_build')
        END
   AND (is_own OR NOT relation || ': ' || polname = ANY (%(unscoped)s::text[]))
UNION ALL
SELECT name || ': no policy'
  FROM pg_catalog.unnest(%(relations)s::text[]) AS name
 WHERE NOT EXISTS (SELECT FROM policy p WHERE p.relation = name AND p.is_own)
 ORDER BY 1;

-- name: statistics
-- Commonest values and bounds of columns, as far as the catalogue shows this login any.
SELECT DISTINCT s.schemaname || '.' || s.tablename
  FROM pg_catalog.pg_stats s
 WHERE s.schemaname NOT IN ('pg_catalog', 'information_schema')
UNION
SELECT s.statistics_schemaname || '.' || s.statistics_name FROM pg_catalog.pg_stats_ext s
UNION
SELECT s.statistics_schemaname || '.' || s.statistics_name FROM pg_catalog.pg_stats_ext_exprs s
 ORDER BY 1;

-- name: side_effects
-- What a write would ask of the private side: a key that tells whether a row is there, a trigger with others' rights.
-- In a schema of its own a login may name an archive's number, and sets off what runs with its own rights.
WITH ours AS MATERIALIZED (
    SELECT c.oid, c.oid::pg_catalog.regclass::text AS name, n.nspname = ANY (%(own)s::text[]) AS is_own
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
), written AS (
    SELECT c.oid, c.name, c.is_own
      FROM ours c
     WHERE NOT c.name = ANY (%(written)s::text[])
       AND (pg_catalog.has_any_column_privilege(session_user, c.oid, 'INSERT, UPDATE, REFERENCES')
            OR pg_catalog.has_table_privilege(session_user, c.oid, 'DELETE, TRUNCATE, TRIGGER'))
)
SELECT w.name || ' refers to ' || k.confrelid::pg_catalog.regclass::text
  FROM written w
  JOIN pg_catalog.pg_constraint k ON k.conrelid = w.oid AND k.contype = 'f'
 WHERE NOT (w.is_own AND (k.confrelid::pg_catalog.regclass::text = 'private.archive' OR k.confrelid IN (SELECT o.oid FROM ours o WHERE o.is_own)))
UNION
SELECT w.name || ' sets off ' || t.tgfoid::pg_catalog.regprocedure::text
  FROM written w
  JOIN pg_catalog.pg_trigger t ON t.tgrelid = w.oid AND NOT t.tgisinternal
  JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
 WHERE p.prosecdef OR NOT w.is_own
 ORDER BY 1;

-- name: default_privileges
-- What is made tomorrow is nobody's: no default gives this login or everybody anything, and functions are closed.
SELECT d.defaclrole::pg_catalog.regrole::text || ' gives ' || g.privilege_type || ' on what it makes ('
       || CASE d.defaclobjtype WHEN 'r' THEN 'tables' WHEN 'S' THEN 'sequences' WHEN 'f' THEN 'functions' WHEN 'T' THEN 'types'
                               WHEN 'n' THEN 'schemas' ELSE 'large objects' END || ')'
  FROM pg_catalog.pg_default_acl d
 CROSS JOIN LATERAL pg_catalog.aclexplode(d.defaclacl) AS g
  LEFT JOIN pg_catalog.pg_roles r ON r.oid = g.grantee
 WHERE (g.grantee = 0 OR r.rolname = session_user) AND d.defaclobjtype <> 'T'
UNION ALL
SELECT DISTINCT n.nspowner::pg_catalog.regrole::text || ' leaves the functions it makes to everybody'
  FROM pg_catalog.pg_namespace n
 WHERE n.nspname IN ('private', 'served', 'api', 'seal')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_default_acl d
                    WHERE d.defaclrole = n.nspowner AND d.defaclnamespace = 0 AND d.defaclobjtype = 'f')
 ORDER BY 1;

-- name: published
-- Rows that leave this database, or come into it, past every grant.
SELECT 'publication ' || p.pubname
  FROM pg_catalog.pg_publication p
 WHERE p.puballtables
    OR EXISTS (SELECT FROM pg_catalog.pg_publication_rel r
                 JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
                 JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE r.prpubid = p.oid AND n.nspname IN ('private', 'served', 'seal', 'indexes'))
    OR EXISTS (SELECT FROM pg_catalog.pg_publication_namespace s
                 JOIN pg_catalog.pg_namespace n ON n.oid = s.pnnspid
                WHERE s.pnpubid = p.oid AND n.nspname IN ('private', 'served', 'seal', 'indexes'))
UNION ALL
SELECT 'subscription ' || s.subname
  FROM pg_catalog.pg_subscription s
 WHERE s.subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
 ORDER BY 1;

-- name: scope_keys
-- Who else has a right on the keys of scopes, may become the role that checks them, or is shown more of them than the
-- row of the login that asks. Their owner keeps what an owner has, and row security shows it nothing.
WITH kept AS (
    SELECT c.oid, c.relowner, c.relacl,
           (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = 'fonds_sealer') AS sealer
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'seal' AND c.relname = 'scope_key'
), given AS (
    SELECT g.grantee, g.privilege_type FROM kept k CROSS JOIN LATERAL pg_catalog.aclexplode(k.relacl) AS g
    UNION ALL
    SELECT g.grantee, g.privilege_type
      FROM kept k
      JOIN pg_catalog.pg_attribute a ON a.attrelid = k.oid
     CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) AS g
)
SELECT coalesce(r.rolname, 'PUBLIC') || ': ' || g.privilege_type || ' on seal.scope_key'
  FROM given g
 CROSS JOIN kept k
  LEFT JOIN pg_catalog.pg_roles r ON r.oid = g.grantee
 WHERE g.grantee NOT IN (k.relowner, k.sealer)
UNION
SELECT r.rolname || ': member of fonds_sealer'
  FROM kept k
  JOIN pg_catalog.pg_auth_members m ON m.roleid = k.sealer AND m.member <> k.relowner
  JOIN pg_catalog.pg_roles r ON r.oid = m.member
UNION
SELECT 'seal.scope_key: ' || p.polname
  FROM kept k
  JOIN pg_catalog.pg_policy p ON p.polrelid = k.oid
 WHERE NOT (p.polpermissive AND p.polroles = ARRAY[k.sealer] AND p.polwithcheck IS NULL
            AND pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), '[\s()]|::\w+', '', 'g')
                = CASE p.polcmd WHEN 'r' THEN 'login=SESSION_USER' ELSE 'SESSION_USER=''fonds_migrator''' END)
UNION
SELECT 'seal.scope_key is not there' WHERE NOT EXISTS (SELECT FROM kept)
 ORDER BY 1;
