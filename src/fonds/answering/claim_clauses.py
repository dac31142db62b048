"""Cuts a sentence that cites several records into parts that can stand alone (R152)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from fonds.words.scripts import KANA, pieces
from fonds.words.stop_words import stop_words_of
from fonds.words.units import meaningful_units

if TYPE_CHECKING:
    from fonds.words.stop_words import Language

FEW_WORDS: Final = 3
"""Content words from which a part of a sentence says something of its own."""
_MOST_SEAMS: Final = 8
_CONJUNCTIONS = (
    "and|but|while|whereas|und|aber|während|et|mais|tandis que|y|pero|mientras que|e|ma|mas|mentre"
    "|enquanto|en|maar|terwijl|och|men|medan|og|mens|oraz|ale|i|и|а|но|ve|ama"
)
_SEAM: Final = re.compile(
    rf"[,;:]?\s+(?:{_CONJUNCTIONS})(?=\s)|[;；:](?=\s)|[、，](?:また|そして|一方|他方|而|但|并)?"
    r"|،?\s+(?=و\w)|[—–]",
    re.IGNORECASE,
)
_SHUT: Final = re.compile(r"[(（「『“«][^)）」』”»]*[)）」』”»]")
_ARTICLES: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the a an each every no",
        "de": "der die das dem den ein eine einem einen jeder jede jedes",
        "fr": "le la les l un une des chaque",
        "es": "el la los las un una unos unas cada",
        "it": "il lo la i gli le l un una ogni",
        "pt": "o a os as um uma cada",
    }.items()
}
_LEADING: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "in on at by during after before since when if as",
        "de": "im in am an auf nach vor seit als wenn bei",
        "fr": "en dans à après avant depuis quand lors",
        "es": "en a después antes desde cuando",
        "it": "nel nella in dopo prima quando",
        "pt": "no na em após antes quando",
    }.items()
}
"""What may open a clause with a subject of its own: no verb, pronoun or relative. A leading word
has an article, a name or a figure after it."""
_JAPANESE_SUBJECT: Final = re.compile(r"(?<!あるい)(?<!また)(?<![でにと])は|が")


def is_carried_in_parts(
    sentence: str, language: Language | None, carried: Callable[[str], bool]
) -> bool:
    """Whether the sentence can be cut, at joints of clauses, into parts that are each `carried`.

    Every part but the first has a subject of its own: one without borrows that of another record.
    """
    seams = _seams(sentence)
    starts = [0, *(end for _, end in seams)]
    ends = [*(start for start, _ in seams), len(sentence)]

    @cache
    def rest_is_carried(at: int) -> bool:
        if at == len(starts):
            return True
        if at and not _has_subject(sentence[starts[at] : ends[at]], language):
            return False
        # The whole sentence is no part: it was judged before.
        last = len(starts) - (at == 0)
        return any(
            rest_is_carried(upto + 1) and _carries(sentence[starts[at] : ends[upto]])
            for upto in range(at, last)
        )

    def _carries(part: str) -> bool:
        return len(meaningful_units(part, language)) >= FEW_WORDS and carried(part)

    return len(seams) > 0 and rest_is_carried(0)


def _seams(sentence: str) -> list[tuple[int, int]]:
    """Joints outside quotations and brackets; of many, those that have a word for it, and few."""
    shut = [match.span() for match in _SHUT.finditer(sentence)]
    found = [
        match
        for match in _SEAM.finditer(sentence)
        if not any(start < match.start() < end for start, end in shut)
    ]
    found.sort(key=lambda match: re.search(r"\w", match.group()) is None)
    return sorted(match.span() for match in found[:_MOST_SEAMS])


def _has_subject(clause: str, language: Language | None) -> bool:
    """It starts with a name, a figure or a word that opens a clause; in Japanese it holds a
    subject's particle.
    """
    if KANA.search(clause):
        return _JAPANESE_SUBJECT.search(clause) is not None
    words = pieces(clause)
    if not words:
        return False
    first = words[0].surface
    if first.lower() in _LEADING.get(language or "", ()):
        return len(words) > 1 and _opens(words[1].surface, language)
    return _opens(first, language)


def _opens(word: str, language: Language | None) -> bool:
    if word.lower() in stop_words_of(language):
        articles = _ARTICLES.get(language or "")
        return articles is None or word.lower() in articles
    return word[0].isupper() or word[0].lower() == word[0].upper()
