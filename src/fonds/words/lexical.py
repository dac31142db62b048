"""What of a text the lexical signal looks up: folded words and how much each says there (R112).

Both sides are cut by the same rule. Where words are unspaced they are pairs of characters, and
single characters of Han, which may be words by themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from fonds.words.folding import folded
from fonds.words.scripts import pieces, readable_text
from fonds.words.stop_words import language_of, stop_words_of
from fonds.words.units import bigrams, meaningful_units, words_in

HEAVIEST: Final = 1023  # what ten bits hold
LONGEST_WORD: Final = 64  # characters; a longer word is known by these
# A question of 512 characters has fewer words than this where words are spaced.
MOST_ASKED: Final = 128
# BM25's two constants. Its mean length is a fixed one, so that a weight depends on one text alone.
_SATURATION: Final = 1.2
_LENGTH_SHARE: Final = 0.75
_USUAL_LENGTH: Final = 80


def weighted_words(text: str) -> Mapping[str, int]:
    """Every word of a passage but its stop words, with a weight from 1 to HEAVIEST.

    The weight rises with how often the word stands there, ever slower, and falls with the length
    of the passage. Words are in code point order.
    """
    counts = Counter(_passage_words(text))
    length = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * counts.total() / _USUAL_LENGTH)
    return {
        word: max(1, round(HEAVIEST * count / (count + length)))
        for word, count in sorted(counts.items())
    }


def asked_words(question: str) -> tuple[str, ...]:
    """The distinct meaningful words of a question in its order, MOST_ASKED at most."""
    units = meaningful_units(readable_text(question))
    return tuple(dict.fromkeys(unit.key[:LONGEST_WORD] for unit in units))[:MOST_ASKED]


def _passage_words(text: str) -> Iterator[str]:
    readable = readable_text(text)
    found = pieces(readable)
    spaced = [word for piece in found if piece.script == "spaced" for word in words_in(piece)]
    stops = stop_words_of(language_of(spaced))
    for word in spaced:
        if word not in stops and (len(word) > 1 or word.isdigit()):
            yield folded(word)[:LONGEST_WORD]
    for piece in found:
        if piece.script == "spaced":
            continue
        yield from bigrams(piece.surface)
        if piece.script == "han" or len(piece.surface) == 1:
            yield from piece.surface
