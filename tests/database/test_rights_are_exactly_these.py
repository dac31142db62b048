"""Each login may do what this table says and nothing else, by every verb on every object (R094).

The rights are read from the catalogue at run time: an object nobody wrote down here is caught.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import pytest

from fonds.store.databases import ROLES
from tests.database.rights import rights
from tests.database.rows import cloned, rolled_back
from tests.servers import Database, TestServer

# One object a line with its verbs; a verb followed by names is for those columns alone.
MIGRATOR = """
database: CONNECT
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
call api: catch_up_narrowing is_attribution_list is_identifier_list is_place keep_questions
  live_build nearest nearest_content open_archive revision scope strictness
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
served.live: DELETE, INSERT, SELECT, UPDATE
served.name: DELETE, INSERT, SELECT, UPDATE
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
call api: live_build nearest nearest_content note_refusal open_archive revision scope served_build
  served_calibration undated
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
NEAREST = """
call api: live_build named_fragments nearest scope undated word_ranks
schema api: USAGE
schema ext: USAGE
schema served: USAGE
served.embedding: SELECT
served.live: SELECT
served.name: SELECT
served.phrase: SELECT
served.posting: SELECT
"""
NARROWER = """
call api: catch_up_narrowing erase_gists forget_private forget_tombstones is_attribution_list
  is_identifier_list is_place lift_tightening narrow_fragment reduce_fragment scope settle_builds
  strictness tighten_fragment was_private
call private: drop_words forget_words hold_words keep_ledger keep_veto narrow_with_entity
  narrow_with_fragment narrow_with_projection settle_narrowed tighten
private.archive: SELECT, UPDATE narrowing
private.audit: INSERT archive_id action subject
private.awaiting: DELETE, SELECT
private.entity: SELECT archive_id entity_id require_review
private.fragment: SELECT archive_id fragment_id entity_id exposure file_exposure, UPDATE exposure
private.ledger: DELETE, INSERT, SELECT, UPDATE
private.ledger_text: INSERT, SELECT
private.narrowing: INSERT, SELECT
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
call api: open_archive register_archive scope
private.archive: INSERT slug name author base_url, SELECT archive_id slug name author base_url,
  UPDATE name author base_url
private.job_lock: INSERT, SELECT
schema api: USAGE
schema private: USAGE
"""
CLERK = """
call api: is_refusal_record keep_questions note_refusal scope
private.archive: SELECT archive_id question_days, UPDATE question_days
private.refusal: INSERT, SELECT archive_id refused_at question_until, UPDATE question question_until
schema api: USAGE
schema private: USAGE
"""

EXPECTED = {
    "fonds_migrator": MIGRATOR,
    "fonds_ingest": INGEST,
    "fonds_build": BUILD,
    "fonds_curator": CURATOR,
    "fonds_reader": READER,
    "fonds_nearest": NEAREST,
    "fonds_narrower": NARROWER,
    "fonds_registrar": REGISTRAR,
    "fonds_clerk": CLERK,
}

PLANTS: tuple[LiteralString, ...] = (
    "CREATE TABLE public.planted (a int); GRANT SELECT ON public.planted TO fonds_reader",
    "GRANT SELECT (text) ON private.fragment TO fonds_reader",
    "GRANT USAGE ON SCHEMA private TO fonds_reader",
    "GRANT MAINTAIN ON served.fragment TO fonds_reader",
    "GRANT USAGE ON SEQUENCE private.archive_archive_id_seq TO fonds_reader",
    "GRANT EXECUTE ON FUNCTION api.was_private(text, text[]) TO fonds_reader",
    "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC",
    "GRANT CREATE ON SCHEMA public TO PUBLIC",
    "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO fonds_reader",
    "GRANT pg_read_all_data TO fonds_reader WITH INHERIT TRUE",
    "GRANT SET ON PARAMETER log_statement TO fonds_reader",
    "CREATE VIEW served.planted AS SELECT text FROM private.fragment;"
    " GRANT SELECT ON served.planted TO fonds_reader",
    "CREATE FUNCTION api.planted() RETURNS int LANGUAGE sql AS 'SELECT 1'",
)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.mark.parametrize("role", EXPECTED)
def test_a_role_may_do_exactly_this(shared: Database, role: str) -> None:
    """R094: the reader has no verb on private; build reads private; ingest has none on served."""
    with rolled_back(shared) as session:
        assert _lines(rights(session, role)) == _unfolded(EXPECTED[role])


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
        assert _lines(rights(session, "fonds_reader")) != _unfolded(READER)


def _lines(found: dict[str, list[str]]) -> list[str]:
    called: dict[str, list[str]] = {}
    lines: list[str] = []
    for thing, verbs in found.items():
        if verbs[0] == "EXECUTE":
            schema, _, name = thing.partition(".")
            called.setdefault(schema, []).extend([name] * len(verbs))
        else:
            lines.append(f"{thing}: {', '.join(verbs)}")
    return sorted(
        [*lines, *(f"call {schema}: {' '.join(names)}" for schema, names in called.items())]
    )


def _unfolded(table: str) -> list[str]:
    return sorted(table.strip().replace("\n  ", " ").splitlines())
