"""Two floors that a passage has to pass, and the figures of a refusal (R164, R165, R167)."""

from __future__ import annotations

import pytest

from fonds.answering.floors import weigh_floors
from fonds.answering.refusal import RefusalRecord
from fonds.contract.failures import LeakRefused
from tests.answering.hits import locator_hit, outcome, semantic_hit, text_hit

ASKED = "Which larch boats sailed Friday?"  # larch, boats, sailed, Friday
WORDS = {0.25: "larch", 0.5: "larch boats", 1.0: "larch boats sailed Friday"}


@pytest.mark.parametrize(
    ("score", "covered", "reason", "failed"),
    [
        (0.9, 0.25, "below_coverage_floor", ("coverage",)),
        (0.15, 1.0, "below_score_floor", ("score",)),
        (0.15, 0.25, "below_score_floor", ("score", "coverage")),
        (0.2, 0.5, None, ()),
        (0.41, 0.25, "below_coverage_floor", ("coverage",)),
    ],
)
def test_neither_floor_rescues_the_other(
    score: float, covered: float, reason: str | None, failed: tuple[str, ...]
) -> None:
    """R165: with floors 0.2 and 0.5; the record tells which floors the best passage fell under."""
    hit = text_hit("t", WORDS[covered], score=score, title="Untitled")
    verdict = weigh_floors(ASKED, outcome(hit))
    assert verdict.reason == reason
    assert verdict.record == RefusalRecord(score, "public", covered, 0.2, 0.5, failed)  # pyright: ignore[reportArgumentType]
    assert verdict.passing == ((hit,) if reason is None else ())


def test_the_record_of_the_requirement_reads_as_written() -> None:
    """R164: the example of the requirement, as it is stored."""
    verdict = weigh_floors(ASKED, outcome(text_hit("t", "larch", score=0.41, title="Untitled")))
    assert verdict.record.as_json() == {
        "bestScore": 0.41,
        "bestRaw": "public",
        "coverage": 0.25,
        "failed": ["coverage"],
        "scoreFloor": 0.2,
        "coverageFloor": 0.5,
    }


def test_only_passing_passages_become_evidence() -> None:
    """R165: a passage failing one floor is no evidence beside one that passes."""
    good = text_hit("good", "larch boats", score=0.5)
    bad = text_hit("bad", "nothing", score=0.9)
    assert weigh_floors(ASKED, outcome(bad, good)).passing == (good,)


def test_hints_are_held_to_the_score_floor_alone() -> None:
    """A6: a hint has no text that could cover a question."""
    high, low = semantic_hit(score=0.2), locator_hit("letters", score=0.15)
    assert weigh_floors(ASKED, outcome(high, low)).passing == (high,)


def test_a_private_best_passage_has_a_coarse_score_and_no_coverage() -> None:
    """R164: neither an exact score nor a coverage of private text."""
    verdict = weigh_floors(ASKED, outcome(locator_hit(score=0.15)))
    assert verdict.reason == "below_score_floor"
    assert verdict.record.as_json() == {
        "bestScore": 0.15,
        "bestRaw": "private",
        "failed": ["score"],
        "scoreFloor": 0.2,
        "coverageFloor": 0.5,
    }


def test_a_private_score_is_released_before_it_is_recorded() -> None:
    """R164: a best candidate that was never shipped is coarse as well."""
    verdict = weigh_floors(ASKED, outcome(best_score=0.1234, best_raw="private", best_cosine=0.1))
    assert verdict.record.best_score == 0.1


def test_a_record_refuses_a_fine_private_figure() -> None:
    """R164: the type cannot hold it."""
    with pytest.raises(LeakRefused, match="nearest"):
        RefusalRecord(0.1234, "private")
    with pytest.raises(LeakRefused, match="coverage"):
        RefusalRecord(0.1, "private", coverage=0.5)


def test_nothing_under_the_filters_is_no_relevant_context() -> None:
    """R165: looked at before either floor, and without a score."""
    verdict = weigh_floors(ASKED, outcome())
    assert verdict.reason == "no_relevant_context"
    assert verdict.record.best_score is None
    assert verdict.record.failed == ()


def test_no_positive_cosine_and_no_shared_word_is_no_relevant_context() -> None:
    """R165: every cosine at or below zero, and no lexical match."""
    hit = text_hit("t", "larch boats", score=0.25)
    assert weigh_floors(ASKED, outcome(hit, best_cosine=0.0)).reason == "no_relevant_context"
    assert weigh_floors(ASKED, outcome(hit, best_cosine=0.0, has_lexical_match=True)).reason is None
    boosted = text_hit("t", "larch boats", score=0.3, breakdown={"cosine": 0.0, "exactMatch": 0.3})
    assert weigh_floors(ASKED, outcome(boosted, best_cosine=0.0)).reason is None


def test_a_candidate_below_the_search_floor_is_scored_too_low() -> None:
    """R164: nothing matched and scored too low are told apart."""
    verdict = weigh_floors(ASKED, outcome(best_score=0.12, best_raw="public", best_cosine=0.12))
    assert verdict.reason == "below_score_floor"
    assert verdict.record == RefusalRecord(0.12, "public", None, 0.2, 0.5, ("score",))


def test_a_score_that_equals_its_floor_passes_in_spite_of_binary_fractions() -> None:
    """R165: 0.1 + 0.2 against a floor of 0.3 and the other way round."""
    hit = text_hit("t", "larch boats", score=0.3)
    assert weigh_floors(ASKED, outcome(hit, score_floor=0.1 + 0.2)).reason is None


def test_the_margin_is_off_until_it_is_set() -> None:
    """R167: best minus second best."""
    two = outcome(text_hit("a", "larch boats", score=0.6), text_hit("b", "larch boats", score=0.55))
    assert weigh_floors(ASKED, two).reason is None
    assert weigh_floors(ASKED, two, min_margin=0.05).reason is None
    refused = weigh_floors(ASKED, two, min_margin=0.1)
    assert refused.reason == "below_score_floor"
    assert refused.record.failed == ("margin",)
    alone = outcome(text_hit("a", "larch boats", score=0.6))
    assert weigh_floors(ASKED, alone, min_margin=0.5).reason is None


def test_hints_may_be_held_to_a_higher_floor_and_never_to_a_lower_one() -> None:
    """A6, R170: nothing but the score keeps an unrelated question from being routed."""
    found = outcome(locator_hit(score=0.25), text_hit("t", "larch boats", score=0.21))
    assert len(weigh_floors(ASKED, found, hint_floor=0.1).passing) == 2
    assert len(weigh_floors(ASKED, found, hint_floor=0.25).passing) == 2
    assert weigh_floors(ASKED, found, hint_floor=0.3).passing == found.hits[1:]
    alone = weigh_floors(ASKED, outcome(locator_hit(score=0.25)), hint_floor=0.3)
    assert alone.reason == "below_score_floor"
    assert alone.record.failed == ("score",)
