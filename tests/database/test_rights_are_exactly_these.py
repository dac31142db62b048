"""Each login may do what this table says and nothing else, by every verb on every object (R094).

The rights are read from the catalogue at run time: an object nobody wrote down here is caught.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import pytest

from fonds.store.databases import ROLES
from tests.database import index_rows, limit_rows, overseen
from tests.database.lawful_rows import LAWFUL
from tests.database.planted_rights import PLANTS
from tests.database.rights import lines_of, rights, unfolded
from tests.database.rows import cloned, rolled_back
from tests.servers import Database, TestServer

# One object a line with its verbs; a verb followed by names is for those columns alone.
MIGRATOR = """
call api: register_scope_key
database: CONNECT
schema api: USAGE
"""
INGEST = """
call api: erase_gists forget_private is_attribution_list is_identifier_list is_place
  keep_questions narrow_fragment open_archive register_archive revision scope was_private
database: CONNECT, TEMPORARY
private.archive: SELECT archive_id slug name author base_url narrowing created_at, UPDATE
  narrowing
private.audit: INSERT archive_id action subject, SELECT
private.embedding: DELETE, INSERT, SELECT archive_id fragment_id space_id embed_hash dimensions,
  UPDATE
private.entity: DELETE, INSERT, SELECT archive_id entity_id source_key raw exposure type
  require_review row_hash, UPDATE
private.fragment: DELETE, INSERT, SELECT archive_id fragment_id entity_id raw exposure file_exposure
  text_hash embed_hash row_hash, UPDATE
private.job_lock: SELECT, UPDATE taken_at
private.projection: SELECT archive_id fragment_id source review vetoed stale lint content_hash
  model prompt_version
private.run: INSERT, SELECT
private.source: DELETE, INSERT, SELECT, UPDATE
schema api: USAGE
schema ext: USAGE
schema private: USAGE
"""
BUILD = """
call api: catch_up_narrowing drop_index index_bytes is_attribution_list is_identifier_list is_place
  keep_questions live_build make_index nearest nearest_content open_archive revision scope
  strictness
database: CONNECT, TEMPORARY
private.archive: SELECT archive_id slug name author base_url narrowing created_at, UPDATE
  narrowing
private.audit: INSERT archive_id action subject, SELECT
private.awaiting: INSERT, SELECT
private.calibration: DELETE, INSERT, SELECT, UPDATE
private.calibration_vector: DELETE, INSERT, SELECT, UPDATE
private.embedding: SELECT
private.entity: SELECT
private.fragment: SELECT
private.job_lock: SELECT, UPDATE taken_at
private.narrowing: SELECT
private.projection: SELECT
private.run: INSERT, SELECT
private.source: SELECT
schema api: USAGE
schema ext: USAGE
schema private: USAGE
schema served: USAGE
served.build: DELETE, INSERT, SELECT, UPDATE
served.calibration: DELETE, INSERT, SELECT, UPDATE
served.embedding: DELETE, INSERT, SELECT, UPDATE
served.entity: DELETE, INSERT, SELECT, UPDATE
served.fragment: DELETE, INSERT, SELECT, UPDATE
served.index_spread: DELETE, INSERT, SELECT, UPDATE
served.live: DELETE, INSERT, SELECT, UPDATE
served.name: DELETE, INSERT, SELECT, UPDATE
served.near_index: DELETE, INSERT, SELECT, UPDATE
served.phrase: DELETE, INSERT, SELECT, UPDATE
served.posting: SELECT
served.word_list: DELETE, INSERT, SELECT
"""
CURATOR = """
call api: forget_tombstones is_attribution_list is_identifier_list is_place keep_questions
  lift_tightening open_archive revision scope tighten_fragment
