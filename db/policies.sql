-- Row security, forced on every table that has an archive_id: the owner is bound by it as well, and has no policy.
-- Each policy compares with (SELECT api.scope()): evaluated once a query, raising when no archive is set.

DO $policies$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT c.oid::regclass AS name, n.nspname AS schema
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname IN ('private', 'served') AND c.relkind = 'r' ORDER BY 1 LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t.name);
        EXECUTE format('CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate()', t.name);
        EXECUTE format('CREATE POLICY archive_is_removed ON %s TO fonds_remover USING (archive_id = (SELECT api.scope()))', t.name);
        IF t.schema = 'private' THEN
            EXECUTE format('CREATE POLICY archive_is_ingested ON %s %s TO fonds_ingest USING (archive_id = (SELECT api.scope()))',
                           t.name, CASE t.name WHEN 'private.archive'::regclass THEN 'FOR SELECT' END);
            EXECUTE format('CREATE POLICY archive_is_built ON %s %s TO fonds_build USING (archive_id = (SELECT api.scope()))',
                           t.name, CASE t.name WHEN 'private.archive'::regclass THEN 'FOR SELECT' END);
            EXECUTE format('CREATE POLICY archive_is_curated ON %s TO fonds_curator USING (archive_id = (SELECT api.scope()))', t.name);
            EXECUTE format('CREATE POLICY archive_is_narrowed ON %s TO fonds_narrower USING (archive_id = (SELECT api.scope()))', t.name);
        ELSE
            EXECUTE format('CREATE POLICY archive_is_built ON %s TO fonds_build USING (archive_id = (SELECT api.scope()))', t.name);
            EXECUTE format('CREATE POLICY archive_is_narrowed ON %s TO fonds_narrower USING (archive_id = (SELECT api.scope()))', t.name);
        END IF;
    END LOOP;
END
$policies$;

-- Writers stand in line at an archive's row. To lock it takes the right to change its counter, and changing that is the
-- narrowing functions' alone: put back, it would let a build by that never heard of what was withdrawn since.
CREATE POLICY archive_is_held ON private.archive FOR UPDATE TO fonds_ingest, fonds_build
    USING (archive_id = (SELECT api.scope())) WITH CHECK (false);

-- The keys of scopes: a check reads the one of the login that asks; the migrator registers all, through a function.
ALTER TABLE seal.scope_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE TRIGGER refuses_truncate BEFORE TRUNCATE ON seal.scope_key FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_truncate();
CREATE POLICY a_login_is_checked_by_its_key ON seal.scope_key FOR SELECT TO fonds_sealer USING (login = SESSION_USER);
CREATE POLICY the_migrator_registers_keys ON seal.scope_key TO fonds_sealer USING (SESSION_USER = 'fonds_migrator');

-- Finding an archive is the one thing that happens before a scope is set; who knocks at the door is looked for likewise.
CREATE POLICY archives_are_found_by_slug ON private.archive TO fonds_registrar USING (true);
CREATE POLICY archives_get_their_locks ON private.job_lock TO fonds_registrar USING (true);
CREATE POLICY terms_are_registered ON private.access TO fonds_registrar USING (true);
CREATE POLICY the_door_finds_archives ON private.archive FOR SELECT TO fonds_doorkeeper USING (true);
CREATE POLICY the_door_finds_terms ON private.access FOR SELECT TO fonds_doorkeeper USING (true);
CREATE POLICY the_door_finds_keys ON private.api_key FOR SELECT TO fonds_doorkeeper USING (true);
CREATE POLICY archive_has_its_keys ON private.api_key TO fonds_keysmith USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_audited ON private.audit FOR INSERT TO fonds_keysmith WITH CHECK (archive_id = (SELECT api.scope()));
-- What a host is shown of its archives: counts, and no content.
CREATE POLICY archives_are_listed ON private.archive FOR SELECT TO fonds_lister USING (true);
CREATE POLICY terms_are_listed ON private.access FOR SELECT TO fonds_lister USING (true);
CREATE POLICY keys_are_counted ON private.api_key FOR SELECT TO fonds_lister USING (true);
CREATE POLICY pointers_are_listed ON served.live FOR SELECT TO fonds_lister USING (true);
CREATE POLICY builds_are_listed ON served.build FOR SELECT TO fonds_lister USING (true);
CREATE POLICY removals_are_listed ON private.removal FOR SELECT TO fonds_lister USING (true);
CREATE POLICY refusals_are_appended ON private.refusal FOR INSERT TO fonds_clerk WITH CHECK (archive_id = (SELECT api.scope()));
CREATE POLICY questions_are_found ON private.refusal FOR SELECT TO fonds_clerk USING (archive_id = (SELECT api.scope()));
CREATE POLICY questions_are_erased ON private.refusal FOR UPDATE TO fonds_clerk
    USING (archive_id = (SELECT api.scope())) WITH CHECK (question IS NULL);
CREATE POLICY archive_says_what_is_kept ON private.archive TO fonds_clerk USING (archive_id = (SELECT api.scope()));

-- A reader, and the search it calls, see the live build of their archive and nothing that is being written or was retired.
CREATE POLICY archive_reads_its_pointer ON served.live FOR SELECT TO fonds_reader, fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_reads_its_live_build ON served.build FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_reads_its_live_build ON served.calibration FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_reads_its_live_build ON served.entity FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_reads_its_live_build ON served.fragment FOR SELECT TO fonds_reader
    USING (archive_id = (SELECT api.scope()) AND build_id = (SELECT api.live_build()));
CREATE POLICY archive_is_searched ON served.embedding FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.phrase FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.posting FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.name FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.near_index FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_searched ON served.index_spread FOR SELECT TO fonds_nearest USING (archive_id = (SELECT api.scope()));
-- What makes an index sees the vectors of the archive in scope.
CREATE POLICY archive_is_indexed ON served.embedding FOR SELECT TO fonds_indexer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_indexed ON served.build TO fonds_indexer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_indexed ON served.near_index TO fonds_indexer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_indexed ON served.index_spread TO fonds_indexer USING (archive_id = (SELECT api.scope()));
-- Who tells how an archive stands reads what there is to count of it.
CREATE POLICY archive_is_overseen ON private.run FOR SELECT TO fonds_overseer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_overseen ON private.refusal FOR SELECT TO fonds_overseer USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_overseen ON private.access FOR SELECT TO fonds_overseer USING (archive_id = (SELECT api.scope()));
-- What counts reads an archive's terms and dimensions, and counts. Of other archives it sees what is of another day, to delete it.
CREATE POLICY archive_is_limited ON private.access FOR SELECT TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_limited ON served.live FOR SELECT TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_limited ON served.build FOR SELECT TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_counted ON private.limit_day TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_counted ON private.caller_day TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY archive_is_counted ON private.charged_question TO fonds_limiter USING (archive_id = (SELECT api.scope()));
CREATE POLICY days_that_are_over_go ON private.limit_day TO fonds_limiter
    USING (day < (now() AT TIME ZONE interval '0')::date) WITH CHECK (false);
CREATE POLICY days_that_are_over_go ON private.caller_day TO fonds_limiter
    USING (day < (now() AT TIME ZONE interval '0')::date) WITH CHECK (false);
CREATE POLICY days_that_are_over_go ON private.charged_question TO fonds_limiter
    USING (day < (now() AT TIME ZONE interval '0')::date) WITH CHECK (false);
