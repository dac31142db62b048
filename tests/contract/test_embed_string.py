"""What is embedded, and the hashes that decide reuse (R040-R043)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.contract.disclosure import Exposure, Raw
from fonds.contract.embed_string import (
    MAX_EMBED_BYTES,
    content_hash,
    cut_to_bytes,
    embed_string,
)
from tests.factories import PRIVATE_TEXT, a_fragment, an_entity


def test_public_text_goes_with_title_summary_and_themes() -> None:
    """R040, with the hash the requirement gives (R041)."""
    kites = an_entity(
        entity_id="essay:kites", raw="public", title="On Kites", themes=("wind", "patience")
    )
    body = a_fragment(
        entity_id="essay:kites",
        raw="public",
        exposure="text",
        text="Let the line out.",
        summary="Wind as a teacher.",
    )

    embedded = embed_string(kites, body)

    assert embedded == (
        "On Kites\n\nWind as a teacher.\n\nThemes: wind, patience\n\nLet the line out."
    )
    assert content_hash(embedded) == "f7506fff1ba00823"


def test_a_heading_trail_stands_after_the_title() -> None:
    """R040, R033."""
    guide = an_entity(entity_id="guide:lending", raw="public", title="Lending")
    part = a_fragment(
        entity_id="guide:lending",
        raw="public",
        exposure="text",
        text="Three weeks.",
        trail=("Borrowing", "Holds"),
    )

    assert embed_string(guide, part) == "Lending\n\nBorrowing > Holds\n\nThree weeks."


def test_a_fragment_s_own_themes_win_over_its_entity_s() -> None:
    """R040, R109."""
    essay = an_entity(entity_id="essay:a", raw="public", title="A", themes=("wind",))
    part = a_fragment(
        entity_id="essay:a", raw="public", exposure="text", text="B.", themes=("rain",)
    )

    assert embed_string(essay, part) == "A\n\nThemes: rain\n\nB."


@pytest.mark.parametrize(
    ("raw", "exposure"),
    [
        ("public", "semantic"),
        ("public", "locator"),
        ("public", "none"),
        ("private", "semantic"),
        ("private", "locator"),
        ("private", "none"),
    ],
)
def test_anything_but_public_text_is_embedded_as_its_text_alone(
    raw: Raw, exposure: Exposure
) -> None:
    """R040."""
    thing = an_entity(raw=raw, title="Low Tide", themes=("sea",))

    assert embed_string(thing, a_fragment(raw=raw, exposure=exposure)) == PRIVATE_TEXT


@pytest.mark.parametrize(
    ("text", "digest"),
    [("abc", "a9993e364706816a"), ("Letter\n\nWe sold the piano.", "93e4fd3e7547e52c")],
)
def test_a_projection_hash_is_of_the_text_alone(text: str, digest: str) -> None:
    """R042."""
    assert content_hash(text) == digest


def test_an_input_is_cut_before_the_code_point_that_would_not_fit() -> None:
    """R043."""
    almost = "a" * (MAX_EMBED_BYTES - 1)

    assert cut_to_bytes(almost + "é", MAX_EMBED_BYTES) == almost
    assert cut_to_bytes(almost + "a", MAX_EMBED_BYTES) == almost + "a"
    assert MAX_EMBED_BYTES == 24 * 1024


@given(st.text(max_size=60), st.integers(0, 100))
def test_a_cut_is_a_prefix_that_fits_and_only_as_short_as_it_must_be(text: str, limit: int) -> None:
    """R043."""
    cut = cut_to_bytes(text, limit)

    assert text.startswith(cut)
    assert len(cut.encode()) <= limit
    if cut != text:
        assert len(text[: len(cut) + 1].encode()) > limit


def test_the_hash_is_of_the_string_after_the_cut() -> None:
    """R041."""
    thing = an_entity()
    longer = a_fragment(text="a" * MAX_EMBED_BYTES + "zebra")
    shorter = a_fragment(text="a" * MAX_EMBED_BYTES)

    assert content_hash(embed_string(thing, longer)) == content_hash(embed_string(thing, shorter))