database: CONNECT
private.archive: SELECT archive_id slug name author base_url narrowing created_at
private.audit: INSERT archive_id action subject, SELECT
private.awaiting: SELECT
private.entity: SELECT
private.fragment: SELECT
private.ledger: SELECT archive_id fragment_id entity_id exposure vetoed removed_at
private.projection: DELETE, INSERT, SELECT, UPDATE
private.refusal: SELECT
private.run: SELECT
private.tightening: SELECT
schema api: USAGE
schema ext: USAGE
schema private: USAGE
"""
READER = """
call api: admit charge_private live_build narrowings nearest nearest_content note_refusal
  open_archive revision scope served_build served_calibration standing take undated
database: CONNECT
schema api: USAGE
schema ext: USAGE
schema served: USAGE
served.build: SELECT
served.calibration: SELECT
served.entity: SELECT
served.fragment: SELECT
served.live: SELECT
"""
HOST = """
call api: begin_removal find_key finish_removal hold_jobs list_archives list_keys list_removals
  mint_key open_archive register_archive remove_portion revision revoke_key scope unremovable
database: CONNECT
schema api: USAGE
schema ext: USAGE
"""
QUEUE = """
call api: open_archive revision
database: CONNECT
functions of the library: called
jobs.attempt: DELETE, INSERT archive_id job job_id, SELECT, UPDATE ended_at outcome exit_code
jobs.queue_version: SELECT
jobs.slot: INSERT, SELECT, UPDATE taken
schema api: USAGE
schema ext: USAGE
schema jobs: USAGE
sequences of the library: USAGE
tables of the library: DELETE, INSERT, SELECT, UPDATE
"""
DOORKEEPER = """
call api: admit find_key
private.access: SELECT archive_id anonymous
private.api_key: SELECT archive_id key_id key_hash scopes expires_at revoked_at
private.archive: SELECT archive_id slug leaving_at
schema api: USAGE
schema private: USAGE
"""
KEYSMITH = """
call api: list_keys mint_key revoke_key scope
private.api_key: INSERT archive_id key_hash scopes label expires_at, SELECT archive_id key_id scopes
  label minted_at expires_at revoked_at, UPDATE revoked_at
private.audit: INSERT archive_id action subject
schema api: USAGE
schema private: USAGE
"""
_REMOVER = """
call api: begin_removal finish_removal hold_jobs remove_portion scope unremovable
call private: removal_order
private.archive: DELETE, SELECT ctid archive_id leaving_at, UPDATE leaving_at
private.job_lock: DELETE, SELECT ctid archive_id job, UPDATE taken_at
private.removal: INSERT archive_id row_count
schema api: USAGE
schema private: USAGE
schema served: USAGE
"""
# It erases from every other table, and reads whose a row is.
REMOVER = _REMOVER + "".join(
    f"{table}: DELETE, SELECT ctid archive_id\n"
    for table in LAWFUL
    if table not in {"private.archive", "private.job_lock", "private.removal"}
)
NEAREST = """
call api: live_build named_by_index named_by_number named_fragments nearest pool_by_index scope
  undated word_ranks
schema api: USAGE
schema ext: USAGE
schema served: USAGE
served.embedding: SELECT
served.index_spread: SELECT
served.live: SELECT
served.name: SELECT
served.near_index: SELECT
served.phrase: SELECT
served.posting: SELECT
"""
NARROWER = """
call api: catch_up_narrowing erase_gists forget_private forget_tombstones is_attribution_list
  is_identifier_list is_place lift_tightening narrow_fragment reduce_fragment scope
  settle_builds strictness tighten_fragment was_private
call private: drop_words forget_words hold_words keep_ledger keep_veto narrow_with_entity
  narrow_with_fragment narrow_with_projection settle_narrowed tighten
