-- Who may do what. Nothing is PUBLIC's. The guarantee is here: settings of a session are defaults it may change.

REVOKE ALL ON SCHEMA private, served, api, seal FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA private, served, seal FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA private, api FROM PUBLIC;

-- Every pool knows the type of a vector, whether its login reads one or not.
GRANT USAGE ON SCHEMA ext TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_queue, fonds_nearest, fonds_narrower, fonds_indexer;
GRANT USAGE ON SCHEMA api TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_queue, fonds_nearest, fonds_narrower,
    fonds_registrar, fonds_clerk, fonds_doorkeeper, fonds_keysmith, fonds_lister, fonds_limiter, fonds_overseer, fonds_remover, fonds_indexer;
GRANT USAGE ON SCHEMA private TO fonds_ingest, fonds_build, fonds_curator, fonds_narrower, fonds_registrar, fonds_clerk,
    fonds_doorkeeper, fonds_keysmith, fonds_lister, fonds_limiter, fonds_overseer, fonds_remover;
GRANT USAGE ON SCHEMA served TO fonds_build, fonds_reader, fonds_nearest, fonds_narrower, fonds_lister, fonds_limiter, fonds_remover, fonds_indexer;

GRANT EXECUTE ON FUNCTION api.scope() TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_nearest, fonds_narrower, fonds_registrar, fonds_clerk,
    fonds_keysmith, fonds_limiter, fonds_overseer, fonds_remover, fonds_indexer;
-- Whose scope it is, one role checks, and no other reads a key. The migrator replaces keys and is shown none.
GRANT USAGE ON SCHEMA seal TO fonds_sealer;
GRANT USAGE ON SCHEMA api TO fonds_migrator;
GRANT SELECT, INSERT, UPDATE ON seal.scope_key TO fonds_sealer;
GRANT EXECUTE ON FUNCTION api.register_scope_key(text, bytea, bytea) TO fonds_migrator;
GRANT EXECUTE ON FUNCTION api.revision() TO fonds_ingest, fonds_build, fonds_curator, fonds_reader, fonds_host, fonds_queue;
GRANT EXECUTE ON FUNCTION api.is_identifier_list(jsonb), api.is_attribution_list(jsonb), api.is_place(jsonb) TO fonds_ingest, fonds_build, fonds_curator, fonds_narrower;
GRANT EXECUTE ON FUNCTION api.strictness(text) TO fonds_build, fonds_narrower;

-- Ingest writes bodies it cannot read back; hashes decide what changed.
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at), UPDATE (narrowing) ON private.archive TO fonds_ingest;
GRANT SELECT, UPDATE (taken_at) ON private.job_lock TO fonds_ingest, fonds_build;
GRANT SELECT, INSERT ON private.run TO fonds_ingest, fonds_build;
GRANT SELECT, INSERT, UPDATE, DELETE ON private.source TO fonds_ingest;
GRANT SELECT (archive_id, entity_id, source_key, raw, exposure, type, row_hash, require_review), INSERT, UPDATE, DELETE ON private.entity TO fonds_ingest;
GRANT SELECT (archive_id, fragment_id, entity_id, raw, exposure, file_exposure, text_hash, embed_hash, row_hash), INSERT, UPDATE, DELETE ON private.fragment TO fonds_ingest;
GRANT SELECT (archive_id, fragment_id, space_id, embed_hash, dimensions), INSERT, UPDATE, DELETE ON private.embedding TO fonds_ingest;
GRANT SELECT (archive_id, fragment_id, source, review, vetoed, stale, lint, content_hash, model, prompt_version) ON private.projection TO fonds_ingest;
-- Who and when are the database's own words.
GRANT SELECT, INSERT (archive_id, action, subject) ON private.audit TO fonds_ingest, fonds_build, fonds_curator;
GRANT EXECUTE ON FUNCTION api.register_archive(text, text, text, text, boolean, integer, integer, integer, integer) TO fonds_ingest, fonds_host;
GRANT EXECUTE ON FUNCTION api.was_private(text, text[]), api.forget_private(text, text[]), api.narrow_fragment(text, text), api.erase_gists(text[]) TO fonds_ingest;

