-- The login that takes backups, for whoever administers the server; run in the database of fonds, once,
-- and again without harm. It reads every row past row security, and changes nothing. Give it a password
-- with \password fonds_backup: nothing here sets one.
DO $role$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'fonds_backup') THEN
        CREATE ROLE fonds_backup LOGIN;
    END IF;
    ALTER ROLE fonds_backup LOGIN INHERIT BYPASSRLS NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
    -- No statement of a backup writes; a session could lift this, and still has no right to.
    ALTER ROLE fonds_backup SET default_transaction_read_only = on;
    EXECUTE pg_catalog.format('GRANT CONNECT ON DATABASE %I TO fonds_backup', pg_catalog.current_database());
END
$role$;

GRANT pg_read_all_data TO fonds_backup WITH INHERIT TRUE, SET FALSE;
