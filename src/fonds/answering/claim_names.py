"""Proper names of a sentence that its source does not hold (R152).

What marks a name differs by script: a capital, a Katakana run, a run of Han characters. Scripts
without any mark are left to the floor of content words.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from fonds.words.folding import folded, name_key
from fonds.words.scripts import HAN, KANA, Piece, pieces
from fonds.words.stop_words import stop_words_of

if TYPE_CHECKING:
    from fonds.answering.claim_source import ClaimSource

NOUN_CAPITALS: Final = 0.25
"""Share of capitals among words in mid-sentence from which a text is read as capitalising nouns.
English prose lies near .08, German near .35."""

_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:…]\s*|[\"“„«‘(\[*•-]\s*)$")
# Endings that names rarely have: a sentence may start with a common word of the writer's own.
_COMMON_ENDING: Final = re.compile(
    r"(?:ing|ed|ly|s|tion|ment|ness|ity|ance|ence|able|ible|ful|less|ous|ive|er|est|ung|heit|keit|lich"
    r"|isch|mente|ción|dad|eux|euse|ement)$"
)
_VERB_TAIL: Final = frozenset("しすさせ")
_COMPOUND_LENGTH: Final = 4


def unsupported_names(
    text: str, source: ClaimSource, figures: tuple[tuple[int, int], ...] = ()
) -> int:
    """How many names of a readable sentence the source does not hold.

    What stands inside one of its `figures` is a month, a numeral or a unit, and checked as such.
    """
    words = _outside(figures, pieces(text))
    stops = stop_words_of(source.language)
    missing = 0
    for position, word in enumerate(words):
        following = words[position + 1] if position + 1 < len(words) else None
        match word.script:
            case "spaced":
                missing += _is_missing_capital(word, following, text, source, stops)
            case "katakana":
                missing += len(word.surface) > 1 and word.surface not in source.text
            case "han":
                missing += _is_missing_run(word, following, source)
            case _:
                pass
    return missing


def _outside(figures: tuple[tuple[int, int], ...], words: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The words and parts of words that lie in none of the spans."""
    kept: list[Piece] = []
    for word in words:
        start = max((e for s, e in figures if s <= word.start < e), default=word.start)
        end = min((s for s, _ in figures if word.start < s < word.end), default=word.end)
        if start < min(end, word.end):
            surface = word.surface[start - word.start : min(end, word.end) - word.start]
            kept.append(Piece(surface, word.script, start, end))
    return tuple(kept)


def capital_share(text: str) -> float:
    """Capitalised words among the cased words that start no sentence."""
    cased = capitals = 0
    for word in pieces(text):
        first = word.surface[0]
        if word.script != "spaced" or first.lower() == first.upper():
            continue
        if _SENTENCE_START.search(text[max(0, word.start - 4) : word.start]):
            continue
        cased += 1
        capitals += first.isupper()
    return capitals / cased if cased else 0.0


def _is_missing_capital(
    word: Piece, following: Piece | None, text: str, source: ClaimSource, stops: frozenset[str]
) -> bool:
    surface = word.surface
    if not surface[0].isupper() or surface.lower() in stops or name_key(surface) in source.names:
        return False
    if folded(surface.lower()) in source.keys:
        return False
    if _starts_sentence(word, text):
        # The first word is a name when a name goes on after it, or when nothing says it is common.
        goes_on = following is not None and following.surface[0].isupper()
        adjacent = following is not None and text[word.end : following.start] == " "
        if not (goes_on and adjacent) and _COMMON_ENDING.search(surface.lower()):
            return False
    return not (source.capitalises_nouns and _is_compound(surface.lower(), source))


def _starts_sentence(word: Piece, text: str) -> bool:
    before = text[: word.start].rstrip()
    return not before or _SENTENCE_START.search(before) is not None


def _is_compound(word: str, source: ClaimSource) -> bool:
    """A noun built on, or taken out of, a word of the source: Mühlenrad and Mühle."""
    stem = folded(word)
    return any(
        len(key) >= _COMPOUND_LENGTH
        and (stem.startswith(key) or (len(stem) >= _COMPOUND_LENGTH and key.startswith(stem)))
        for key in source.keys
    )


def _is_missing_run(word: Piece, following: Piece | None, source: ClaimSource) -> bool:
    """Whether two neighbouring characters of a Han run are both foreign to the source.

    In Japanese a run is a noun and its pairs have to be known, unless it heads a verb; in Chinese
    a run is a whole clause, so that only characters the source lacks altogether tell a name.
    """
    if not KANA.search(source.text):
        return re.search("1.?1|11", _marked(word.surface, source.text)) is not None
    heads_verb = (
        following is not None
        and following.script == "hiragana"
        and following.start == word.end
        and following.surface[0] in _VERB_TAIL
    )
    if heads_verb:
        return False
    # A character that stands alone somewhere in the source is a word of its own.
    known = [_stands_alone(character, source.text) for character in word.surface]
    for i in range(len(word.surface) - 1):
        if word.surface[i : i + 2] in source.text:
            known[i] = known[i + 1] = True
    return any(not (a or b) for a, b in pairwise(known))


def _stands_alone(character: str, text: str) -> bool:
    return re.search(rf"(?<![{HAN}]){character}(?![{HAN}])", text) is not None


def _marked(run: str, text: str) -> str:
    return "".join("0" if character in text else "1" for character in run)