-- A build reads the private side and writes the served one.
GRANT SELECT ON private.source, private.entity, private.fragment, private.embedding, private.projection, private.narrowing TO fonds_build;
GRANT SELECT, INSERT ON private.awaiting TO fonds_build;
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at), UPDATE (narrowing) ON private.archive TO fonds_build;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA served TO fonds_build;
-- Words come and go whole, and postings follow by trigger: nobody can add a word to what nobody serves.
REVOKE UPDATE ON served.word_list FROM fonds_build;
REVOKE INSERT, UPDATE, DELETE ON served.posting FROM fonds_build;
GRANT EXECUTE ON FUNCTION api.live_build(), api.catch_up_narrowing(integer) TO fonds_build;
-- It has the index of a build made and dropped, and admits it by what it measured; the copy of the vectors it cannot see.
GRANT EXECUTE ON FUNCTION api.make_index(integer, integer, integer, integer, integer), api.drop_index(integer), api.index_bytes(integer) TO fonds_build;
-- It asks the calibration questions of a build before that is live, through what a reader searches with.
GRANT SELECT, INSERT, UPDATE, DELETE ON private.calibration, private.calibration_vector TO fonds_build;
GRANT EXECUTE ON FUNCTION
    api.nearest_content(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean, integer),
    api.nearest(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean) TO fonds_build;

-- The author's hand: projections, and exposures made stricter.
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at) ON private.archive TO fonds_curator;
GRANT SELECT ON private.entity, private.fragment, private.projection, private.tightening, private.awaiting, private.refusal, private.run TO fonds_curator;
GRANT INSERT, UPDATE, DELETE ON private.projection TO fonds_curator;
GRANT SELECT (archive_id, fragment_id, entity_id, exposure, vetoed, removed_at) ON private.ledger TO fonds_curator;
GRANT EXECUTE ON FUNCTION api.tighten_fragment(text, text), api.lift_tightening(text), api.forget_tombstones(text[]) TO fonds_curator;

-- The serving role: content of the live build by row. No vectors, no private schema, no temporary tables.
GRANT SELECT ON served.live, served.build, served.calibration, served.entity, served.fragment TO fonds_reader;
GRANT EXECUTE ON FUNCTION api.live_build(), api.served_build(), api.served_calibration(), api.narrowings(), api.open_archive(text), api.note_refusal(text, jsonb, text, integer),
    api.nearest_content(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean, integer),
    api.undated(text[], text[], text[], text, boolean, text, boolean),
    api.nearest(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean) TO fonds_reader;
GRANT EXECUTE ON FUNCTION api.take(text, text, text), api.charge_private(text, text, text, bytea) TO fonds_reader;
GRANT EXECUTE ON FUNCTION api.open_archive(text) TO fonds_ingest, fonds_build, fonds_curator, fonds_host;
-- The queue finds the archive of a file, and nothing of it. Its own tables are granted where they stand (jobs.sql).
GRANT EXECUTE ON FUNCTION api.open_archive(text) TO fonds_queue;

-- Who may come in. The reader asks the door and learns a number or nothing.
GRANT EXECUTE ON FUNCTION api.admit(text, bytea, text) TO fonds_reader;
GRANT SELECT (archive_id, slug, leaving_at) ON private.archive TO fonds_doorkeeper;
GRANT SELECT (archive_id, anonymous) ON private.access TO fonds_doorkeeper;
GRANT SELECT (archive_id, key_id, key_hash, scopes, expires_at, revoked_at) ON private.api_key TO fonds_doorkeeper;

-- How an archive stands, in numbers, for a caller whose key says it may know.
GRANT EXECUTE ON FUNCTION api.standing(integer) TO fonds_reader;
GRANT SELECT (archive_id, run_id, job, outcome, finished_at) ON private.run TO fonds_overseer;
GRANT SELECT (archive_id, reason, refused_at) ON private.refusal TO fonds_overseer;
GRANT SELECT (archive_id, anonymous, caller_per_minute, caller_per_day, archive_per_day, private_per_day) ON private.access TO fonds_overseer;

-- The host: archives and their keys, through functions. No table, so no content and no hash.
GRANT EXECUTE ON FUNCTION api.mint_key(bytea, text[], text, integer), api.revoke_key(bigint), api.list_keys(), api.find_key(bytea), api.list_archives(),
    api.list_removals(), api.unremovable(), api.hold_jobs(), api.begin_removal(), api.remove_portion(integer),
    api.finish_removal(bigint) TO fonds_host;
