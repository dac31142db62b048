"""How far a fragment may travel (R050, R051)."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.boundary.resolution import is_servable_gist, resolve_disclosure
from fonds.contract.disclosure import (
    STRICTNESS,
    Disclosure,
    Exposure,
    PrivateDisclosure,
    Raw,
    disclosure,
)
from fonds.contract.entity import Policy
from fonds.contract.failures import IllegalDisclosure
from fonds.contract.projection import SemanticProjection
from tests.factories import a_failed_projection, a_projection, a_projection_base

STRICT = Policy(require_review=True)
CLEAN = a_projection()
REVIEWED = a_projection(base=a_projection_base(review="reviewed"))
VETOED = a_projection(base=a_projection_base(vetoed=True))


@pytest.mark.parametrize(
    ("projection", "policy", "servable"),
    [
        (CLEAN, Policy(), True),
        (REVIEWED, STRICT, True),
        (None, Policy(), False),
        (a_failed_projection(), Policy(), False),
        (VETOED, Policy(), False),
        (a_projection(base=a_projection_base(stale=True)), Policy(), False),
        (CLEAN, STRICT, False),
    ],
)
def test_each_clause_alone_withholds_a_gist(
    projection: SemanticProjection | None, policy: Policy, servable: bool
) -> None:
    """R050: the truth table."""
    assert is_servable_gist(projection, policy) is servable


@pytest.mark.parametrize("source", ["generated", "edited"])
@pytest.mark.parametrize("vetoed", [False, True])
@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize("review", ["unreviewed", "reviewed"])
@pytest.mark.parametrize("required", [False, True])
def test_who_wrote_a_gist_does_not_matter(
    source: str, vetoed: bool, stale: bool, review: str, required: bool
) -> None:
    """R050: the whole table."""
    base = replace(a_projection_base(vetoed=vetoed, stale=stale), source=source, review=review)
    expected = not vetoed and not stale and (review == "reviewed" or not required)

    assert is_servable_gist(a_projection(base=base), Policy(require_review=required)) is expected
    assert not is_servable_gist(a_failed_projection(base=base), Policy(require_review=required))


@pytest.mark.parametrize(
    ("requested", "default", "projection", "resolved"),
    [
        ("semantic", ("private", "locator"), CLEAN, ("private", "semantic")),
        ("semantic", ("public", "text"), None, ("public", "locator")),
        (None, ("private", "semantic"), VETOED, ("private", "locator")),
        ("none", ("private", "semantic"), REVIEWED, ("private", "none")),
        (None, ("public", "text"), None, ("public", "text")),
        ("text", ("public", "none"), None, ("public", "text")),
        ("locator", ("private", "none"), None, ("private", "locator")),
        ("none", ("public", "text"), CLEAN, ("public", "none")),
        ("locator", ("private", "semantic"), CLEAN, ("private", "locator")),
    ],
)
def test_a_request_wins_over_the_default_and_falls_to_locator_without_a_gist(
    requested: Exposure | None,
    default: tuple[Raw, Exposure],
    projection: SemanticProjection | None,
    resolved: tuple[Raw, Exposure],
) -> None:
    """R051: its examples, and the rest of the rule."""
    found = resolve_disclosure(requested, disclosure(*default), projection, Policy(), "a:b#c")

    assert found == disclosure(*resolved)


def test_an_unreviewed_gist_is_not_served_where_review_is_required() -> None:
    """R050, R051."""
    found = resolve_disclosure("semantic", PrivateDisclosure("locator"), CLEAN, STRICT, "a:b#c")

    assert found == PrivateDisclosure("locator")


def test_private_text_is_refused_by_path() -> None:
    """R051."""
    with pytest.raises(IllegalDisclosure, match=r"^notes/a\.md: exposure: private material"):
        resolve_disclosure("text", PrivateDisclosure("locator"), None, Policy(), "notes/a.md")


def test_a_forged_default_is_refused_as_well() -> None:
    """R051: types erase at files and rows."""
    forged = PrivateDisclosure("locator")
    object.__setattr__(forged, "exposure", "text")

    with pytest.raises(IllegalDisclosure):
        resolve_disclosure(None, forged, CLEAN, Policy(), "a:b#c")


def test_an_unknown_exposure_is_refused_and_not_repeated() -> None:
    """R013, R051."""
    with pytest.raises(IllegalDisclosure, match=r"^a:b#c: exposure: one of") as refusal:
        resolve_disclosure("zebra", PrivateDisclosure("none"), None, Policy(), "a:b#c")  # pyright: ignore[reportArgumentType]
    assert "zebra" not in str(refusal.value)


cells: st.SearchStrategy[Disclosure] = st.sampled_from(
    [
        disclosure(raw, exposure)
        for raw in get_args(Raw)
        for exposure in get_args(Exposure)
        if (raw, exposure) != ("private", "text")
    ]
)
bases = st.builds(
    a_projection_base,
    review=st.sampled_from(["unreviewed", "reviewed"]),
    vetoed=st.booleans(),
    stale=st.booleans(),
)
projections: st.SearchStrategy[SemanticProjection | None] = st.one_of(
    st.none(), st.builds(a_projection, base=bases), st.builds(a_failed_projection, base=bases)
)


@given(
    cells,
    st.none() | st.sampled_from(get_args(Exposure)),
    projections,
    st.builds(Policy, require_review=st.booleans()),
)
def test_resolving_only_downgrades_and_never_changes_the_layer(
    default: Disclosure,
    requested: Exposure | None,
    projection: SemanticProjection | None,
    policy: Policy,
) -> None:
    """R051."""
    asked = requested or default.exposure
    if (default.raw, asked) == ("private", "text"):
        with pytest.raises(IllegalDisclosure):
            resolve_disclosure(requested, default, projection, policy, "a:b#c")
        return

    found = resolve_disclosure(requested, default, projection, policy, "a:b#c")

    assert found.raw == default.raw
    assert STRICTNESS[found.exposure] >= STRICTNESS[asked]
    assert found.exposure in (asked, "locator")
    if found.exposure == "semantic":
        assert is_servable_gist(projection, policy)
