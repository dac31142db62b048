"""Things and their parts, as the private side holds them (R006, R007, R008, R068)."""

from __future__ import annotations

import pytest

from fonds.contract.disclosure import PrivateDisclosure
from fonds.contract.entity import Entity, LintWindow
from fonds.contract.failures import MisauthoredInput
from fonds.contract.fragment import MAX_PUBLIC_TEXT_BYTES
from fonds.contract.projection import ProjectionBase
from tests.factories import (
    a_failed_projection,
    a_fragment,
    a_projection,
    a_projection_base,
    an_entity,
    chapter,
)


@pytest.mark.parametrize(
    ("entity_id", "slug"),
    [("essay:on-kites:2", "on-kites:2"), ("essay:kites", "kites"), ("loose", "loose")],
)
def test_a_slug_is_everything_after_the_first_colon(entity_id: str, slug: str) -> None:
    """R006."""
    assert an_entity(entity_id=entity_id).slug == slug


@pytest.mark.parametrize("field", ["id", "type", "title", "url"])
def test_an_entity_needs_its_four_words(field: str) -> None:
    """R006."""
    words = {"id": "a:b", "type": "a", "title": "B", "url": "https://example.org/"} | {field: " "}

    with pytest.raises(MisauthoredInput, match=rf"^{field}: "):
        Entity(
            words["id"], words["type"], words["title"], words["url"], PrivateDisclosure("locator")
        )


def test_a_malformed_date_is_refused_wherever_it_stands() -> None:
    """R012."""
    with pytest.raises(MisauthoredInput, match=r"^date: "):
        an_entity(date="spring 2019")
    with pytest.raises(MisauthoredInput, match=r"^date: "):
        a_fragment(date="2019-02-30")


def test_a_fragment_is_named_after_its_entity_and_its_place() -> None:
    """R007, R028."""
    fragment = a_fragment(entity_id="book:low-tide", place=chapter(4))

    assert fragment.fragment_id == "book:low-tide#ch4"
    assert fragment.label == "ch. 4"


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_a_fragment_without_a_word_is_refused(text: str) -> None:
    """R007."""
    with pytest.raises(MisauthoredInput, match=r"^text: "):
        a_fragment(text=text)


def test_the_text_of_a_public_fragment_is_bounded_in_bytes() -> None:
    """A hit carries it whole, and a reply many hits; what is never quoted may be longer."""
    longest = "\u00e9" * (MAX_PUBLIC_TEXT_BYTES // 2)

    assert a_fragment(text=longest, raw="public", exposure="text").text == longest
    assert len(a_fragment(text=longest + "x").text) > len(longest)
    with pytest.raises(MisauthoredInput, match=r"^text: .* 512 KiB"):
        a_fragment(text=longest + "x", raw="public", exposure="text")


def test_private_fragments_have_no_summary_and_no_trail() -> None:
    """R033, R040."""
    with pytest.raises(MisauthoredInput, match=r"^summary: "):
        a_fragment(summary="A box and a bill.")
    with pytest.raises(MisauthoredInput, match=r"^summary: "):
        a_fragment(trail=("A box",))


def test_a_fragment_needs_a_place_and_a_known_review() -> None:
    """R004, R007."""
    with pytest.raises(MisauthoredInput, match=r"^locator: "):
        a_fragment(place=())
    with pytest.raises(MisauthoredInput, match=r"^sourceReview: "):
        a_fragment(source_review="perhaps")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("wrong", [0, -1, True, 5.0, "5", None])
@pytest.mark.parametrize("name", ["ngramWords", "ngramChars", "gistMaxChars"])
def test_lint_values_are_positive_integers(name: str, wrong: object) -> None:
    """R006, R068."""
    values: dict[str, object] = {
        "ngramWords": 5,
        "ngramChars": 12,
        "gistMaxChars": 400,
        name: wrong,
    }

    with pytest.raises(MisauthoredInput, match=rf"^policy\.lint\.{name}: "):
        LintWindow(*values.values())  # pyright: ignore[reportArgumentType]


def test_the_default_window_is_five_words_twelve_characters_four_hundred() -> None:
    """R061, R062, R063."""
    assert LintWindow() == LintWindow(5, 12, 400)


def test_a_projection_has_a_gist_or_a_draft_and_never_both() -> None:
    """R008."""
    passed, failed = a_projection(), a_failed_projection()

    assert (passed.lint, hasattr(passed, "draft")) == ("passed", False)
    assert (failed.lint, hasattr(failed, "gist")) == ("failed", False)


def test_a_projection_knows_two_sources_and_two_reviews() -> None:
    """R008."""
    base = a_projection_base()
    with pytest.raises(MisauthoredInput, match=r"^projection\.source: "):
        ProjectionBase(base.fragment_id, "dreamt", base.review, base.content_hash)  # pyright: ignore[reportArgumentType]
    with pytest.raises(MisauthoredInput, match=r"^projection\.review: "):
        ProjectionBase(base.fragment_id, base.source, "glanced at", base.content_hash)  # pyright: ignore[reportArgumentType]
