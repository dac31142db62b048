"""The score table (R173)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from fonds.contract.failures import ProviderUnavailable
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.score_table import Inversion, ScoreTable, score_table
from fonds.retrieval.search import Searched
from tests.evaluation.doubles import a_case, found, private_hit, public_hit


def table(
    held: Mapping[str, Searched], absent: Mapping[str, Searched], *, hard: tuple[str, ...] = ()
) -> ScoreTable:
    replies = {**held, **absent}
    cases: list[GoldCase] = [
        a_case(
            one,
            query=one,
            mode="partial" if one in held else "not-found",
            requires_model=one in hard,
        )
        for one in replies
    ]

    def search(request: SearchRequest) -> Searched:
        return replies[request.query]

    return score_table(cases, search)


def at(score: float) -> Searched:
    return found(public_hit(score=score))


def test_questions_stand_with_the_critical_ones_first() -> None:
    """R173: answerable lowest first, unanswerable highest first, the gap and its middle."""
    scores = table({"a": at(0.75), "b": at(0.5)}, {"x": at(0.125), "y": at(0.25)})
    assert [one.case_id for one in scores.answerable] == ["b", "a"]
    assert [one.case_id for one in scores.unanswerable] == ["y", "x"]
    assert scores.gap == 0.25
    assert scores.suggested_floor == 0.375
    assert scores.inversions == ()


def test_what_no_threshold_separates_needs_a_model() -> None:
    """R173: inversions; equal scores cannot be told apart either."""
    scores = table({"a": at(0.25), "b": at(0.5), "c": at(0.75)}, {"x": at(0.5), "y": at(0.25)})
    assert scores.inversions == (Inversion("a", ("x", "y")), Inversion("b", ("x",)))
    assert scores.gap == -0.25
    assert scores.suggested_floor is None


def test_a_question_marked_for_a_model_does_not_move_the_floor() -> None:
    """R173: it is listed and counted among the inversions."""
    scores = table({"a": at(0.5)}, {"x": at(0.25), "y": at(0.75)}, hard=("y",))
    assert scores.suggested_floor == 0.375
    assert scores.inversions == (Inversion("a", ("y",)),)


def test_nothing_matched_is_below_every_score() -> None:
    """R168: minus infinity, and no gap is measured against it."""
    scores = table({"a": found(), "b": at(0.5)}, {"x": found(), "y": at(0.3)})
    assert [one.best_score for one in scores.answerable] == [None, 0.5]
    assert [one.best_score for one in scores.unanswerable] == [0.3, None]
    assert scores.inversions == (Inversion("a", ("y", "x")),)
    assert scores.gap is None
    assert scores.suggested_floor is None


def test_one_kind_of_question_alone_has_no_gap() -> None:
    assert table({"a": at(0.5)}, {}).gap is None
    assert table({}, {"x": at(0.5)}).gap is None
    empty = table({}, {})
    assert (empty.gap, empty.build_id, empty.score_floor) == (None, None, None)


def test_the_passage_is_the_one_that_has_the_best_score() -> None:
    """R173: none is named when the best candidate was not admitted."""
    scores = table(
        {"a": found(public_hit(score=0.4), private_hit(score=0.5), raw="private")},
        {"x": found(public_hit(score=0.25), best=0.375)},
    )
    assert scores.as_json() == {
        "build": 7,
        "scoreFloor": 0.2,
        "gap": 0.125,
        "suggestedFloor": 0.4375,
        "answerable": [
            {
                "id": "a",
                "bestScore": 0.5,
                "raw": "private",
                "passage": "note:tides#whole",
                "requiresModel": False,
            }
        ],
        "unanswerable": [
            {
                "id": "x",
                "bestScore": 0.375,
                "raw": "public",
                "passage": None,
                "requiresModel": False,
            }
        ],
        "needsModel": [],
    }


def test_inversions_are_named_on_the_wire() -> None:
    document = table({"a": at(0.3)}, {"x": at(0.6)}).as_json()
    assert document["needsModel"] == [{"answerable": "a", "unanswerable": ["x"]}]


def test_a_table_with_holes_is_not_made() -> None:
    """A floor suggested from half the questions would be a wrong one."""

    def dead(request: SearchRequest) -> Searched:
        raise ProviderUnavailable("no embedder")

    with pytest.raises(ProviderUnavailable):
        score_table([a_case()], dead)
