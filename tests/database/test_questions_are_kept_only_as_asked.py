"""Refusal records: figures for ever, a question only where its author keeps it, for a while (R164,
R186).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import psycopg
import pytest

from fonds.answering.refusal import LAYER_OF, RefusalReason, RefusalRecord, Refused
from fonds.contract.refusal_page import RefusalPage, RefusalWish
from fonds.store.pools import Pool, transaction
from fonds.store.refusal_store import PostgresRefusalLog, PostgresRefusalStore, keep_questions
from fonds.store.statements import statements
from tests.scopes import enter
from tests.servers import Database

QUESTION = "Where is the zebrawood box?"
FIGURES = {"bestScore": 0.15, "bestRaw": "private", "failed": ["score"], "layer": "floor"}
PoolOf = Callable[..., Pool]


def asked(
    pool_of: PoolOf,
    archive_id: int,
    question: str | None,
    *,
    times: int = 1,
    told: int | None = 366,
) -> None:
    log = PostgresRefusalLog(pool_of("fonds_reader"), archive_id, question, told)
    for _ in range(times):
        log.note_refusal("below_score_floor", FIGURES)


def page(pool_of: PoolOf, archive_id: int, limit: int = 20, **wish: object) -> RefusalPage:
    store = PostgresRefusalStore(pool_of("fonds_curator"), archive_id)
    return store.page(RefusalWish(limit, **wish))  # pyright: ignore[reportArgumentType]


def questions(pool_of: PoolOf, archive_id: int) -> list[str | None]:
    return [one.question for one in page(pool_of, archive_id).refusals]


def backdated(database: Database, days: int) -> None:
    """Every record was made so many days earlier, with the end it was given."""
    with psycopg.connect(database.admin_url) as session:
        session.execute(
            "UPDATE private.refusal SET refused_at = refused_at - make_interval(days => %(days)s),"
            " question_until = question_until - make_interval(days => %(days)s)",
            {"days": days},
        )


def test_without_the_authors_word_the_database_keeps_no_question(
    pool_of: PoolOf, archive_id: int
) -> None:
    """R186: the caller hands it over all the same; the record is kept, the question is not."""
    asked(pool_of, archive_id, QUESTION)
    (kept,) = page(pool_of, archive_id).refusals
    assert (kept.reason, dict(kept.record)) == ("below_score_floor", FIGURES)
    assert (kept.question, kept.question_until) == (None, None)


def test_with_it_a_question_is_kept_for_the_days_the_author_named(
    pool_of: PoolOf, archive_id: int
) -> None:
    assert keep_questions(pool_of("fonds_ingest"), archive_id, 7) == 0
    asked(pool_of, archive_id, QUESTION)
    asked(pool_of, archive_id, None)
    without, kept = page(pool_of, archive_id).refusals
    assert (without.question, without.question_until) == (None, None)
    assert kept.question == QUESTION
    assert kept.question_until is not None
    assert (kept.question_until - kept.refused_at).days == 7
    assert "zebrawood" not in repr(kept)


@pytest.mark.parametrize(("told", "days"), [(3, 3), (7, 7), (30, 7), (None, None)])
def test_a_question_is_kept_no_longer_than_whoever_asked_was_told(
    pool_of: PoolOf, archive_id: int, told: int | None, days: int | None
) -> None:
    """R164: readers are told what the archive file says, which the database learns of later."""
    keep_questions(pool_of("fonds_ingest"), archive_id, 7)
    asked(pool_of, archive_id, QUESTION, told=told)
    (kept,) = page(pool_of, archive_id).refusals
    until = kept.question_until
    assert (until if until is None else (until - kept.refused_at).days) == days
    assert kept.question == (None if days is None else QUESTION)


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_build", "fonds_curator"])
def test_a_question_whose_time_is_over_is_erased_by_whoever_comes_by(
    pool_of: PoolOf, archive_id: int, database: Database, role: str
) -> None:
    """R164: ingest, build and the list command each do it; a second time there is nothing to do."""
    keep_questions(pool_of("fonds_ingest"), archive_id, 7)
    asked(pool_of, archive_id, QUESTION)
    backdated(database, 6)
    asked(pool_of, archive_id, QUESTION)
    assert keep_questions(pool_of(role), archive_id, 7) == 0
    backdated(database, 1)
    assert keep_questions(pool_of(role), archive_id, 7) == 1
    assert questions(pool_of, archive_id) == [QUESTION, None]
    assert keep_questions(pool_of(role), archive_id, 7) == 0


def test_more_days_prolong_nothing_and_fewer_shorten_at_once(
    pool_of: PoolOf, archive_id: int, database: Database
) -> None:
    """What was promised to whoever asked holds; an author who thinks better of it is obeyed."""
    keep_questions(pool_of("fonds_curator"), archive_id, 7)
    asked(pool_of, archive_id, QUESTION)
    backdated(database, 3)
    assert keep_questions(pool_of("fonds_curator"), archive_id, 2) == 1
    asked(pool_of, archive_id, QUESTION)
    backdated(database, 3)
    assert keep_questions(pool_of("fonds_curator"), archive_id, 300) == 1
    asked(pool_of, archive_id, QUESTION)
    assert keep_questions(pool_of("fonds_curator"), archive_id, None) == 1
    asked(pool_of, archive_id, QUESTION)
    assert questions(pool_of, archive_id) == [None] * 4


def test_one_archives_word_is_no_others(
    pool_of: PoolOf, archive_id: int, archive: Callable[[str], int]
) -> None:
    """R192: neither keeping nor erasing crosses archives."""
    other = archive("other")
    keep_questions(pool_of("fonds_ingest"), archive_id, 7)
    asked(pool_of, archive_id, QUESTION)
    asked(pool_of, other, QUESTION)
    assert keep_questions(pool_of("fonds_ingest"), other, None) == 0
    assert questions(pool_of, archive_id) == [QUESTION]
    assert questions(pool_of, other) == [None]
    kept = page(pool_of, archive_id).refusals[0].refusal_id
    assert PostgresRefusalStore(pool_of("fonds_curator"), other).one(kept) is None


def test_the_role_behind_the_functions_erases_and_never_rewrites(
    pool_of: PoolOf, archive_id: int, database: Database
) -> None:
    """R094: it reads no question, and a row security policy refuses one it would put in place."""
    keep_questions(pool_of("fonds_ingest"), archive_id, 7)
    asked(pool_of, archive_id, QUESTION)
    for statement, state in (
        ("SELECT question FROM private.refusal", "42501"),
        ("UPDATE private.refusal SET question = 'another'", "42501"),
        ("UPDATE private.refusal SET reason = 'missing_citation'", "42501"),
        ("DELETE FROM private.refusal", "42501"),
    ):
        with psycopg.connect(database.admin_url) as session:
            enter(session, archive_id)
            session.execute("SET LOCAL ROLE fonds_clerk")
            with pytest.raises(psycopg.Error) as refused:
                session.execute(statement.encode())
            assert refused.value.sqlstate == state


@pytest.mark.parametrize("reason", get_args(RefusalReason))
def test_what_the_engine_refuses_for_is_what_the_database_knows(
    pool_of: PoolOf, archive_id: int, reason: RefusalReason
) -> None:
    """Two copies of one list are tied by this: reasons, layers and the keys of a record."""
    record = RefusalRecord(
        0.4123, "public", 0.25, 0.2, 0.5, ("score", "coverage"), "sentence 3: date"
    )
    refusal = Refused(reason, record, "answer.v1", "extractive")
    assert refusal.layer == LAYER_OF[reason]
    PostgresRefusalLog(pool_of("fonds_reader"), archive_id).note_refusal(reason, refusal.recorded)
    (kept,) = page(pool_of, archive_id).refusals
    assert (kept.reason, dict(kept.record)) == (reason, refusal.recorded)


def test_pages_follow_each_other_without_a_gap(
    pool_of: PoolOf, archive_id: int, database: Database
) -> None:
    """R164: newest first, by key; the counts are of everything asked for."""
    asked(pool_of, archive_id, None, times=2)
    backdated(database, 9)
    log = PostgresRefusalLog(pool_of("fonds_reader"), archive_id)
    for _ in range(3):
        log.note_refusal("no_relevant_context", {})
    first = page(pool_of, archive_id, 2)
    second = page(pool_of, archive_id, 3, before=first.older)
    ids = [one.refusal_id for one in (*first.refusals, *second.refusals)]
    assert ids == sorted(ids, reverse=True)
    assert (len(ids), first.older, second.older) == (5, ids[1], None)
    assert dict(first.counts) == {"no_relevant_context": 3, "below_score_floor": 2}
    recent = page(pool_of, archive_id, days=8)
    assert dict(recent.counts) == {"no_relevant_context": 3}
    chosen = page(pool_of, archive_id, reason="below_score_floor", limit=1)
    assert [one.reason for one in chosen.refusals] == ["below_score_floor"]
    assert dict(chosen.counts) == {"below_score_floor": 2}


def test_a_page_is_found_by_its_key(pool_of: PoolOf, archive_id: int) -> None:
    """A page far back costs what the first one costs: the key is read from where it begins."""
    asked(pool_of, archive_id, None)
    values = {"reason": None, "days": None, "before": 10_000_000, "only": None, "limit": 21}
    with transaction(pool_of("fonds_curator"), archive_id) as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        plan = connection.execute(
            f"EXPLAIN {statements('refusals')['refusals']}".encode(), values
        ).fetchall()
    assert "Index Scan Backward using refusal_pkey" in str(plan)
