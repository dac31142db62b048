"""An index is admitted by recall over what it answered and by the suite's verdicts (R114)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.contract.failures import Misconfigured
from fonds.contract.near_index import IndexShape
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.index_check import IndexCheck, check_lines, index_check, seen
from fonds.retrieval.search import Searched
from tests.evaluation.doubles import a_case, found, private_hit, public_hit

HITS = [public_hit(f"essay:{number}") for number in range(8)]
FULL = found(*HITS, private_hit())
CASE = a_case(expect=("essay:7",))


def checked(*answers: Searched, case: Searched | None = None) -> IndexCheck:
    """Each question finds everything exactly, and these by index."""
    questions = [SearchRequest(f"question {number}") for number in range(len(answers))]
    by_query = {one.query: answer for one, answer in zip(questions, answers, strict=True)}
    cases = [] if case is None else [CASE]
    if case is not None:
        by_query[CASE.query] = case
    exact = seen(questions, cases, lambda request: FULL)
    return index_check(cases, exact, seen(questions, cases, lambda one: by_query[one.query]))


def indexed(*hits: object) -> Searched:
    return replace(found(*hits), by_index=True)  # pyright: ignore[reportArgumentType]


def test_recall_is_over_the_questions_the_index_answered() -> None:
    """What was answered by every row says nothing of the index."""
    check = checked(indexed(*HITS), indexed(*HITS[:4]), FULL)
    assert (check.questions, check.by_index, check.recall) == (3, 2, 0.75)
    assert not check.admitted
    assert check_lines(check)[:2] == [
        "2 of 3 questions answered by the index, the others by every row",
        "recall@8 0.7500, 0.99 is asked for",
    ]


@pytest.mark.parametrize(("missed", "admitted"), [(0, True), (8, True), (9, False)])
def test_ninety_nine_of_a_hundred_hits_are_asked_for(missed: int, admitted: bool) -> None:
    answers = [indexed(*HITS)] * (100 - missed) + [indexed(*HITS[1:])] * missed
    assert checked(*answers).admitted is admitted


def test_an_index_that_answers_nothing_is_not_admitted() -> None:
    """There is no recall to speak of, and nothing gained."""
    check = checked(FULL, FULL)
    assert (check.recall, check.admitted) == (None, False)


def test_one_verdict_that_differs_is_one_too_many() -> None:
    """The suite asks for the one hit that is missing: named by its case, never by its words."""
    answers = [indexed(*HITS)] * 200
    assert checked(*answers, case=indexed(*HITS)).admitted
    check = checked(*answers, case=indexed(*HITS[:7]))
    assert (check.changed, check.admitted) == (("kites",), False)
    assert check.recall is not None
    assert check.recall > 0.99
    assert CASE.query not in "\n".join(check_lines(check))


def test_private_hits_do_not_count() -> None:
    """They are compared one by one whatever the index does."""
    assert checked(indexed(*HITS)).recall == 1.0


@pytest.mark.parametrize(
    "changes", [{"links": 1}, {"links": 65}, {"width": 31}, {"breadth": 0}, {"breadth": 1001}]
)
def test_a_shape_out_of_bounds_is_refused_by_name(changes: dict[str, int]) -> None:
    with pytest.raises(Misconfigured, match=f"{next(iter(changes))}: takes a number from"):
        IndexShape(**changes)
