"""Headings, page marks and long pieces: every example of R030-R032 and R025."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.failures import MisauthoredInput
from fonds.contract.locator import Locator, locator_key
from fonds.ingestion.fragmenting import Piece, heading_pieces, page_pieces, split_long
from fonds.ingestion.plain_text import plain_blocks

CHAPTER_3 = (Locator("chapter", "3"),)


def cut(markdown: str, title: str = "Low Tide") -> list[Piece]:
    return heading_pieces(plain_blocks(markdown), title)


def keys(markdown: str, title: str = "Low Tide") -> list[str]:
    return [locator_key(piece.place) for piece in cut(markdown, title)]


def test_chapters_interludes_and_the_front_have_their_keys() -> None:
    """R030, first example."""
    text = "Intro text\n\n# Chapter 1\n\nA\n\n## Interlude\n\nB\n\n# CHAPTER XII\n\nC"
    assert keys(text) == ["sfront", "ch1", "s2", "ch12"]
    assert [(piece.heading, piece.text) for piece in cut(text)] == [
        ("", "Intro text"),
        ("Chapter 1", "A"),
        ("Interlude", "B"),
        ("CHAPTER XII", "C"),
    ]


def test_parts_stand_before_the_chapters_that_follow() -> None:
    """R030: two chapters of one number under two parts do not clash."""
    text = "# Part 1\n\n## Chapter 2\n\nA\n\n# Part 2\n\nBetween.\n\n## Chapter 2\n\nB"
    text += "\n\n# Book IV\n\n# Ch. 1\n\nC"
    assert keys(text) == ["part1.ch2", "part2", "part2.ch2", "part4.ch1"]


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("Chapter 12 ##", "ch12"),
        ("CH. XII", "ch12"),
        ("ch 7: The Gate", "ch7"),
        ("Chapter IV. The Gate", "ch4"),
        ("chapter iv", "ch4"),
        ("Chapter I The Gate", "ch1"),
        ("Chapter 007", "ch7"),
        ("Chapter MCMXCIX", "ch1999"),
        ("*Chapter* **3**", "ch3"),
        ("Part II", "part2"),
        ("Book 3 - Salt", "part3"),
        ("Book Civil Wars", "s1"),
        ("Book I loved", "s1"),
        ("Part Mix Tape", "s1"),
        ("Chapter IIII", "s1"),
        ("Chapter VX", "s1"),
        ("Chapter One", "s1"),
        ("Chapter 3rd", "s1"),
        ("Chapter", "s1"),
        ("Chapters 3", "s1"),
        ("Chapter 1234567", "s1"),
        ("Chapter ٣", "s1"),
    ],
)
def test_a_number_is_digits_or_a_well_formed_numeral(heading: str, key: str) -> None:
    """R030: `Book Civil Wars` is a section, never `part:CIVIL`."""
    assert keys(f"# {heading}\n\nText.") == [key]


@settings(max_examples=60, deadline=None)
@given(st.from_regex(r"[A-Za-z ]{0,12}[ivxlcdmIVXLCDM]{0,6}[ a-z.]{0,8}", fullmatch=True))
def test_no_word_of_a_heading_stands_in_a_locator(heading: str) -> None:
    for piece in cut(f"# {heading}\n\nText."):
        for step in piece.place:
            assert step.value == "front" or step.value.isdecimal()


def test_fenced_code_deeper_headings_and_scene_breaks_do_not_cut() -> None:
    """C18: only level 1 and 2, only outside fences; prose over a rule is prose."""
    text = "# Chapter 1\n\n```\n# no\n```\n\n### Deeper\n\nA line\n---\n\n> # Quoted\n\nEnd."
    (piece,) = cut(text)
    assert piece.text == "Deeper\n\nA line\n\nQuoted\n\nEnd."


def test_the_title_page_is_dropped_and_not_counted() -> None:
    """R023: a leading heading equal to the title, whatever its case."""
    assert keys("# low  TIDE\n\nFor M.\n\n# Chapter 1\n\nA\n\n# Coda\n\nB") == [
        "sfront",
        "ch1",
        "s2",
    ]
    assert cut("# Low Tide\n\nFor M.")[0].heading == ""
    assert keys("Before.\n\n# Low Tide\n\nA") == ["sfront", "s1"]


def test_a_heading_without_text_makes_no_piece_and_is_counted() -> None:
    assert keys("# One\n\n# Two\n\nA") == ["s2"]
    assert keys("# One\n\n# Two") == []


def test_form_feeds_start_pages_and_blank_ones_are_counted() -> None:
    """R031, its example."""
    pages = page_pieces("a\fb\f\fd", 183)
    assert [(locator_key(p.place), p.text, p.heading) for p in pages] == [
        ("p183", "a", ""),
        ("p184", "b", ""),
        ("p186", "d", ""),
    ]


def test_page_marks_start_pages_where_there_is_no_form_feed() -> None:
    """R031: text before the first is the front."""
    body = "Half title\n<<<page xii>>>\n# Still a page\n <<<page A-12>>> \nB\n"
    body += "<<<page 3.2>>>\n<<<page 184>>>\nC"
    assert [(locator_key(p.place), p.text) for p in page_pieces(body, 1)] == [
        ("sfront", "Half title"),
        ("pxii", "Still a page"),
        ("pA-12", "B"),
        ("p184", "C"),
    ]
    assert [locator_key(p.place) for p in page_pieces("no mark", 1)] == ["sfront"]


@pytest.mark.parametrize("label", ["a_b", "p;1", "x" * 33, "", "zebra crossing"])
def test_a_page_mark_that_is_no_label_is_refused_by_position(label: str) -> None:
    """R025: without an echo."""
    with pytest.raises(MisauthoredInput) as refusal:
        page_pieces(f"<<<page 1>>>\nA\n<<<page {label}>>>\nB", 1)
    assert "page mark 2" in str(refusal.value)
    assert "zebra" not in str(refusal.value)


def test_a_long_piece_is_cut_between_paragraphs() -> None:
    """R032, first example."""
    parts = split_long(CHAPTER_3, "alpha beta\n\ngamma\n\ndelta epsilon zeta", 18)
    assert [(locator_key(place), text) for place, text in parts] == [
        ("ch3.s1", "alpha beta\n\ngamma"),
        ("ch3.s2", "delta epsilon zeta"),
    ]


def test_a_long_paragraph_is_cut_at_the_last_space_within_the_limit() -> None:
    """R032, second example, and text without spaces."""
    assert [t for _, t in split_long(CHAPTER_3, "one two three four five", 9)] == [
        "one two",
        "three",
        "four five",
    ]
    assert [t for _, t in split_long(CHAPTER_3, "祖母は毎朝六時に起きて", 5)] == [
        "祖母は毎朝",
        "六時に起き",
        "て",
    ]
    assert [t for _, t in split_long(CHAPTER_3, "a\nbb\nccc", 4)] == ["a\nbb", "ccc"]


def test_a_section_is_divided_into_paragraphs() -> None:
    section = (Locator("section", "2"),)
    assert [locator_key(place) for place, _ in split_long(section, "aa bb", 2)] == [
        "s2.para1",
        "s2.para2",
    ]


def test_what_fits_stays_as_it_is() -> None:
    assert split_long(CHAPTER_3, "12345678", 8) == [(CHAPTER_3, "12345678")]


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.text(alphabet="ab 祖", min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=6
    ),
    st.integers(1, 30),
)
def test_no_part_is_over_the_limit_and_no_letter_is_lost(paragraphs: list[str], limit: int) -> None:
    """R032: and never mid-word when a space stands within the limit."""
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    parts = [part for _, part in split_long(CHAPTER_3, text, limit)]
    assert all(0 < len(part) <= limit for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
    words = set(text.split())
    for part in parts:
        if max(map(len, words)) <= limit:
            assert set(part.split()) <= words
