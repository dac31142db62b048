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
# These are looked for in one word, from the blank before it.
_ABBREVIATION: Final = re.compile(
    r"(?:^|[(\[“\"'])(?:mr|mrs|ms|dr|prof|st|sr|jr|cf|ca|vs|ed|eds|rev|gen|col|capt|lt|sgt|hon"
    r"|bros|approx|bzw|ggf|sog|evtl|hrsg|mme|mlle|av|env|sra?|[a-z]"
    r"|(?:[a-z]\.)+[a-z])\.$",
    re.IGNORECASE,
)
# Before a figure only: "no. 4", but "The answer was no."
_NUMBERING: Final = re.compile(r"(?:^|[(\[])(?:no|nr|vol|ch|pp?|fig|art|bd|str)\.$", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\d{1,2}\.")
_OPENING: Final = re.compile("[\"'“‘«(]*")
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
        end, upto = boundary.start(), boundary.end()
        while end < upto and block[end] != " ":
            end += 1
        if start == end or _goes_on(block, start, end, upto):
            continue
        found.append(block[start:end])
        start = upto
    rest = block[start:].strip()
    return [*found, rest] if rest else found


def _goes_on(block: str, start: int, end: int, upto: int) -> bool:
    """Whether the stop ends an abbreviation, initial or ordinal, or a small letter follows.

    `start` to `end` would be the sentence, and the next one begins at `upto`. One word of it is
    looked at: a text of nothing but initials is one sentence, and long.
    """
    opening = _OPENING.match(block, upto)
    after = upto if opening is None else opening.end()
    follows = block[after : after + 1]
    if follows.islower():
        return True
    if block[end - 1] != ".":
        return False
    word = block[max(start, block.rfind(" ", start, end) + 1) : end]
    if _ORDINAL.fullmatch(word):
        return follows.isalpha()
    if _NUMBERING.search(word):
        return follows.isdecimal()
    return _ABBREVIATION.search(word) is not None