private.archive: SELECT, UPDATE narrowing
private.audit: INSERT archive_id action subject
private.awaiting: DELETE, SELECT
private.entity: SELECT archive_id entity_id require_review
private.fragment: SELECT archive_id fragment_id entity_id exposure file_exposure, UPDATE exposure
private.ledger: DELETE, INSERT, SELECT, UPDATE
private.ledger_text: INSERT, SELECT
private.narrowing: DELETE, INSERT, SELECT
private.projection: DELETE, SELECT, UPDATE stale lint gist draft
private.tightening: DELETE, INSERT, SELECT, UPDATE
schema api: USAGE
schema ext: USAGE
schema private: USAGE
schema served: USAGE
served.build: SELECT, UPDATE narrowing entity_count fragment_count public_entity_count
  text_count
served.entity: DELETE, SELECT, UPDATE
served.fragment: DELETE, SELECT, UPDATE
served.posting: DELETE, INSERT, SELECT, UPDATE
served.word_list: DELETE, SELECT
"""
REGISTRAR = """
call api: narrowings open_archive register_archive scope
private.access: INSERT, SELECT, UPDATE
private.archive: INSERT slug name author base_url, SELECT archive_id slug name author base_url
  narrowing created_at leaving_at, UPDATE name author base_url
private.job_lock: INSERT, SELECT
schema api: USAGE
schema private: USAGE
"""
LISTER = """
call api: list_archives list_removals
private.access: SELECT archive_id anonymous
private.api_key: SELECT archive_id expires_at revoked_at
private.archive: SELECT archive_id slug created_at leaving_at
private.removal: SELECT
schema api: USAGE
schema private: USAGE
schema served: USAGE
served.build: SELECT archive_id build_id built_at entity_count fragment_count
served.live: SELECT archive_id build_id
"""
CLERK = """
call api: is_refusal_record keep_questions note_refusal scope
private.archive: SELECT archive_id question_days, UPDATE question_days
private.refusal: INSERT, SELECT archive_id refused_at question_until, UPDATE question question_until
schema api: USAGE
schema private: USAGE
"""
# It reads the key of the login that asks, and no other row: that is the policy's to say.
SEALER = """
call api: register_scope_key scope
schema seal: USAGE
seal.scope_key: INSERT, SELECT, UPDATE
"""

EXPECTED = {
    "fonds_migrator": MIGRATOR,
    "fonds_ingest": INGEST,
    "fonds_build": BUILD,
    "fonds_curator": CURATOR,
    "fonds_reader": READER,
    "fonds_host": HOST,
    "fonds_queue": QUEUE,
    "fonds_doorkeeper": DOORKEEPER,
    "fonds_keysmith": KEYSMITH,
    "fonds_limiter": limit_rows.RIGHTS,
    "fonds_indexer": index_rows.RIGHTS,
    "fonds_lister": LISTER,
    "fonds_overseer": overseen.RIGHTS,
    "fonds_remover": REMOVER,
    "fonds_sealer": SEALER,
    "fonds_nearest": NEAREST,
    "fonds_narrower": NARROWER,
    "fonds_registrar": REGISTRAR,
    "fonds_clerk": CLERK,
}


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.mark.parametrize("role", EXPECTED)
def test_a_role_may_do_exactly_this(shared: Database, role: str) -> None:
    """R094: the reader has no verb on private; build reads private; ingest has none on served."""
    with rolled_back(shared) as session:
        assert lines_of(rights(session, role)) == unfolded(EXPECTED[role])


def test_every_login_is_in_the_table() -> None:
    assert set(ROLES) <= EXPECTED.keys()


def test_public_may_do_nothing(shared: Database) -> None:
    """A role that nobody granted anything has what PUBLIC has: not even a connection (R094)."""
    with rolled_back(shared) as session:
        session.execute("CREATE ROLE fonds_test_stranger")
        assert rights(session, "fonds_test_stranger") == {}


@pytest.mark.parametrize("plant", PLANTS)
def test_a_right_that_nobody_wrote_down_is_caught(shared: Database, plant: LiteralString) -> None:
    """R094: the proof can fail; a planted grant, object or membership changes the answer."""
    with rolled_back(shared) as session:
        session.execute(plant)
        assert lines_of(rights(session, "fonds_reader")) != unfolded(READER)
