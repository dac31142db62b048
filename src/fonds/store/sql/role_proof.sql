-- name: session_role
-- Who is proved. For the length of the transaction names are spelled in full, whatever the session's path was.
SELECT session_user::text FROM pg_catalog.set_config('search_path', 'pg_catalog', true);

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
-- Tables and views as a whole, else by column; sequences. What the duty needs is named by verb and relation.
WITH relation AS (
    SELECT c.oid, c.oid::pg_catalog.regclass::text AS name
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
       AND NOT n.nspname = ANY (%(own)s::text[])
), held AS (
    SELECT verb || ' on ' || r.name AS held
      FROM relation r
     CROSS JOIN pg_catalog.unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) AS verb
     WHERE pg_catalog.has_table_privilege(session_user, r.oid, verb)
    UNION ALL
    SELECT verb || ' on ' || r.name || ' (' || pg_catalog.string_agg(a.attname, ', ' ORDER BY a.attname) || ')'
      FROM relation r
      JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND NOT a.attisdropped
     CROSS JOIN pg_catalog.unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS verb
     WHERE NOT pg_catalog.has_table_privilege(session_user, r.oid, verb)
       AND pg_catalog.has_any_column_privilege(session_user, r.oid, verb)
       AND pg_catalog.has_column_privilege(session_user, r.oid, a.attnum, verb)
     GROUP BY verb, r.name
    UNION ALL
    SELECT verb || ' on ' || c.oid::pg_catalog.regclass::text
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     CROSS JOIN pg_catalog.unnest(ARRAY['SELECT', 'UPDATE', 'USAGE']) AS verb
     WHERE c.relkind = 'S' AND NOT n.nspname = ANY (%(own)s::text[]) AND pg_catalog.has_sequence_privilege(session_user, c.oid, verb)
)
SELECT held FROM held WHERE NOT held = ANY (%(rights)s::text[]) ORDER BY 1;

-- name: relation_shape
-- A view, a rule or an inheriting table would show rows of elsewhere under a name that may be read.
SELECT name || ' is no plain table'
  FROM (SELECT c.oid, c.oid::pg_catalog.regclass::text AS name, c.relkind, c.relhasrules
          FROM pg_catalog.pg_class c) AS r
 WHERE r.name = ANY (%(relations)s::text[])
   AND (r.relkind <> 'r' OR r.relhasrules
        OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE r.oid IN (i.inhparent, i.inhrelid)))
 ORDER BY 1;

-- name: system_rights
-- Of the system's own relations and functions, those that a new database keeps from everybody.
SELECT 'SELECT on ' || a.attrelid::pg_catalog.regclass::text || ' (' || pg_catalog.string_agg(a.attname, ', ' ORDER BY a.attname) || ')'
  FROM pg_catalog.pg_init_privs i
  JOIN pg_catalog.pg_attribute a ON a.attrelid = i.objoid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE i.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND i.objsubid = 0 AND i.privtype = 'i'
   AND pg_catalog.has_column_privilege(session_user, a.attrelid, a.attnum, 'SELECT')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_init_privs o, pg_catalog.aclexplode(o.initprivs) AS g
                    WHERE o.classoid = i.classoid AND o.objoid = i.objoid AND o.objsubid IN (0, a.attnum)
                      AND g.grantee = 0 AND g.privilege_type = 'SELECT')
 GROUP BY a.attrelid
UNION ALL
SELECT verb || ' on ' || c.oid::pg_catalog.regclass::text
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN pg_catalog.unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) AS verb
 WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
   AND pg_catalog.has_table_privilege(session_user, c.oid, verb)
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_init_privs o, pg_catalog.aclexplode(o.initprivs) AS g
                    WHERE o.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND o.objoid = c.oid
                      AND g.grantee = 0 AND g.privilege_type = verb)
UNION ALL
SELECT i.objoid::pg_catalog.regprocedure::text
  FROM pg_catalog.pg_init_privs i
 WHERE i.classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND i.privtype = 'i'
   AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(i.initprivs) AS g WHERE g.grantee = 0)
   AND pg_catalog.has_function_privilege(session_user, i.objoid, 'EXECUTE')
 ORDER BY 1;

