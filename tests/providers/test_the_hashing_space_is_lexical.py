"""The hashing space: deterministic, made of words and word parts, honest about it."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.centring.sentences import languages
from fonds.contract.failures import QueryRefused
from fonds.providers.hashing_embedder import HASHING_SCORE_FLOOR, HashingEmbedder

HASHING = HashingEmbedder()


def cosine(question: str, passage: str) -> float:
    (found,) = HASHING.embed_passages([passage]).vectors
    assert found is not None
    return float(np.dot(HASHING.embed_query(question), found))


def test_the_vectors_are_the_same_on_every_machine() -> None:
    """A change of any vector is another space: change HASHING_MODEL with this figure."""
    vector = HASHING.embed_query("Who mended the weir? 堰を直したのは誰か")
    rounded = json.dumps([round(value, 9) + 0.0 for value in vector])
    assert hashlib.sha256(rounded.encode()).hexdigest()[:16] == "57dadbb6316d1994"


def test_the_space_says_what_it_is() -> None:
    """Nobody takes it for a model."""
    assert HASHING.space.provider == "hashing"
    assert HASHING.space.model == "words-trigrams-blake2b-1"
    assert HASHING.space.default_floor == HASHING_SCORE_FLOOR


def test_shared_words_count_and_meaning_does_not() -> None:
    """What it can do, and what it cannot."""
    assert cosine("mending a weir", "The weir was mended in spring.") > HASHING_SCORE_FLOOR
    assert cosine("automobile repair", "He fixed her car.") < HASHING_SCORE_FLOOR


def test_an_inflected_word_is_near_its_stem() -> None:
    """The trigrams are at work."""
    assert cosine("harvesting", "harvested") > cosine("harvesting", "navigated") + 0.2


def test_a_script_without_spaces_matches_by_bigrams() -> None:
    """C20: a clause is not one word."""
    assert cosine("猫の名前", "吾輩は猫である。名前はまだ無い。") > HASHING_SCORE_FLOOR
    assert cosine("電車の時刻", "吾輩は猫である。名前はまだ無い。") < HASHING_SCORE_FLOOR


def test_case_and_invisible_characters_change_nothing() -> None:
    """R060: compared as normalised."""
    assert HASHING.embed_query("The WE\u00adIR") == HASHING.embed_query("the weir")


def test_the_floor_lets_most_answers_through_and_few_others() -> None:
    """The measurement behind HASHING_SCORE_FLOOR, on the sentences of the centring."""
    right: list[float] = []
    others: list[float] = []
    first = 0
    for language in languages():
        passages = np.array(HASHING.embed_passages(language.passages).vectors)
        table = np.array([HASHING.embed_query(q) for q in language.questions]) @ passages.T
        own = np.eye(len(table), dtype=bool)
        right.extend(table[own].tolist())
        others.extend(table[~own].tolist())
        first += int((table.argmax(axis=1) == np.arange(len(table))).sum())
    kept = np.mean(np.array(right) >= HASHING_SCORE_FLOOR)
    let_in = np.mean(np.array(others) >= HASHING_SCORE_FLOOR)
    assert (round(float(kept), 2), round(float(let_in), 2), first) == (0.82, 0.07, 178)


@given(st.text("ab ?!é猫。\x00\u200b\ud800", max_size=40))
@settings(max_examples=80, deadline=None)
def test_every_text_has_a_unit_vector_or_a_reason(text: str) -> None:
    """R044: never a zero vector, never one without length."""
    outcome = HASHING.embed_passages([text])
    (vector,) = outcome.vectors
    if vector is None:
        assert [position for position, _ in outcome.refused] == [0]
    else:
        assert np.linalg.norm(vector) == pytest.approx(1.0)
        assert outcome.refused == ()


def test_a_question_without_words_is_refused() -> None:
    """R044: blank before, punctuation alone after normalisation."""
    with pytest.raises(QueryRefused):
        HASHING.embed_query(" \n")
    with pytest.raises(QueryRefused, match="no letters or digits"):
        HASHING.embed_query("?!")
