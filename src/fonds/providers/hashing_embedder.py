"""The `hashing` space: shared words and word parts, and nothing else (design decision 7).

It knows no meaning: "car" and "automobile" have nothing in common here. It needs no weights and no
key, and gives the same vector on every machine, which is what platforms without the local model's
wheel and fast tests want of it.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import QueryRefused
from fonds.contract.normalised_text import has_unspaced_script, normalised_text
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.contract.search_request import NO_WORDS
from fonds.providers.embed_checks import checked_query, embed_clean, query_vector, unit_vector

HASHING_MODEL = "words-trigrams-blake2b-1"  # change it with anything that changes a vector
HASHING_DIMENSIONS = 384
# Measured by tests/providers/test_the_hashing_space_is_lexical.py on the 220 pairs of
# eval/centring/sentences: .15 keeps 82% of the answering passages and 7% of all others; .1 keeps
# 90% and 18%, .2 keeps 72% and 2%.
HASHING_SCORE_FLOOR = 0.15
FULL_WORD = 6  # letters; shorter words weigh less, since most of what says little is short
WORD_WEIGHT = 1.0
TRIGRAM_WEIGHT = 0.3  # a word has several: together about as heavy as the word itself


class HashingEmbedder:
    """Signed hashing of words, character trigrams, and bigrams where words are not spaced."""

    def __init__(self) -> None:
        self._space = EmbeddingSpace(
            provider="hashing",
            model=HASHING_MODEL,
            dimensions=HASHING_DIMENSIONS,
            default_floor=HASHING_SCORE_FLOOR,
        )

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        """One vector a text, in order; a text without a letter or digit is refused by position."""
        return embed_clean(texts, lambda kept: [_hashed(text) for text in kept])

    def embed_query(self, text: str) -> Vector:
        """Raises QueryRefused for a question without text, and for one of punctuation alone."""
        hashed = _hashed(checked_query(text))
        if hashed == NO_WORDS:
            raise QueryRefused("q", NO_WORDS)
        return query_vector([hashed])


def _hashed(text: str) -> Vector | str:
    counts = Counter(_features(normalised_text(text)))
    if not counts:
        return NO_WORDS
    values: NDArray[np.float64] = np.zeros(HASHING_DIMENSIONS)
    for (kind, feature), count in counts.items():
        digest = hashlib.blake2b(f"{kind}:{feature}".encode(), digest_size=8).digest()
        place = int.from_bytes(digest[:4], "big") % HASHING_DIMENSIONS
        sign = 1.0 if digest[4] & 1 else -1.0
        weight = TRIGRAM_WEIGHT if kind == "trigram" else _word_weight(feature)
        # Sublinear: a word said ten times is not ten times the subject.
        values[place] += sign * weight * (1.0 + math.log(count))
    return unit_vector(values)


def _features(normalised: str) -> Iterator[tuple[str, str]]:
    for word in normalised.split():
        if has_unspaced_script(word):
            yield from (("word", word[i : i + 2]) for i in range(max(1, len(word) - 1)))
            continue
        yield "word", word
        framed = f"^{word}$"
        yield from (("trigram", framed[i : i + 3]) for i in range(len(framed) - 2))


def _word_weight(word: str) -> float:
    if has_unspaced_script(word):
        return WORD_WEIGHT
    return WORD_WEIGHT * min(1.0, len(word) / FULL_WORD)