-- name: function_rights
-- By name; `overloads` sees to it that a name is one function. Privileges are looked up last: they are what costs.
WITH ours AS MATERIALIZED (
    SELECT p.oid, n.nspname || '.' || p.proname AS name
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
       AND (p.prosecdef OR NOT n.nspname = ANY (%(own)s::text[]))
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                        WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
)
SELECT o.oid::pg_catalog.regprocedure::text
  FROM ours o
 WHERE NOT (o.name = ANY (%(functions)s::text[])) AND pg_catalog.has_function_privilege(session_user, o.oid, 'EXECUTE')
 ORDER BY 1;

-- name: overloads
-- A second function under a name that may be called.
WITH named AS MATERIALIZED (
    SELECT p.oid, p.proname, p.pronamespace
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname || '.' || p.proname = ANY (%(functions)s::text[])
)
SELECT found.oid::pg_catalog.regprocedure::text
  FROM (SELECT n.oid, pg_catalog.count(*) OVER (PARTITION BY n.pronamespace, n.proname) AS times
          FROM named n
         WHERE pg_catalog.has_function_privilege(session_user, n.oid, 'EXECUTE')) AS found
 WHERE found.times > 1
 ORDER BY 1;

-- name: extension_functions
-- Of extensions the vector's alone, written in C and with nobody's rights but the caller's.
SELECT e.extname || ': ' || p.oid::pg_catalog.regprocedure::text
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
 WHERE pg_catalog.has_function_privilege(session_user, p.oid, 'EXECUTE')
   AND pg_catalog.has_schema_privilege(session_user, p.pronamespace, 'USAGE')
   AND NOT (e.extname = 'plpgsql' OR (e.extname = 'vector' AND l.lanname IN ('c', 'internal') AND NOT p.prosecdef))
 ORDER BY 1;

-- name: language_rights
-- A language is needed to write a function or a DO block, never to call one.
SELECT l.lanname::text
  FROM pg_catalog.pg_language l
 WHERE l.lanpltrusted AND pg_catalog.has_language_privilege(session_user, l.oid, 'USAGE')
 ORDER BY 1;

-- name: large_objects
-- They obey no table's rights, and none at all where the server is told so.
SELECT 'large object ' || m.oid::text
  FROM pg_catalog.pg_largeobject_metadata m
 WHERE EXISTS (SELECT FROM pg_catalog.aclexplode(m.lomacl) AS g
                 LEFT JOIN pg_catalog.pg_roles r ON r.oid = g.grantee
                WHERE g.grantee = 0 OR r.rolname = session_user)
UNION ALL
SELECT 'lo_compat_privileges' WHERE pg_catalog.current_setting('lo_compat_privileges') = 'on'
 ORDER BY 1;

-- name: foreign_access
-- Other servers, and the names and passwords kept for them.
SELECT 'wrapper ' || f.fdwname FROM pg_catalog.pg_foreign_data_wrapper f
 WHERE pg_catalog.has_foreign_data_wrapper_privilege(session_user, f.oid, 'USAGE')
UNION ALL
SELECT 'server ' || s.srvname FROM pg_catalog.pg_foreign_server s
 WHERE pg_catalog.has_server_privilege(session_user, s.oid, 'USAGE')
UNION ALL
SELECT 'mapping for ' || u.usename || ' on ' || u.srvname FROM pg_catalog.pg_user_mappings u
 WHERE u.umuser = 0 OR u.usename = session_user
 ORDER BY 1;

-- name: settings
-- Parameters it may set beyond anybody, and what a session of it begins with: an archive that nobody named, code, a role.
SELECT 'may set ' || p.parname
  FROM pg_catalog.pg_parameter_acl p
 CROSS JOIN LATERAL pg_catalog.aclexplode(p.paracl) AS g
  LEFT JOIN pg_catalog.pg_roles r ON r.oid = g.grantee
 WHERE g.grantee = 0 OR r.rolname = session_user
UNION
SELECT 'begins with ' || pg_catalog.split_part(given, '=', 1)
  FROM pg_catalog.pg_db_role_setting s
 CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) AS given
  LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
 WHERE (s.setrole = 0 OR r.rolname = session_user)
   AND s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))
   AND (given ~* '^(fonds\.|role=|session_authorization=|row_security=|(session|local)_preload_libraries=|lo_compat_privileges=)'
        OR (given ~* '^search_path=' AND given !~ '^search_path=("?pg_catalog"?(, ext)?|"")$'))
UNION
SELECT 'begins with fonds.archive'
 WHERE coalesce(pg_catalog.current_setting('fonds.archive', true), '') <> ''
 ORDER BY 1;