GRANT SELECT (archive_id, key_id, scopes, label, minted_at, expires_at, revoked_at),
    INSERT (archive_id, key_hash, scopes, label, expires_at), UPDATE (revoked_at) ON private.api_key TO fonds_keysmith;
GRANT INSERT (archive_id, action, subject) ON private.audit TO fonds_keysmith;

-- Who removes an archive erases rows it cannot read; a table that comes later and is not granted here goes by cascade.
DO $removing$
DECLARE
    t regclass;
BEGIN
    FOR t IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname IN ('private', 'served') AND c.relkind = 'r' AND c.oid <> 'private.removal'::regclass ORDER BY 1 LOOP
        EXECUTE format('GRANT DELETE, SELECT (archive_id, ctid) ON %s TO fonds_remover', t);
    END LOOP;
END
$removing$;
GRANT SELECT (leaving_at), UPDATE (leaving_at) ON private.archive TO fonds_remover;
GRANT SELECT (job), UPDATE (taken_at) ON private.job_lock TO fonds_remover;
GRANT INSERT (archive_id, row_count) ON private.removal TO fonds_remover;
GRANT EXECUTE ON FUNCTION private.removal_order() TO fonds_remover;

-- The narrow roles behind the definer functions.
GRANT SELECT ON served.live, served.embedding, served.phrase, served.name, served.posting, served.near_index, served.index_spread TO fonds_nearest;
GRANT EXECUTE ON FUNCTION
    api.pool_by_index(integer, ext.halfvec, double precision, integer, double precision, double precision, double precision,
                double precision, integer[], double precision[], double precision, text[], text[]),
    api.named_by_index(integer, ext.halfvec, integer), api.named_by_number(integer, integer[]) TO fonds_nearest;
-- It makes tables in the schema indexes, and owns them: on a table of the house it has no right beyond these.
GRANT USAGE, CREATE ON SCHEMA indexes TO fonds_indexer;
GRANT SELECT (archive_id, build_id, fragment_id, raw, number, embedding) ON served.embedding TO fonds_indexer;
-- To lock a row takes the right to change a column of it.
GRANT SELECT (archive_id, build_id, dimensions), UPDATE (dimensions) ON served.build TO fonds_indexer;
GRANT SELECT (archive_id, build_id), INSERT (archive_id, build_id, links, width, breadth, least, vectors), UPDATE (admitted, centre), DELETE
    ON served.near_index TO fonds_indexer;
GRANT SELECT (archive_id, build_id), DELETE ON served.index_spread TO fonds_indexer;
GRANT EXECUTE ON FUNCTION api.live_build(), api.named_fragments(integer, text, text, boolean), api.word_ranks(integer, text[], integer) TO fonds_nearest;
GRANT SELECT, UPDATE (narrowing) ON private.archive TO fonds_narrower;
GRANT SELECT, INSERT, DELETE ON private.narrowing TO fonds_narrower;
GRANT INSERT (archive_id, action, subject) ON private.audit TO fonds_narrower;
GRANT SELECT, INSERT, UPDATE, DELETE ON private.ledger, private.tightening TO fonds_narrower;
GRANT SELECT, INSERT ON private.ledger_text TO fonds_narrower;
GRANT SELECT, DELETE ON private.awaiting TO fonds_narrower;
GRANT SELECT, DELETE, UPDATE (stale, lint, gist, draft) ON private.projection TO fonds_narrower;
GRANT SELECT (archive_id, fragment_id, entity_id, exposure, file_exposure), UPDATE (exposure) ON private.fragment TO fonds_narrower;
GRANT SELECT (archive_id, entity_id, require_review) ON private.entity TO fonds_narrower;
GRANT SELECT, UPDATE, DELETE ON served.fragment, served.entity TO fonds_narrower;
GRANT SELECT, DELETE ON served.word_list TO fonds_narrower;
GRANT SELECT, INSERT, UPDATE, DELETE ON served.posting TO fonds_narrower;
GRANT SELECT, UPDATE (entity_count, fragment_count, public_entity_count, text_count, narrowing) ON served.build TO fonds_narrower;
GRANT SELECT (archive_id, slug, name, author, base_url, narrowing, created_at, leaving_at), INSERT (slug, name, author, base_url), UPDATE (name, author, base_url)
    ON private.archive TO fonds_registrar;
