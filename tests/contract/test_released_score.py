"""A private score leaves to the nearest 0.05 (R122, R100)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.contract.released_score import released_score


@pytest.mark.parametrize(
    ("exact", "released"),
    [
        *((0.87, 0.85), (0.875, 0.90), (0.225, 0.25), (0.612, 0.60), (1.0, 1.0), (0.825, 0.85)),
        *((0.175, 0.2), (0.1749, 0.15), (0.0, 0.0), (-0.03, -0.05), (-0.01, 0.0)),
    ],
)
def test_a_private_score_is_rounded_half_up(exact: float, released: float) -> None:
    """R122, A15."""
    assert released_score("private", exact) == released


@given(st.floats(-2, 2))
def test_public_scores_keep_their_precision(exact: float) -> None:
    """R122."""
    assert released_score("public", exact) == exact


@given(st.floats(-2, 2))
def test_what_is_released_is_a_twentieth_near_by_and_stays_itself(exact: float) -> None:
    """R122: rounding again changes nothing, or a value would drift on its way out."""
    released = released_score("private", exact)

    assert released == round(released * 20) / 20
    assert abs(released - exact) <= 0.025 + 1e-12
    assert released_score("private", released) == released


def test_an_unknown_layer_is_rounded_like_private_material() -> None:
    """R122."""
    assert released_score("Public", 0.612) == 0.6
