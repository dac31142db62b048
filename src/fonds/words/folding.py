"""Folds the forms of a word together, lightly and the same on both sides of a comparison (R166).

The result need not be a stem a linguist would accept: two forms of one word have to meet.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from fonds.contract.normalised_text import without_marks

_LAST_MARKED = (
    0x0700  # Latin, Greek, Cyrillic, Hebrew, Arabic: marks are accents or optional vowels
)
_SHORTEST = 3
_VOWEL = re.compile(r"[aeiouyæøœ]")
_LATIN = re.compile(r"[a-zæœøßðþđłı]+")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
_ARABIC = re.compile(r"[\u0600-\u06ff]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_ENDINGS: Final = ("ing", "ern", "est", "ed", "en", "er", "em", "ly")
_CYRILLIC_ENDING = re.compile(
    r"(?:ами|ями|ого|его|ому|ему|ыми|ими|ов|ев|еи|ои|ии|ыи|ая|яя|ое|ее|ые|ие|ах|ях|ам|ям|ом|ем"
    r"|ую|юю|[аеиоуыэюяь])$"
)
_ARABIC_PREFIX = re.compile(r"^(?:وال|بال|كال|فال|لل|ال)(?=.{3})")
_ARABIC_ENDING = re.compile(r"(?<=.{3})(?:ات|ون|ين|ها|ه|ة)$")
_HANGUL_PARTICLE = re.compile(
    r"(?<=..)(?:에서는|에서|에게|으로|까지|부터|이다|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")


@lru_cache(maxsize=16_384)
def folded(word: str) -> str:
    """`word`, lower case and normalised, without the endings that inflect it."""
    plain = without_marks(word) if word and ord(max(word)) < _LAST_MARKED else word
    plain = re.sub(r"['’]s?$", "", plain)
    if _LATIN.fullmatch(plain):
        return _folded_latin(plain)
    if _CYRILLIC.fullmatch(plain):
        shorter = _CYRILLIC_ENDING.sub("", plain)
        return shorter if len(shorter) >= _SHORTEST else plain
    if _ARABIC.fullmatch(plain):
        return _ARABIC_ENDING.sub("", _ARABIC_PREFIX.sub("", plain))
    if _HANGUL.fullmatch(plain):
        return _HANGUL_PARTICLE.sub("", _HANGUL_PARTICLE.sub("", plain))
    return plain


@lru_cache(maxsize=4_096)
def name_key(word: str) -> str:
    """A name without its possessive and its accents; nothing else of a name is folded away."""
    plain = without_marks(word.lower()) if word and ord(max(word)) < _LAST_MARKED else word
    plain = re.sub(r"['’]s?$", "", plain)
    return plain[:-1] if len(plain) > _SHORTEST and plain.endswith("s") else plain


def _folded_latin(word: str) -> str:
    stem = _without_plural(word)
    for _ in range(3):
        shorter = _without_ending(stem)
        if shorter == stem:
            break
        stem = shorter
    if len(stem) > _SHORTEST and stem[-1] in "aeo":
        stem = stem[:-1]
    if len(stem) > _SHORTEST:
        stem = _DOUBLED.sub(r"\1", stem)
    return stem[:-1] + "i" if len(stem) > 2 and stem.endswith("y") else stem


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:s|x|z|ch|sh)es$", word) and len(word) > 4:
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss") and len(word) > _SHORTEST:
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _SHORTEST and _VOWEL.search(rest):
            return _DOUBLED.sub(r"\1", rest)
    return word
