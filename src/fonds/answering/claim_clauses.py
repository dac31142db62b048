"""Cuts a sentence that cites several records into parts that can stand alone (R152)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from fonds.answering.scripts import KANA, pieces
from fonds.answering.stop_words import stop_words_of
from fonds.answering.units import meaningful_units

if TYPE_CHECKING:
    from fonds.answering.stop_words import Language

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
_OPENERS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the a an in on at by during after before since when if as for from of all each"
        " every both some many most no few several under over until through with",
        "de": "der die das dem den ein eine einem einen im in am an auf nach vor seit als wenn bei"
        " alle jeder jede jedes viele einige mit von für",
        "fr": "le la les l un une des dans en au aux à après avant depuis quand lors tous chaque",
        "es": "el la los las un una unos unas en a al después antes desde cuando todos cada",
        "it": "il lo la i gli le un una nel nella dopo prima quando tutti ogni",
        "pt": "o a os as um uma no na em após antes quando todos cada",
    }.items()
}
"""Small words that open a clause with a subject of its own: no verb, pronoun or relative."""


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
    """Joints outside quotations and brackets, the first few."""
    shut = [match.span() for match in _SHUT.finditer(sentence)]
    found = [
        match.span()
        for match in _SEAM.finditer(sentence)
        if not any(start < match.start() < end for start, end in shut)
    ]
    return found[:_MOST_SEAMS]


def _has_subject(clause: str, language: Language | None) -> bool:
    """It starts with a name, a figure or a word that opens a clause; in Japanese it holds a
    subject's particle.
    """
    if KANA.search(clause):
        return re.search("[はがも]", clause) is not None
    words = pieces(clause)
    if not words:
        return False
    first = words[0].surface
    if first.lower() in stop_words_of(language):
        openers = _OPENERS.get(language or "")
        return openers is None or first.lower() in openers
    return first[0].isupper() or first[0].lower() == first[0].upper()
