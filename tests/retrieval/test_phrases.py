"""The look-up of phrases agrees with the rule it stands for (R107)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.contract.normalised_text import contains_phrase, normalised_text
from fonds.retrieval.phrases import MAX_RUNS, query_phrases

WORDS = ("now", "snow", "harbour", "notes", "7", "é", "潮", "石は", "灯台", "ก", "a", "石a")
texts = st.lists(st.sampled_from(WORDS), max_size=7).flatmap(
    lambda words: st.sampled_from((" ".join(words), "".join(words), "-".join(words)))
)


@given(query=texts, phrases=st.lists(texts, max_size=6), more=st.sets(st.integers(0, 12)))
def test_a_phrase_is_looked_up_exactly_when_the_question_contains_it(
    query: str, phrases: list[str], more: set[int]
) -> None:
    """R107: over spaced, unspaced and mixed scripts, whatever lengths others have."""
    asked = normalised_text(query)
    stored = [phrase for phrase in map(normalised_text, phrases) if phrase]
    runs = query_phrases(
        asked,
        word_lengths={phrase.count(" ") + 1 for phrase in stored} | more,
        char_lengths={len(phrase) for phrase in stored} | more,
    )
    assert len(set(runs)) == len(runs)
    assert {phrase for phrase in stored if phrase in set(runs)} == {
        phrase for phrase in stored if contains_phrase(asked, phrase)
    }
    assert all(contains_phrase(asked, run) for run in runs)


@pytest.mark.parametrize(
    ("query", "phrase", "found"),
    [
        ("where is the harbour notes book", "harbour notes", True),
        ("let it snow", "now", False),
        ("名前は猫", "猫", False),
        ("名前は猫", "名前", True),
        ("kites 凧", "ite", True),
        ("", "kites", False),
    ],
)
def test_examples_of_looking_up(query: str, phrase: str, found: bool) -> None:
    """R107: "now" is not in "snow"; one character of an unspaced script names nothing."""
    runs = query_phrases(query, word_lengths=(1, 2), char_lengths=(1, 2, 3, 13))
    assert (phrase in runs) == found


def test_runs_stay_within_the_lengths_a_build_has() -> None:
    """The look-up is bounded by what is stored, not by the question's length."""
    words = " ".join(f"w{n}" for n in range(200))
    assert len(query_phrases(words, word_lengths=(2, 3), char_lengths=(9,))) == 199 + 198
    assert query_phrases(words, word_lengths=(), char_lengths=(5,)) == ()
    assert query_phrases("潮" * 50, word_lengths=(1,), char_lengths=()) == ()


def test_a_hostile_question_looks_up_a_bounded_number_of_runs() -> None:
    """The longest question of an unspaced script, against a title of every length there is."""
    question = "".join(chr(0x4E00 + n) for n in range(512))
    runs = query_phrases(question, word_lengths=(), char_lengths=range(1, 513))
    assert MAX_RUNS - 512 < len(runs) <= MAX_RUNS
    assert question[100:102] in runs
    assert len(query_phrases("a b " * 100, word_lengths=range(1, 257), char_lengths=())) <= MAX_RUNS
