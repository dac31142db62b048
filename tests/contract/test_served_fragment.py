"""What a build lets out keeps the strip by construction (R092, R093)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.contract.disclosure import PrivateDisclosure, PublicDisclosure
from fonds.contract.failures import LeakRefused, MisauthoredInput
from fonds.contract.served_fragment import ServedFragment, ServedGist
from tests.factories import GIST, a_served_entity, a_served_fragment


def test_a_withheld_fragment_cannot_be_served() -> None:
    """R052, R092."""
    for cell in (PrivateDisclosure("none"), PublicDisclosure("none")):
        with pytest.raises(LeakRefused, match=r"^book:low-tide#whole is withheld"):
            replace(a_served_fragment(), disclosure=cell)


@pytest.mark.parametrize("exposure", ["locator", "semantic"])
@pytest.mark.parametrize("raw", ["public", "private"])
@pytest.mark.parametrize("field", ["text", "summary", "trail"])
def test_words_travel_with_text_alone(exposure: str, raw: str, field: str) -> None:
    """R092: of public material too."""
    legal = a_served_fragment(raw=raw, exposure=exposure)  # pyright: ignore[reportArgumentType]
    words: object = ("zebra",) if field == "trail" else "zebra"

    with pytest.raises(LeakRefused) as refusal:
        replace(legal, **{field: words})
    assert str(refusal.value) == "book:low-tide#whole is not exposed as text and carries it"


@pytest.mark.parametrize("exposure", ["locator", "text"])
def test_a_gist_travels_with_semantic_alone(exposure: str) -> None:
    """R092, R093."""
    legal = a_served_fragment(raw="public", exposure=exposure)  # pyright: ignore[reportArgumentType]

    with pytest.raises(LeakRefused, match="carries a gist iff"):
        replace(legal, gist=ServedGist(GIST, "generated", "unreviewed"))


def test_semantic_without_a_gist_is_refused() -> None:
    """R092."""
    with pytest.raises(LeakRefused, match="carries a gist iff"):
        replace(a_served_fragment(exposure="semantic"), gist=None)


def test_a_forged_private_cell_is_refused_as_text() -> None:
    """R001: the class says private, whatever the word says."""
    forged = PrivateDisclosure("locator")
    object.__setattr__(forged, "exposure", "text")

    with pytest.raises(LeakRefused, match="is private and asked to travel as text"):
        ServedFragment("a:b#whole", "a:b", a_served_fragment().place, forged, text="zebra")


def test_a_served_fragment_needs_a_place() -> None:
    """R004."""
    with pytest.raises(MisauthoredInput, match=r"^locator: "):
        replace(a_served_fragment(), place=())


def test_what_is_served_has_no_room_for_policy_hashes_or_reviews() -> None:
    """R092."""
    for served in (a_served_entity(), a_served_fragment()):
        for name in ("policy", "source_review", "content_hash", "projection"):
            assert not hasattr(served, name)
    assert a_served_entity(entity_id="note:a:b").slug == "a:b"
    assert a_served_fragment(exposure="text", raw="public").label == "whole record"
