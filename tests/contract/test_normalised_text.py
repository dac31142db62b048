"""What a comparison relies on (R060, R107)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fonds.contract.normalised_text import (
    contains_phrase,
    has_unspaced_script,
    normalised_text,
    without_marks,
)


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("Café - Déjà vu, 2026!", "café déjà vu 2026"),
        ("  A\tb\u00a0c\u2028d_e ", "a b c d e"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ ①", "full width 1"),
        ("ﬁve", "five"),
        ("", ""),
        ("—…!", ""),
        ("İstanbul", "i\u0307stanbul"),
    ],
)
def test_text_is_folded_to_letters_numbers_and_single_spaces(written: str, compared: str) -> None:
    """R060."""
    assert normalised_text(written) == compared


@pytest.mark.parametrize(
    "invisible",
    [
        *("\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u034f", "\u3164", "\ufe0f"),
        *("\u115f", "\u2065", "\ufff4", "\U000e0041", "\U000e0100", "\U000e0fff", "\U000e0000"),
    ],
)
def test_an_invisible_character_splits_no_word(invisible: str) -> None:
    """R060: format characters and default-ignorable code points, unassigned ones included."""
    assert normalised_text(f"pi{invisible}ano") == "piano"


@pytest.mark.parametrize("mark", ["\u0301", "\u0336", "\u20dd", "\u0489"])
def test_the_second_reading_has_no_marks(mark: str) -> None:
    """R060."""
    assert without_marks(normalised_text(f"pia{mark}no")) == "piano"


def test_a_mark_that_stands_alone_leaves_no_gap_in_the_second_reading() -> None:
    """R060: the acute accent of its own is a space and a mark after NFKC."""
    assert without_marks(normalised_text("the \u00b4 piano")) == "the piano"


@given(st.text(max_size=40))
@example("\u00b4")
@example("\u1e9b\u0323")
@example("\u0345\u03b1")
def test_normalising_twice_changes_nothing(text: str) -> None:
    """R060."""
    once = normalised_text(text)

    assert normalised_text(once) == once


@given(st.text(max_size=40))
def test_only_letters_numbers_marks_and_single_spaces_remain(text: str) -> None:
    """R060."""
    for reading in (normalised_text(text), without_marks(normalised_text(text))):
        assert reading == " ".join(reading.split())
        assert all(c == " " or unicodedata.category(c)[0] in "LNM" for c in reading)


@pytest.mark.parametrize("text", ["柿", "かき", "カキ", "ｶｷ", "ลูกพลับ", "ໝາກ", "ផ្លែ", "သစ်သီး", "a柿"])
def test_scripts_without_spaces_between_words_are_known(text: str) -> None:
    """R062."""
    assert has_unspaced_script(text)


@pytest.mark.parametrize("text", ["", "piano", "пианино", "피아노", "פסנתר", "पियानो", "12 1/2"])
def test_scripts_with_spaces_are_not_among_them(text: str) -> None:
    """R062."""
    assert not has_unspaced_script(text)


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        ("the snow fell", "now", False),
        ("now or never", "now", True),
        ("mina okafor", "okafor", True),
        ("mina okafor", "oka", False),
        ("a b", "", False),
        ("", "", False),
        ("庭の柿の木", "柿の", True),
        ("庭の柿の木", "柿", False),
        ("庭のsnow", "now", True),
        ("harbour notes", "harbour notes", True),
    ],
)
def test_a_phrase_is_whole_words_or_two_unspaced_characters(
    text: str, needle: str, found: bool
) -> None:
    """R107."""
    assert contains_phrase(text, needle) is found
