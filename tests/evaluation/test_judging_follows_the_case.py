"""What passes and what does not; issues name places, never words (R181, R185)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.answering.refusal import Answered, RefusalReason, Refused
from fonds.contract.citation import AnswerMode
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.judging import answer_issues, is_honest, retrieval_issues
from tests.evaluation.doubles import a_case, answered, cited, private_hit, public_hit, refused

HONEST = {
    "no_relevant_context",
    "below_score_floor",
    "below_coverage_floor",
    "below_calibrated_threshold",
    "model_reported_no_answer",
}


def test_a_source_is_found_by_its_entity_or_its_fragment() -> None:
    """R181."""
    case = a_case(expect=("essay:kites", "note:tides#whole"))
    assert retrieval_issues(case, (public_hit(), private_hit())) == ()


def test_an_expected_source_that_is_not_a_hit_is_an_issue() -> None:
    """R181: expected in hits."""
    case = a_case(expect=("essay:kites#whole", "essay:kites#ch2", "note:tides"))
    assert retrieval_issues(case, (public_hit(),)) == (
        "expectSources[1]: not retrieved",
        "expectSources[2]: not retrieved",
    )


def test_a_forbidden_source_that_is_a_hit_is_an_issue() -> None:
    """R181: forbidden not."""
    case = a_case(forbid=("note:absent", "note:tides"))
    assert retrieval_issues(case, (public_hit(), private_hit())) == ("forbidSources[1]: retrieved",)


@pytest.mark.parametrize(
    ("case", "given", "issues"),
    [
        (a_case(), answered(), ()),
        (a_case(mode="not-found"), refused(), ()),
        (a_case(), refused(), ("mode: partial expected, not-found given",)),
        (
            a_case(mode="not-found"),
            answered(),
            ("mode: not-found expected, partial given",),
        ),
        (
            a_case(),
            answered("partial", cited("essay:kites#whole"), cited("note:tides#p1", "hint")),
            ("citations: a hint in a partial answer",),
        ),
        (
            a_case(mode="related-material"),
            answered("related-material", cited("essay:kites#whole")),
            ("citations: a record in an answer of related material",),
        ),
        (
            a_case(mode="related-material", no_records=True),
            answered("supported", cited("essay:kites#whole"), cited("note:tides#p1", "hint")),
            (
                "mode: related-material expected, supported given",
                "forbidRecordCitations: a record is cited",
            ),
        ),
        (
            a_case(forbid=("essay:kites", "essay:kites#ch2", "essay:kites#whole")),
            answered(),
            ("forbidSources[0]: cited", "forbidSources[2]: cited"),
        ),
    ],
)
def test_mode_and_citations_are_judged(
    case: GoldCase, given: Answered | Refused, issues: tuple[str, ...]
) -> None:
    """R181."""
    assert answer_issues(case, given) == issues


def test_patterns_are_reported_by_position() -> None:
    """R181: `forbidAnswerPatterns[0]`, never its text."""
    case = a_case(expect_patterns=("slowly", "anchor"), forbid_patterns=("umbrella", "^slow"))
    assert answer_issues(case, answered(text="Slowly, against the wind.")) == (
        "expectAnswerPatterns[1]: no match",
        "forbidAnswerPatterns[1]: a match",
    )


def test_a_pattern_that_was_not_decided_fails_either_way() -> None:
    """An undecided pattern is no proof that a word is absent."""

    def undecided(patterns: Sequence[str], text: str) -> Sequence[bool | None]:
        return [None for _ in patterns]

    case = a_case(expect_patterns=("a",), forbid_patterns=("b",))
    assert answer_issues(case, answered(), matcher=undecided) == (
        "expectAnswerPatterns[0]: not decided in time",
        "forbidAnswerPatterns[0]: not decided in time",
    )


@pytest.mark.parametrize("reason", get_args(RefusalReason))
def test_only_a_finding_makes_a_refusal_honest(reason: RefusalReason) -> None:
    """R185: contained provider and contract failures always fail the case."""
    assert is_honest(reason) == (reason in HONEST)
    issues = answer_issues(a_case(mode="not-found"), refused(reason))
    assert bool(issues) == (reason not in HONEST)


@settings(max_examples=40)
@given(
    answer=st.text(min_size=1, max_size=60),
    mode=st.sampled_from(get_args(AnswerMode)),
    given_mode=st.sampled_from(["supported", "partial", "related-material"]),
)
def test_no_word_of_an_answer_stands_in_an_issue(
    answer: str, mode: AnswerMode, given_mode: str
) -> None:
    """R181: two answers that differ in their words alone have the same issues."""

    def always(patterns: Sequence[str], text: str) -> Sequence[bool | None]:
        return [True for _ in patterns]

    case = a_case(mode=mode, forbid_patterns=("quillfeather",))
    said = answered(given_mode, text=answer)  # pyright: ignore[reportArgumentType]
    other = answered(given_mode, text="Slowly.")  # pyright: ignore[reportArgumentType]
    issues = answer_issues(case, said, matcher=always)
    assert issues == answer_issues(case, other, matcher=always)
    assert "quillfeather" not in "".join(issues)
