"""Cuts a text into whole sentences, in any script; numbers and abbreviations stay whole."""

from __future__ import annotations

import re
from typing import Final

# Ends that stand without a following space: CJK, then Devanagari, Arabic, Khmer, Myanmar, Ethiopic.
_PAUSE: Final = "।॥؟۔។៕။።"
_CLOSING: Final = "\"'”’»›）)」』】》〉］\\]"
_BOUNDARY: Final = re.compile(
    rf"(?<=[。｡！？])(?:(?![{_CLOSING}])\s*|[{_CLOSING}]+(?=\s|$)\s*)"
    rf"|(?<=[\u3041-\u9fff][!?])(?![{_CLOSING}!?])\s*"  # NFKC makes wide marks narrow
    rf"|(?<=[{_PAUSE}])[{_CLOSING}]*\s*"
    rf"|(?<=[.!?…])[{_CLOSING}]*\s+(?=\S)"
)
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(\[“\"'])(?:mr|mrs|ms|dr|prof|st|sr|jr|cf|ca|vs|ed|eds|rev|gen|col|capt|lt|sgt|hon"
    r"|bros|approx|bzw|ggf|sog|evtl|hrsg|mme|mlle|av|env|sra?|[a-z]"
    r"|(?:[a-z]\.)+[a-z])\.$",
    re.IGNORECASE,
)
# Before a figure only: "no. 4", but "The answer was no."
_NUMBERING: Final = re.compile(
    r"(?:^|[\s(\[])(?:no|nr|vol|ch|pp?|fig|art|bd|str)\.$", re.IGNORECASE
)
_ORDINAL: Final = re.compile(r"(?:^|\s)\d{1,2}\.$")
_BLOCK: Final = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)])\s)")


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of `text` in order, each trimmed and on one line.

    A blank line or a list item ends a sentence; a line end alone does not. Joining the result with
    blanks gives the words of the text back.
    """
    found: list[str] = []
    for block in _BLOCK.split(text):
        found.extend(_sentences_of_block(" ".join(block.split())))
    return tuple(found)


def _sentences_of_block(block: str) -> list[str]:
    found: list[str] = []
    start = 0
    for boundary in _BOUNDARY.finditer(block):
        upto = boundary.end()
        candidate = block[start:upto].strip()
        if not candidate or _goes_on(candidate, block[upto:]):
            continue
        found.append(candidate)
        start = upto
    rest = block[start:].strip()
    return [*found, rest] if rest else found


def _goes_on(candidate: str, rest: str) -> bool:
    """Whether the stop ends an abbreviation, initial or ordinal, or a small letter follows."""
    follows = rest.lstrip("\"'“‘«(")[:1]
    if follows.islower():
        return True
    if not candidate.endswith("."):
        return False
    if _ORDINAL.search(candidate):
        return follows.isalpha()
    if _NUMBERING.search(candidate):
        return follows.isdecimal()
    return _ABBREVIATION.search(candidate) is not None
