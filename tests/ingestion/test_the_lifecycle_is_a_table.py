"""R082: what a run decides about a stored projection, row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.disclosure import Exposure
from fonds.contract.projection import (
    FailedProjection,
    GistReview,
    PassedProjection,
    SemanticProjection,
)
from fonds.ingestion.projections import Outcome, Reconciled, reconciled, words_of
from tests.factories import GIST, a_failed_projection, a_projection, a_projection_base
from tests.ingestion.shelf import a_part

BROKEN = "quotes private text at words 1-5"
GENERATED = a_projection()
MOVED = a_projection(base=a_projection_base(text="Words that stood here once."))
STALE = a_projection(base=a_projection_base(stale=True))
VETOED = a_projection(base=a_projection_base(vetoed=True))
FAILED = a_failed_projection()
EDITED = a_projection(base=a_projection_base(source="edited", review="reviewed"))
EDITED_MOVED = a_projection(base=a_projection_base(source="edited", text="Once."))
EDITED_FAILED = a_failed_projection(base=a_projection_base(source="edited"), draft=GIST)
ERASED = a_failed_projection(base=a_projection_base(source="edited", vetoed=True), draft="")


def decided(
    stored: SemanticProjection | None,
    *,
    exposure: Exposure = "semantic",
    model: str = "a-model",
    version: str = "gist.v1",
    redraft: bool = False,
    rule: str = "",
) -> Reconciled:
    return reconciled(
        a_part(stored, exposure=exposure),
        model=model,
        prompt_version=version,
        redraft=redraft,
        rule_broken=lambda words: rule,
    )


@pytest.mark.parametrize(
    ("stored", "changed", "outcome"),
    [
        (None, {}, "draft"),
        (GENERATED, {}, "kept"),
        (GENERATED, {"rule": BROKEN}, "draft"),
        (MOVED, {}, "draft"),
        (STALE, {}, "draft"),
        (GENERATED, {"model": "another"}, "draft"),
        (GENERATED, {"version": "another"}, "draft"),
        (GENERATED, {"redraft": True}, "draft"),
        (FAILED, {}, "kept"),
        (FAILED, {"rule": BROKEN}, "kept"),
        (FAILED, {"model": "another"}, "draft"),
        (EDITED, {}, "kept"),
        (EDITED, {"model": "another", "version": "another"}, "kept"),
        (EDITED, {"redraft": True}, "kept"),
        (EDITED, {"rule": BROKEN}, "failed"),
        (EDITED_MOVED, {}, "stale"),
        (EDITED_MOVED, {"rule": BROKEN}, "failed"),
        (EDITED_MOVED, {"redraft": True}, "stale"),
        (EDITED_FAILED, {}, "kept"),
        (VETOED, {}, "kept"),
        (VETOED, {"redraft": True}, "draft"),
        (ERASED, {}, "draft"),
    ],
)
def test_each_row_has_its_outcome(
    stored: SemanticProjection | None, changed: dict[str, object], outcome: Outcome
) -> None:
    assert decided(stored, **changed).outcome == outcome  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("exposure", ["locator", "none"])
@pytest.mark.parametrize("stored", [None, GENERATED, MOVED, VETOED, EDITED_MOVED, FAILED])
def test_what_is_not_asked_for_is_carried_untouched(
    exposure: Exposure, stored: SemanticProjection | None
) -> None:
    """Flipping the policy back costs nothing, and no lint is run."""
    part = a_part(stored, exposure=exposure)

    def no_lint(words: str) -> str:
        raise AssertionError("the lint was run")

    found = reconciled(
        part, model="another", prompt_version="another", redraft=True, rule_broken=no_lint
    )
    assert found == Reconciled("carried", part.projection)


def test_an_edit_that_fails_keeps_the_author_s_words_as_a_draft() -> None:
    found = decided(EDITED, rule=BROKEN)
    assert isinstance(found.projection, FailedProjection)
    assert found.projection.draft == GIST
    assert found.projection.base == replace(EDITED.base, fragment_id="book:low-tide#ch1")
    assert found.rule == BROKEN


def test_an_edit_whose_text_moved_is_stale_and_keeps_its_words_and_hash() -> None:
    found = decided(EDITED_MOVED)
    assert isinstance(found.projection, PassedProjection)
    assert found.projection.base.stale is True
    assert found.projection.base.content_hash == EDITED_MOVED.base.content_hash
    failing = decided(EDITED_MOVED, rule=BROKEN).projection
    assert isinstance(failing, FailedProjection)
    assert failing.base.stale is True


def test_an_edit_stays_stale_though_its_text_came_back() -> None:
    """A17: only an edit or a review ends it."""
    stale = a_projection(base=a_projection_base(source="edited", stale=True))
    assert decided(stale).outcome == "stale"


def test_a_failed_edit_that_passes_by_a_wider_window_is_a_gist_with_its_review() -> None:
    found = decided(EDITED_FAILED).projection
    assert isinstance(found, PassedProjection)
    assert (found.gist, found.base.review) == (GIST, EDITED_FAILED.base.review)


@settings(max_examples=200)
@given(
    review=st.sampled_from(("unreviewed", "reviewed")),
    vetoed=st.booleans(),
    stale=st.booleans(),
    passed=st.booleans(),
    moved=st.booleans(),
    redraft=st.booleans(),
    model=st.sampled_from(("a-model", "another")),
    rule=st.sampled_from(("", BROKEN)),
)
def test_no_run_ever_touches_the_words_of_an_edit_or_a_veto(
    *,
    review: GistReview,
    vetoed: bool,
    stale: bool,
    passed: bool,
    moved: bool,
    redraft: bool,
    model: str,
    rule: str,
) -> None:
    """Never overwritten, never drafted, never reviewed or unvetoed by a run."""
    base = a_projection_base(source="edited", review=review, vetoed=vetoed, stale=stale)
    base = replace(base, content_hash="0" * 16) if moved else base
    stored = a_projection(base=base) if passed else a_failed_projection(base=base, draft=GIST)
    found = decided(stored, redraft=redraft, model=model, rule=rule)
    assert found.outcome != "draft"
    assert found.projection is not None
    assert words_of(found.projection) == GIST
    assert (found.projection.base.review, found.projection.base.vetoed) == (review, vetoed)
    assert found.projection.base.stale is (stale or moved)
    assert isinstance(found.projection, FailedProjection) is bool(rule)