GRANT SELECT, INSERT, UPDATE ON private.access TO fonds_registrar;
GRANT SELECT (archive_id, revoked_at, expires_at) ON private.api_key TO fonds_lister;
GRANT SELECT (archive_id, build_id) ON served.live TO fonds_lister;
GRANT SELECT (archive_id, build_id, built_at, entity_count, fragment_count) ON served.build TO fonds_lister;
GRANT SELECT ON private.removal TO fonds_lister;
GRANT SELECT (archive_id, slug, created_at, leaving_at) ON private.archive TO fonds_lister;
GRANT SELECT (archive_id, anonymous) ON private.access TO fonds_lister;
GRANT SELECT, INSERT ON private.job_lock TO fonds_registrar;
GRANT INSERT, SELECT (archive_id, refused_at, question_until), UPDATE (question, question_until) ON private.refusal TO fonds_clerk;
GRANT SELECT (archive_id, question_days), UPDATE (question_days) ON private.archive TO fonds_clerk;
GRANT EXECUTE ON FUNCTION api.is_refusal_record(jsonb) TO fonds_clerk;
GRANT EXECUTE ON FUNCTION api.keep_questions(integer) TO fonds_ingest, fonds_build, fonds_curator;
GRANT EXECUTE ON FUNCTION api.reduce_fragment(text, text, integer), api.narrow_fragment(text, text), api.settle_builds(integer) TO fonds_narrower;
GRANT SELECT (archive_id, caller_per_minute, caller_per_day, archive_per_day, private_per_day) ON private.access TO fonds_limiter;
GRANT SELECT (archive_id, build_id) ON served.live TO fonds_limiter;
GRANT SELECT (archive_id, build_id, dimensions) ON served.build TO fonds_limiter;
GRANT SELECT, INSERT, UPDATE, DELETE ON private.limit_day, private.caller_day, private.charged_question TO fonds_limiter;
GRANT EXECUTE ON FUNCTION private.limit_terms(), private.fresh_key(), private.keyed_hash(bytea, text, text), private.slot_of(timestamptz),
    private.day_is_young(timestamptz), private.limit_day_at(timestamptz),
    private.caller_day_at(private.limit_day, text, text, timestamptz),
    private.seconds_to_wait(private.caller_day, bigint, timestamptz), private.seconds_to_midnight(timestamptz),
    private.limit_reached(private.limit_terms, private.limit_day, private.caller_day, private.caller_day, boolean, timestamptz),
    private.check_caller(text, text, text),
    private.keep_request(private.limit_day, private.caller_day, private.caller_day, boolean), private.forget_days(timestamptz),
    private.was_charged(private.limit_day, bytea, bytea), private.take_at(timestamptz, text, text, text),
    private.charge_at(timestamptz, text, text, text, bytea) TO fonds_limiter;

-- Handing over comes last: a function's owner grants, and afterwards is another.
GRANT CREATE ON SCHEMA api, private TO fonds_nearest, fonds_narrower, fonds_registrar, fonds_clerk, fonds_doorkeeper, fonds_keysmith,
    fonds_lister, fonds_limiter, fonds_overseer, fonds_remover, fonds_sealer, fonds_indexer;
ALTER FUNCTION api.scope() OWNER TO fonds_sealer;
ALTER FUNCTION api.register_scope_key(text, bytea, bytea) OWNER TO fonds_sealer;
ALTER FUNCTION api.nearest(ext.halfvec, text[], double precision, integer, integer, boolean, text[], text[], text[], date, date, boolean,
                text, boolean, text, boolean, double precision, double precision, text[], integer,
                double precision, text[], date, double precision, double precision, text[], integer, double precision, boolean) OWNER TO fonds_nearest;
