-- name: role_attributes
-- Attributes that let a login past every grant and policy.
SELECT attribute
  FROM pg_catalog.pg_roles r
 CROSS JOIN LATERAL (VALUES ('SUPERUSER', r.rolsuper), ('BYPASSRLS', r.rolbypassrls), ('CREATEROLE', r.rolcreaterole),
                            ('CREATEDB', r.rolcreatedb), ('REPLICATION', r.rolreplication)) AS had (attribute, is_set)
 WHERE r.rolname = session_user AND had.is_set
 ORDER BY attribute;

-- name: memberships
-- Roles the login is in, predefined ones included, however it came by them.
SELECT r.rolname::text
  FROM pg_catalog.pg_roles r
 WHERE r.rolname <> session_user AND pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
 ORDER BY 1;

-- name: owned_objects
-- An owner grants itself anything. Objects of this database, and shared ones.
SELECT pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid)
  FROM pg_catalog.pg_shdepend d
  JOIN pg_catalog.pg_roles r ON r.oid = d.refobjid
 WHERE d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass AND d.deptype = 'o' AND r.rolname = session_user
   AND d.dbid IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))
 ORDER BY 1;

-- name: database_rights
-- Beside connecting: temporary tables and schemas of its own.
SELECT verb
  FROM pg_catalog.unnest(ARRAY['CREATE', 'TEMPORARY']) AS verb
 WHERE pg_catalog.has_database_privilege(session_user, pg_catalog.current_database(), verb)
 ORDER BY 1;

-- name: schema_rights
-- The system's own schemas are everybody's to use; creating is nobody's anywhere.
SELECT verb || ' on schema ' || n.nspname
  FROM pg_catalog.pg_namespace n
 CROSS JOIN pg_catalog.unnest(ARRAY['USAGE', 'CREATE']) AS verb
 WHERE pg_catalog.has_schema_privilege(session_user, n.oid, verb)
   AND NOT (verb = 'USAGE' AND n.nspname = ANY (ARRAY['pg_catalog', 'information_schema'] || %(schemas)s::text[]))
 ORDER BY 1;

-- name: relation_rights
-- Tables, views, sequences, on the whole or by column; SELECT on the served content is what it is for.
SELECT verb || ' on ' || c.oid::pg_catalog.regclass::text
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN pg_catalog.unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) AS verb
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
   AND (pg_catalog.has_table_privilege(session_user, c.oid, verb)
        OR (verb IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
            AND pg_catalog.has_any_column_privilege(session_user, c.oid, verb)))
   AND NOT (verb = 'SELECT' AND c.oid::pg_catalog.regclass::text = ANY (%(relations)s::text[]))
UNION ALL
SELECT verb || ' on ' || c.oid::pg_catalog.regclass::text
  FROM pg_catalog.pg_class c
 CROSS JOIN pg_catalog.unnest(ARRAY['SELECT', 'UPDATE', 'USAGE']) AS verb
 WHERE c.relkind = 'S' AND pg_catalog.has_sequence_privilege(session_user, c.oid, verb)
 ORDER BY 1;

-- name: function_rights
-- By name: an overload of a serving function is no less closed to others than it.
SELECT p.oid::pg_catalog.regprocedure::text
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
   AND pg_catalog.has_function_privilege(session_user, p.oid, 'EXECUTE')
   AND NOT (n.nspname || '.' || p.proname = ANY (%(functions)s::text[]))
 ORDER BY 1;

-- name: unbound_functions
-- A definer function it may call runs as a role that row security does not bind, or finds names by the caller's path.
SELECT p.oid::pg_catalog.regprocedure::text
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_catalog.pg_roles r ON r.oid = p.proowner
 WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND pg_catalog.has_function_privilege(session_user, p.oid, 'EXECUTE')
   AND (r.rolsuper OR r.rolbypassrls
        OR NOT EXISTS (SELECT FROM pg_catalog.unnest(p.proconfig) AS setting WHERE setting LIKE 'search_path=%%'))
 ORDER BY 1;

-- name: unguarded_relations
-- What it may read is cut by row security, for everyone.
SELECT c.oid::pg_catalog.regclass::text
  FROM pg_catalog.pg_class c
 WHERE c.oid::pg_catalog.regclass::text = ANY (%(relations)s::text[])
   AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
 ORDER BY 1;

-- name: language_rights
-- A language is needed to write a function or a DO block, never to call one.
SELECT l.lanname::text
  FROM pg_catalog.pg_language l
 WHERE l.lanpltrusted AND pg_catalog.has_language_privilege(session_user, l.oid, 'USAGE')
 ORDER BY 1;
