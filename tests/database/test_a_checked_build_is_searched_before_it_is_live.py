"""Calibration questions are asked of a build that nobody else can see yet (R169, R095)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fonds.contract.calibration import GatePrice
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.failures import NothingServed
from fonds.contract.ports import ServedStore
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.retrieve import retrieve
from fonds.store.calibration_store import PostgresCalibrationStore
from fonds.store.pools import Pool, transaction
from tests.answering.calibrations import calibration
from tests.database.retrieval_bed import Bed, at_day, ids
from tests.database.served_corpus import CorpusRow, a_space

VECTOR = (1.0, 0.0, 0.0)
OLD = CorpusRow("essay:old", VECTOR)
YOUNG = CorpusRow("essay:young", VECTOR)
QUESTIONS = (
    CalibrationQuestion("q1", "Where does the heron sleep?", "near-miss"),
    CalibrationQuestion("q2", "Who invented the zip?", "out-of-archive"),
)


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    """Build 1 is live, build 2 is checked."""
    made = Bed(pool_of("fonds_build"), pool_of("fonds_reader"), archive_id)
    made.serve([OLD])
    made.serve([YOUNG], live=False)
    return made


@pytest.fixture
def store(bed: Bed) -> PostgresCalibrationStore:
    return PostgresCalibrationStore(bed.build_pool, bed.archive_id)


def found(store: ServedStore) -> tuple[int, list[str]]:
    with store.reading() as reader:
        return reader.build.build_id, ids(
            retrieve(reader, SearchRequest("anything"), VECTOR, at_day())
        )


def test_a_checked_build_is_searched_as_if_it_were_live(
    bed: Bed, store: PostgresCalibrationStore
) -> None:
    """R169: with the floors, functions and content of that build, question after question."""
    with store.as_if_live(2) as build:
        assert found(build) == (2, ["essay:young#whole"])
        assert found(build) == (2, ["essay:young#whole"])


def test_meanwhile_and_afterwards_a_reader_sees_the_live_build(
    bed: Bed, store: PostgresCalibrationStore
) -> None:
    """R095: the pointer that moved is seen by its own transaction alone, and goes back."""
    with store.as_if_live(2):
        assert found(bed.store) == (1, ["essay:old#whole"])
    assert found(bed.store) == (1, ["essay:old#whole"])


def test_a_trouble_in_the_middle_leaves_the_pointer(
    bed: Bed, store: PostgresCalibrationStore
) -> None:
    with pytest.raises(ZeroDivisionError), store.as_if_live(2):
        _ = 1 / 0
    assert found(bed.store) == (1, ["essay:old#whole"])


@pytest.mark.parametrize("state", ["building", "abandoned"])
def test_a_build_that_was_not_checked_is_not_searched(
    bed: Bed, store: PostgresCalibrationStore, state: str
) -> None:
    """R095: the same rule as at a switch."""
    with transaction(bed.build_pool, bed.archive_id) as connection:
        connection.execute("UPDATE served.build SET state = %s WHERE build_id = 2", (state,))
    with pytest.raises(NothingServed), store.as_if_live(2):
        pass
    assert found(bed.store) == (1, ["essay:old#whole"])


def test_a_withdrawal_does_not_wait_for_a_calibration(
    bed: Bed, store: PostgresCalibrationStore
) -> None:
    """R191: what a narrowing touches of both builds is not locked meanwhile."""
    with (
        store.as_if_live(2) as build,
        transaction(bed.build_pool, bed.archive_id) as other,
    ):
        other.execute("SET LOCAL lock_timeout = '2s'")
        other.execute("DELETE FROM served.fragment WHERE fragment_id = 'essay:young#whole'")
        other.execute("UPDATE served.build SET fragment_count = 0 WHERE build_id = 2")
        assert found(build)[0] == 2


def test_questions_keep_their_vectors_for_as_long_as_their_words_stay(
    store: PostgresCalibrationStore,
) -> None:
    """R169: a build whose space is the same embeds no question again."""
    space = a_space(3)
    store.replace_questions("own", QUESTIONS)
    first, second = (one.key for one in QUESTIONS)
    store.write_vectors(space, {first: VECTOR, second: VECTOR})
    store.replace_questions("own", QUESTIONS)
    assert set(store.vectors(space)) == {first, second}
    reworded = CalibrationQuestion("q1", "Where does the heron sleep", "near-miss")
    assert reworded.key == first
    store.replace_questions("own", (reworded, QUESTIONS[1]))
    assert set(store.vectors(space)) == {second}
    assert store.vectors(a_space(4)) == {}


def test_names_may_pass_from_one_question_to_another(store: PostgresCalibrationStore) -> None:
    store.replace_questions("own", QUESTIONS)
    swapped = tuple(
        CalibrationQuestion(name, one.question, one.kind)
        for name, one in zip(("q2", "q1"), QUESTIONS, strict=True)
    )
    store.replace_questions("own", swapped)
    assert {one.question.name: one.question for one in store.questions()} == {
        one.name: one for one in swapped
    }


def test_a_calibration_comes_back_with_its_build_and_goes_with_it(
    bed: Bed, store: PostgresCalibrationStore
) -> None:
    """R168, R169: infinite thresholds included; a reader has it in the row it opens with."""
    infinite = calibration(threshold=float("inf"), hint_threshold=float("-inf"))
    store.replace_questions("own", QUESTIONS)
    store.write_calibration(1, infinite, [QUESTIONS[0].key])
    store.write_price(1, GatePrice(1, 0, 9, 2, 3, 0, 4, 1))
    with bed.store.reading() as reader:
        read = reader.build.calibration
    assert read is not None
    assert (read.threshold, read.hint_threshold) == (float("inf"), float("-inf"))
    assert read.price == GatePrice(1, 0, 9, 2, 3, 0, 4, 1)
    assert read.model == infinite.model
    assert [one.passed for one in store.questions()] == [True, False]
    assert store.build(2).calibration is None


def test_no_error_holds_a_question(store: PostgresCalibrationStore) -> None:
    """R097: questions are private material of the operator."""
    assert "heron" not in repr(QUESTIONS)
    store.replace_questions("own", QUESTIONS)
    assert "heron" not in repr(store.questions())
