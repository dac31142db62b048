"""How many of a question's words a passage holds (R166)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.answering.coverage import (
    coverage,
    covered_fraction,
    meaningful_words,
    quotable_words,
    weighted_coverage,
)
from fonds.contract.embed_string import MAX_EMBED_BYTES
from fonds.contract.locator import Locator
from fonds.contract.question_figures import QuestionFigures
from fonds.words.folding import folded
from tests.answering.hits import text_hit


def test_the_example_of_the_requirement_holds() -> None:
    """R166: {long, borrow, kite} against "Borrowing a kite" is two thirds."""
    assert len(meaningful_words("How long can I borrow a kite?")) == 3
    assert coverage("How long can I borrow a kite?", "Borrowing a kite") == 2 / 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("expires", "expire"),
        ("borrow", "borrowing"),
        ("stories", "story"),
        ("stopped", "stop"),
        ("gardens", "garden"),
        ("houses", "house"),
        ("carried", "carry"),
        ("mühlen", "mühle"),
        ("barcos", "barco"),
        ("книги", "книга"),
        ("الكتاب", "كتاب"),
        ("고양이는", "고양이"),
        ("isobel's", "isobel"),
    ],
)
def test_two_forms_of_a_word_land_together(one: str, other: str) -> None:
    """R166: light suffix folding."""
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"), [("spring", "spry"), ("king", "kit"), ("class", "clan"), ("лет", "лес")]
)
def test_two_words_stay_apart(one: str, other: str) -> None:
    """R166: folding does not erase short words."""
    assert folded(one) != folded(other)


@pytest.mark.parametrize(
    "question", ["What is it and who was he?", "Wer war das?", "Qui est-ce ?", "?!", "何ですか"]
)
def test_a_question_without_a_meaningful_word_covers_nothing(question: str) -> None:
    """R166: coverage 0, which every floor above 0 refuses."""
    assert coverage(question, "What is it? Wer war das? Qui est-ce? 何ですか") == 0.0


def test_a_repeated_word_counts_once() -> None:
    """R166: distinct words."""
    assert coverage("kite kite kite mill", "A kite.") == 0.5


def test_words_of_scripts_without_spaces_are_pairs_of_characters() -> None:
    """R166, C20: particles and question words carry no topic."""
    assert meaningful_words("猫の名前は何ですか") == {"猫", "名前"}
    assert coverage("猫の名前は何ですか", "我が家の猫。名前はまだない。") == 1.0
    assert coverage("猫の名前は何ですか", "水車は売られなかった。") == 0.0
    assert coverage("บ้านไม้", "บ้านไม้หลังเก่า") == 1.0
    assert coverage("风筝是什么时候做的？", "风筝做好了，时候还早。") > 0.5


def test_a_question_in_hiragana_alone_keeps_its_words() -> None:
    """R166: a noun that looks like particles is still a word."""
    assert coverage("かもめはどこ？", "かもめは港にいた。") > 0.5
    assert coverage("かもめはどこ？", "水車は丘にある。") == 0.0


def test_the_author_says_nothing_about_a_passage() -> None:
    """R166: the author stands behind every passage; alone, the name is all there is."""
    asked = "What did Isobel Tarn say about larch?"
    assert coverage(asked, "I used larch. People say it lasts.", author="Isobel Tarn") == 1.0
    assert coverage("Isobel Tarn", "I used larch.", author="Isobel Tarn") == 0.0


def test_title_trail_summary_and_themes_count() -> None:
    """R166: coverage is measured on the embed string."""
    hit = text_hit(
        "borrowing",
        "Two weeks.",
        summary="Terms of the library.",
        place=(Locator("heading", "Borrowing > Kites"),),
        title="Guide",
        themes=("wind",),
    )
    for word in ("guide", "kites", "library", "wind", "weeks"):
        assert coverage(word, quotable_words(hit)) == 1.0


def test_what_is_not_embedded_covers_nothing() -> None:
    """R043, R166: a text without end costs a question no more than an embed string's length."""
    hit = text_hit("borrowing", f"Larch {'wind ' * 40_000}quern")
    words = quotable_words(hit)
    assert (coverage("larch", words), coverage("quern", words)) == (1.0, 0.0)
    assert len(words.encode()) <= MAX_EMBED_BYTES


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=200))
def test_coverage_is_a_share_and_a_text_covers_itself(question: str, passage: str) -> None:
    """R166: identical on both sides, whatever the script."""
    assert 0.0 <= coverage(question, passage) <= 1.0
    if meaningful_words(question):
        assert coverage(question, f"{passage} \n {question}") == 1.0


def test_a_rare_word_weighs_more_than_one_on_every_page() -> None:
    """R166: the gate's coverage counts by rarity, the floor's does not."""
    figures = QuestionFigures(0.0, 0.1, 1.0, 0.0, 2.0, {"harbour": 99, "quern": 1}, 100)
    asked = frozenset(("harbour", "quern"))
    common = weighted_coverage(asked, frozenset(("harbour",)), figures)
    rare = weighted_coverage(asked, frozenset(("quern",)), figures)
    assert 0 < common < 0.01 < 0.99 < rare < 1
    assert covered_fraction(asked, frozenset(("harbour",))) == 0.5
    assert weighted_coverage(asked, asked, figures) == pytest.approx(1)


def test_a_word_no_text_holds_weighs_most() -> None:
    """R166: a question about something absent is covered by little; without words by nothing."""
    figures = QuestionFigures(0.0, 0.1, 1.0, 0.0, 2.0, {"harbour": 50, "zyx": 0}, 100)
    held = frozenset(("harbour",))
    assert weighted_coverage(frozenset(("harbour", "zyx")), held, figures) < 0.2
    assert weighted_coverage(frozenset(), held, figures) == 0.0