ALTER FUNCTION api.undated(text[], text[], text[], text, boolean, text, boolean) OWNER TO fonds_nearest;
ALTER FUNCTION api.open_archive(text) OWNER TO fonds_registrar;
ALTER FUNCTION api.register_archive(text, text, text, text, boolean, integer, integer, integer, integer) OWNER TO fonds_registrar;
ALTER FUNCTION api.list_archives() OWNER TO fonds_lister;
ALTER FUNCTION api.list_removals() OWNER TO fonds_lister;
ALTER FUNCTION api.admit(text, bytea, text) OWNER TO fonds_doorkeeper;
ALTER FUNCTION api.find_key(bytea) OWNER TO fonds_doorkeeper;
ALTER FUNCTION api.mint_key(bytea, text[], text, integer) OWNER TO fonds_keysmith;
ALTER FUNCTION api.revoke_key(bigint) OWNER TO fonds_keysmith;
ALTER FUNCTION api.list_keys() OWNER TO fonds_keysmith;
ALTER FUNCTION api.unremovable() OWNER TO fonds_remover;
ALTER FUNCTION api.hold_jobs() OWNER TO fonds_remover;
ALTER FUNCTION api.begin_removal() OWNER TO fonds_remover;
ALTER FUNCTION api.remove_portion(integer) OWNER TO fonds_remover;
ALTER FUNCTION api.finish_removal(bigint) OWNER TO fonds_remover;
ALTER FUNCTION api.note_refusal(text, jsonb, text, integer) OWNER TO fonds_clerk;
ALTER FUNCTION api.keep_questions(integer) OWNER TO fonds_clerk;
ALTER FUNCTION api.standing(integer) OWNER TO fonds_overseer;
ALTER FUNCTION api.take(text, text, text) OWNER TO fonds_limiter;
ALTER FUNCTION api.charge_private(text, text, text, bytea) OWNER TO fonds_limiter;
ALTER FUNCTION api.reduce_fragment(text, text, integer) OWNER TO fonds_narrower;
ALTER FUNCTION api.narrow_fragment(text, text) OWNER TO fonds_narrower;
ALTER FUNCTION api.narrowings() OWNER TO fonds_registrar;
ALTER FUNCTION api.settle_builds(integer) OWNER TO fonds_narrower;
ALTER FUNCTION api.catch_up_narrowing(integer) OWNER TO fonds_narrower;
ALTER FUNCTION api.was_private(text, text[]) OWNER TO fonds_narrower;
ALTER FUNCTION api.forget_private(text, text[]) OWNER TO fonds_narrower;
ALTER FUNCTION api.erase_gists(text[]) OWNER TO fonds_narrower;
ALTER FUNCTION api.tighten_fragment(text, text) OWNER TO fonds_narrower;
ALTER FUNCTION api.lift_tightening(text) OWNER TO fonds_narrower;
ALTER FUNCTION api.forget_tombstones(text[]) OWNER TO fonds_narrower;
ALTER FUNCTION private.tighten() OWNER TO fonds_narrower;
ALTER FUNCTION private.hold_words() OWNER TO fonds_narrower;
ALTER FUNCTION private.drop_words() OWNER TO fonds_narrower;
ALTER FUNCTION private.forget_words() OWNER TO fonds_narrower;
ALTER FUNCTION private.narrow_with_fragment() OWNER TO fonds_narrower;
ALTER FUNCTION private.narrow_with_projection() OWNER TO fonds_narrower;
ALTER FUNCTION private.narrow_with_entity() OWNER TO fonds_narrower;
ALTER FUNCTION private.keep_ledger() OWNER TO fonds_narrower;
ALTER FUNCTION private.keep_veto() OWNER TO fonds_narrower;
ALTER FUNCTION private.settle_narrowed() OWNER TO fonds_narrower;
ALTER FUNCTION api.make_index(integer, integer, integer, integer, integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.sweep_index(integer, integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.drop_index(integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.index_bytes(integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.named_by_index(integer, ext.halfvec, integer) OWNER TO fonds_indexer;
ALTER FUNCTION api.named_by_number(integer, integer[]) OWNER TO fonds_indexer;
ALTER FUNCTION private.follow_build() OWNER TO fonds_indexer;
REVOKE CREATE ON SCHEMA api, private FROM fonds_nearest, fonds_narrower, fonds_registrar, fonds_clerk, fonds_doorkeeper, fonds_keysmith,
    fonds_lister, fonds_limiter, fonds_overseer, fonds_remover, fonds_sealer, fonds_indexer;
