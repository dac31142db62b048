"""R050, R084, A17: what an edit, a review and a veto make of a stored projection."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.boundary.resolution import is_servable_gist
from fonds.contract.curator_store import HeldGist
from fonds.contract.disclosure import Exposure
from fonds.contract.embed_string import content_hash
from fonds.contract.entity import LintWindow, Policy
from fonds.contract.projection import (
    FailedProjection,
    GistReview,
    PassedProjection,
    SemanticProjection,
)
from fonds.ingestion.projections import (
    GistJudge,
    edited,
    gists_in,
    reviewed,
    standing_of,
    with_veto,
    words_of,
)
from tests.factories import (
    GIST,
    PRIVATE_TEXT,
    PRIVATE_WORDS,
    a_failed_projection,
    a_projection,
    a_projection_base,
)
from tests.ingestion.shelf import LAMP, a_book, a_part

QUOTING = "It says the zebrawood box under the ninth stair, and more."
ELSEWHERE = a_projection(base=a_projection_base(text="Words that stood here once."))
STALE = replace(ELSEWHERE, base=replace(ELSEWHERE.base, stale=True))
VETOED = a_projection(base=a_projection_base(vetoed=True))


@pytest.mark.parametrize("before", [None, a_projection(), STALE, VETOED, a_failed_projection()])
@pytest.mark.parametrize("review", ["unreviewed", "reviewed"])
def test_an_edit_stamps_the_text_and_keeps_a_veto(
    before: SemanticProjection | None, review: GistReview
) -> None:
    part = a_part(before)
    after = edited(part, GIST, GistJudge(a_book(part)).rule_broken(part, GIST), review)
    assert isinstance(after, PassedProjection)
    assert after.gist == GIST
    assert (after.base.source, after.base.review) == ("edited", review)
    assert after.base.content_hash == content_hash(PRIVATE_TEXT)
    assert after.base.stale is False
    assert after.base.vetoed is (before is VETOED)
    assert (after.base.model, after.base.prompt_version) == (None, None)


def test_a_failing_edit_is_kept_as_the_draft_and_named_by_position() -> None:
    part = a_part()
    rule = GistJudge(a_book(part)).rule_broken(part, QUOTING)
    after = edited(part, QUOTING, rule, "reviewed")
    assert rule == "quotes private text at words 3-7"
    assert isinstance(after, FailedProjection)
    assert after.draft == QUOTING
    assert not any(word in rule + repr(after) for word in PRIVATE_WORDS)


def test_a_gist_is_held_against_the_whole_entity() -> None:
    """R063: words of another chapter are as private."""
    part, other = a_part(), a_part(number=2, text=LAMP)
    lifted = "About a lamp that nobody ever lit."
    assert GistJudge(a_book(part)).rule_broken(part, lifted) == ""
    found = GistJudge(a_book(part, other)).rule_broken(part, lifted)
    assert found == "quotes the entity's text at words 2-6"


def test_a_window_of_the_entity_or_another_is_asked() -> None:
    """R068: four shared words pass by default and fail at four."""
    part = a_part()
    four = "Under the ninth stair lies an inventory."
    assert GistJudge(a_book(part)).rule_broken(part, four) == ""
    for judge in (
        GistJudge(a_book(part, window=LintWindow(ngram_words=4))),
        GistJudge(a_book(part), LintWindow(ngram_words=4)),
    ):
        assert judge.rule_broken(part, four) == "quotes private text at words 1-4"


def test_a_review_ends_stale_and_stamps_the_text() -> None:
    """A17: the words, the source and a veto stay as they are."""
    vetoed = with_veto(STALE, vetoed=True)
    after = reviewed(a_part(vetoed), vetoed, "")
    assert words_of(after) == words_of(STALE)
    assert after.base == replace(
        vetoed.base, review="reviewed", stale=False, content_hash=content_hash(PRIVATE_TEXT)
    )


def test_a_review_of_words_that_fail_reviews_nothing() -> None:
    """The words stay as a draft, and what they were written for is not claimed anew."""
    before = a_projection(base=replace(STALE.base, review="reviewed"), gist=QUOTING)
    after = reviewed(a_part(before), before, "quotes private text at words 3-7")
    assert isinstance(after, FailedProjection)
    assert (after.draft, after.base.review) == (QUOTING, "unreviewed")
    assert (after.base.stale, after.base.content_hash) == (True, before.base.content_hash)


def test_a_review_of_a_draft_that_passes_makes_it_a_gist() -> None:
    """A window that was loosened lets the author take the draft as it is."""
    before = a_failed_projection(draft=GIST)
    assert isinstance(reviewed(a_part(before), before, ""), PassedProjection)


@pytest.mark.parametrize("before", [a_projection(), VETOED, STALE, a_failed_projection()])
def test_a_veto_changes_nothing_else(before: SemanticProjection) -> None:
    there = with_veto(before, vetoed=True)
    assert there == replace(before, base=replace(before.base, vetoed=True))
    assert with_veto(there, vetoed=False) == replace(
        before, base=replace(before.base, vetoed=False)
    )


@pytest.mark.parametrize(
    ("exposure", "projection", "require_review", "standing"),
    [
        ("locator", a_projection(), False, "not asked"),
        ("none", a_projection(), False, "not asked"),
        ("semantic", None, False, "no gist"),
        ("semantic", a_projection(), False, "servable"),
        ("semantic", a_projection(), True, "waits for review"),
        (
            "semantic",
            a_projection(base=a_projection_base(review="reviewed")),
            True,
            "servable",
        ),
        ("semantic", VETOED, False, "vetoed"),
        ("semantic", STALE, False, "stale"),
        ("semantic", a_failed_projection(), False, "lint failed"),
    ],
)
def test_each_standing_has_its_name(
    *,
    exposure: Exposure,
    projection: SemanticProjection | None,
    require_review: bool,
    standing: str,
) -> None:
    assert standing_of(HeldGist("a:b#1", exposure, require_review, projection)) == standing


@settings(max_examples=60)
@given(
    vetoed=st.booleans(),
    stale=st.booleans(),
    review=st.sampled_from(("unreviewed", "reviewed")),
    passed=st.booleans(),
    require=st.booleans(),
)
def test_servable_is_said_only_of_what_the_predicate_serves(
    *, vetoed: bool, stale: bool, review: GistReview, passed: bool, require: bool
) -> None:
    """R050: there is one predicate."""
    base = a_projection_base(vetoed=vetoed, stale=stale, review=review)
    one = a_projection(base=base) if passed else a_failed_projection(base=base)
    held = HeldGist("a:b#1", "semantic", require, one)
    served = is_servable_gist(one, Policy(require_review=require))
    assert (standing_of(held) == "servable") is served


def test_words_that_were_erased_are_no_gist() -> None:
    """A veto outlives the words it is about."""
    erased = a_failed_projection(draft="")
    book = a_book(a_part(erased), a_part(a_projection(), number=2, text=LAMP), a_part(number=3))
    assert [part.fragment_id for part, _ in gists_in(book)] == ["book:low-tide#ch2"]
