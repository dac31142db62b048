"""The lint finds any run wherever it stands, and no run that is not there (R060-R062)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.boundary.runs import PrivateRuns, Run
from fonds.contract.entity import LintWindow
from fonds.contract.normalised_text import has_unspaced_script, normalised_text, without_marks

WORDS = ("a", "the", "sea", "é", "stair", "Straße", "Ölçü", "piano", "naïve", "12", "пальто")
words = st.lists(st.sampled_from(WORDS), max_size=14)
breaks = st.sampled_from([" ", "  ", "\n", ", ", " — ", "\u00a0", "\t", "…", "\u2028", "_"])
hidden = st.sampled_from(["", "", "\u00ad", "\u200b", "\ufe0f", "\u0301", "\u0336"])


@st.composite
def disguised(draw: st.DrawFn, run: list[str]) -> str:
    """The same words, as someone would write them who hopes that nobody compares."""
    written: list[str] = []
    for word in run:
        cased = draw(st.sampled_from([word, word.upper() if word.isascii() else word]))
        formed = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), cased)
        cut = draw(st.integers(1, len(formed)))
        written.append(formed[:cut] + draw(hidden) + formed[cut:] + draw(breaks))
    return "".join(written)


@settings(max_examples=150, deadline=None)
@given(st.data(), words, st.lists(st.sampled_from(WORDS), min_size=5, max_size=5), words, words)
def test_five_words_are_found_wherever_they_are_planted(
    data: st.DataObject, before: list[str], run: list[str], after: list[str], around: list[str]
) -> None:
    """R060, R061: in any case, composition and punctuation, through invisible marks."""
    private = PrivateRuns(" ".join([*before, *run, *after]), LintWindow())
    tested = " ".join(around) + " " + data.draw(disguised(run)) + " ".join(around)

    found = private.shared_run(tested)

    assert found is not None
    assert found.unit == "words"
    assert found.last - found.first == 4
    assert 1 <= found.first <= found.last <= len(normalised_text(tested).split())


CHARACTERS = st.text(st.sampled_from("柿の木庭水abc 、ガか\u3099"), max_size=24)


def slow_answer(text: str, tested: str, window: LintWindow) -> Run | None:
    """The requirement said plainly: both readings, words, then characters where they count."""
    unspaced = has_unspaced_script(normalised_text(text) + normalised_text(tested))
    marked = normalised_text(text), normalised_text(tested)
    for own, other in (marked, (without_marks(marked[0]), without_marks(marked[1]))):
        sides = [("words", window.ngram_words, own.split(), other.split())]
        if unspaced:
            joined = list(own.replace(" ", "")), list(other.replace(" ", ""))
            sides.append(("characters", window.ngram_chars, *joined))
        for unit, size, ours, theirs in sides:
            known = [ours[at : at + size] for at in range(len(ours) - size + 1)]
            for at in range(len(theirs) - size + 1):
                if theirs[at : at + size] in known:
                    return Run("words" if unit == "words" else "characters", at + 1, at + size)
    return None


@settings(max_examples=300, deadline=None)
@given(CHARACTERS | words.map(" ".join), CHARACTERS | words.map(" ".join))
def test_the_answer_is_the_slow_one(text: str, tested: str) -> None:
    """R060-R062: no run is missed and none is invented, with small windows that often meet."""
    window = LintWindow(ngram_words=2, ngram_chars=4)

    assert PrivateRuns(text, window).shared_run(tested) == slow_answer(text, tested, window)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_strings_can_be_compared(text: str, tested: str) -> None:
    """A hostile file is text like any other."""
    window = LintWindow(ngram_words=1, ngram_chars=2)

    assert PrivateRuns(text, window).shared_run(tested) == slow_answer(text, tested, window)


@settings(max_examples=200, deadline=None)
@given(CHARACTERS, st.lists(CHARACTERS, max_size=2), st.lists(CHARACTERS, max_size=2), CHARACTERS)
def test_what_quotes_a_fragment_quotes_its_entity(
    fragment: str, before: list[str], after: list[str], tested: str
) -> None:
    """R063: the text of an entity holds each fragment's whole, whatever stands around it."""
    window = LintWindow(ngram_words=2, ngram_chars=4)
    whole = PrivateRuns("\n\n".join([*before, fragment, *after]), window)

    if PrivateRuns(fragment, window).shared_run(tested) is not None:
        assert whole.shared_run(tested) is not None


def test_a_bit_table_that_knows_everything_invents_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash collision costs a look at the text and never a verdict."""
    monkeypatch.setattr("fonds.boundary.runs.hash", lambda window: 0, raising=False)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    private = PrivateRuns("we sold the piano in march", LintWindow())

    assert private.shared_run("nobody would ever sell a harp") is None
    assert private.shared_run("they sold the piano in march") == Run("words", 2, 6)


def test_words_are_whole_on_both_ends() -> None:
    """R061: "resold the piano in marches" shares three words."""
    private = PrivateRuns("we sold the piano in march", LintWindow())

    assert private.shared_run("resold the piano in march") is None
    assert private.shared_run("sold the piano in marches") is None


def test_a_run_may_cross_the_end_of_a_fragment() -> None:
    """R063: a sentence that a page break cuts is still one sentence."""
    private = PrivateRuns("we sold the\n\npiano in march", LintWindow())

    assert private.shared_run("sold the piano in march") == Run("words", 1, 5)


def test_a_book_of_a_megabyte_and_two_thousand_labels_is_read_once() -> None:
    """A second lint of the same text costs the strings and not the text."""
    text = " ".join(f"w{number * 7919 % 10007} café" for number in range(90_000))
    private = PrivateRuns(text, LintWindow())

    labels = [f"w{number} label number {number} of the second book" for number in range(2000)]
    assert len(text) > 900_000
    assert [private.shared_run(label) for label in labels] == [None] * 2000
    assert private.shared_run(text[-60:]) is not None
