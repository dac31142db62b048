"""The meaningful units of a text: folded words, or bigrams where words are unspaced (R166)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from fonds.words.folding import folded
from fonds.words.scripts import KANA, Piece, pieces, readable_text
from fonds.words.stop_words import (
    CHINESE_STOPS,
    HIRAGANA_STOPS,
    OKURIGANA,
    QUESTION_HAN,
    Language,
    language_of,
    stop_words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_HIRAGANA_STOP: Final = re.compile("|".join(map(re.escape, HIRAGANA_STOPS)))
_LONG_HIRAGANA_STOP: Final = re.compile(
    "|".join(re.escape(stop) for stop in HIRAGANA_STOPS if len(stop) > 1)
)
_HAN_CONTENT: Final = re.compile(f"[^{''.join(sorted(QUESTION_HAN))}]+")
_CHINESE_CONTENT: Final = re.compile(f"[^{''.join(sorted(CHINESE_STOPS))}]+")


class Unit(NamedTuple):
    """`key` is what is compared; the offsets are of the readable text it was found in."""

    key: str
    start: int
    end: int


def meaningful_units(text: str, language: Language | None = None) -> tuple[Unit, ...]:
    """Units of a readable text in order, without stop words of its language (guessed when None)."""
    found = pieces(text)
    language = language or language_of(words_of(found))
    stops = stop_words_of(language)
    han = _HAN_CONTENT if KANA.search(text) else _CHINESE_CONTENT
    units: list[Unit] = []
    for before, piece in zip((None, *found), found, strict=False):
        match piece.script:
            case "spaced":
                units.extend(_word_units(piece, stops))
            case "han":
                units.extend(_run_units(piece, han))
            case "hiragana":
                units.extend(_hiragana_units(piece, before, _HIRAGANA_STOP))
            case _:
                units.extend(_bigram_units(piece.surface, piece.start))
    return tuple(units) or _hiragana_alone(found)


def all_units(text: str) -> frozenset[str]:
    """Keys of every unit of a text, stop words included: the side a question is looked up in."""
    readable = readable_text(text)
    keys: set[str] = set()
    for piece in pieces(readable):
        if piece.script == "spaced":
            keys |= {folded(part) for part in words_in(piece)}
        else:
            keys |= set(piece.surface) | set(bigrams(piece.surface))
    return frozenset(keys)


def words_of(found: tuple[Piece, ...]) -> tuple[str, ...]:
    """The spaced words in lower case, elided articles and contractions apart."""
    return tuple(part for piece in found if piece.script == "spaced" for part in words_in(piece))


def words_in(piece: Piece) -> list[str]:
    """The words of a spaced piece in lower case; an elided article stands apart."""
    word = piece.surface.lower().replace("’", "'")
    head, mark, tail = word.partition("'")
    if mark and len(head) <= 2 and len(tail) > 2:
        return [head, tail]  # l'archive, d'une
    return [head] if mark else [word]


def _word_units(piece: Piece, stops: frozenset[str]) -> Iterator[Unit]:
    for word in words_in(piece):
        if word not in stops and (len(word) > 1 or word.isdigit()):
            yield Unit(folded(word), piece.start, piece.end)


def _run_units(piece: Piece, content: re.Pattern[str]) -> Iterator[Unit]:
    for run in content.finditer(piece.surface):
        yield from _bigram_units(run.group(), piece.start + run.start())


def _hiragana_units(piece: Piece, before: Piece | None, stop: re.Pattern[str]) -> Iterator[Unit]:
    """What particles and endings leave of a Hiragana run; one character alone tells nothing."""
    last = 0
    if before is not None and before.script == "han" and before.end == piece.start:
        while last < len(piece.surface) and piece.surface[last] in OKURIGANA:
            last += 1
    ends = [(found.start(), found.end()) for found in stop.finditer(piece.surface, last)]
    for start, end in [*ends, (len(piece.surface), len(piece.surface))]:
        if start - last > 1:
            yield from _bigram_units(piece.surface[last:start], piece.start + last)
        last = end


def _hiragana_alone(found: tuple[Piece, ...]) -> tuple[Unit, ...]:
    """A text whose only content looks like particles keeps its Hiragana, long endings apart."""
    return tuple(
        unit
        for piece in found
        if piece.script == "hiragana"
        for unit in _hiragana_units(piece, None, _LONG_HIRAGANA_STOP)
    )


def _bigram_units(run: str, offset: int) -> Iterator[Unit]:
    if len(run) == 1:
        yield Unit(run, offset, offset + 1)
    for position, pair in enumerate(bigrams(run)):
        yield Unit(pair, offset + position, offset + position + 2)


def bigrams(run: str) -> list[str]:
    """Every pair of neighbours."""
    return [run[i : i + 2] for i in range(len(run) - 1)]
