"""Ways in which a sentence of a passage is said otherwise without becoming wrong.

Every change keeps what the sentence says, or says less. Which changes are made follows from the
sentence alone.
"""

from __future__ import annotations

import re
from typing import Final

from eval.trials.claim_mutations import NUMBER_WORDS, chosen

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY_FIRST: Final = re.compile(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b")
_MONTH_FIRST: Final = re.compile(rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b")
_NUMBER_WORD: Final = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\b(?! of\b)(?! another\b)")
_BRACKETS: Final = re.compile(r"\s*[(（][^()（）]*[)）]")
_FRONTED: Final = re.compile(r"^((?:In|On|At|By|During|After|Before|Since) [^,]{3,60}), (.+)\.$")
_FEWEST: Final = 6
_SMALL: Final = frozenset(("The", "A", "An", "In", "On", "At", "After", "During", "By", "Each"))
_STARTS: Final = re.compile(
    r"(?:(?:In|On|At|After|During|By) )?(?:The|the|An?|an?|[A-Z][a-z]+|\d+) "
)
_LEANING_WORDS = (
    "He She It They We You I This That These Those There Here Its His Her Their Our My But And Or"
    " So Then Thus However Also Conversely To For From With When While If As Because Although"
    " Though Instead One Some Many Most All Both Other Another Such What Who Where Why How Not No"
    " Now Once Since Until Under Upon Being According Despite Unlike Like Even Only More Of Yet"
)
_LEANING: Final = frozenset(_LEANING_WORDS.split())
"""A sentence that starts so leans on the one before it, and means something else after another."""
_POLITE: Final = (
    (re.compile("である。$"), "です。"),
    (re.compile("であった。$"), "でした。"),
    (re.compile("している。$"), "しています。"),
    (re.compile("されている。$"), "されています。"),
    (re.compile("した。$"), "しました。"),
    (re.compile("された。$"), "されました。"),
    (re.compile("なった。$"), "なりました。"),
)
_HAN_DIGITS: Final = str.maketrans("123456789", "一二三四五六七八九")


def reworded(text: str) -> str:
    """The sentence said otherwise; itself where nothing applies or it quotes somebody."""
    if re.search("[ぁ-ん]", text):
        return _reworded_japanese(text)
    if re.search("[\"“”«»„]|``|''", text):
        return text
    changed = _BRACKETS.sub("", text)
    changed = _DAY_FIRST.sub(r"\2 \1, \3", changed) if changed == text else changed
    changed = _MONTH_FIRST.sub(r"\2 \1 \3", changed)
    changed = _NUMBER_WORD.sub(lambda m: str(NUMBER_WORDS.index(m.group()) + 2), changed)
    changed = re.sub(r"(?<=\d),(?=\d{3})", "", changed)
    changed = re.sub(r"(?<=\d)%", " percent", changed)
    changed = re.sub(
        r"\b(did|was|were|is|are|has|had|could|would|does|do) not\b", r"\1n't", changed
    )
    changed = _shortened(changed)
    fronted = _FRONTED.match(changed)
    if fronted and chosen(text, "front") % 2:
        rest, front = fronted[2], fronted[1]
        changed = f"{rest[0].upper()}{rest[1:]} {front[0].lower()}{front[1:]}."
    return changed


def joined(first: str, second: str) -> str | None:
    """Two whole sentences in one, each as it was; None where the second leans on another."""
    if first[-1] not in ".。" or second[-1] not in ".。":
        return None
    if re.search("[ぁ-ん]", first):
        return f"{first[:-1]}、また{second}" if re.match("[^、。]{1,20}は", second) else None
    head, _, rest = second.partition(" ")
    if head in _LEANING or not _STARTS.match(second):
        return None
    return f"{first[:-1].rstrip()}, and {head.lower() if head in _SMALL else head} {rest}"


def _shortened(text: str) -> str:
    """Without its last clause, for every second sentence that is long enough."""
    head, comma, _ = text.rpartition(", ")
    if comma and len(head.split()) >= _FEWEST and chosen(text, "short") % 2:
        return head + "."
    return text


def _reworded_japanese(text: str) -> str:
    changed = _BRACKETS.sub("", text)
    changed = re.sub(
        r"(?<![\d.])[1-9](?=[人回本名度冊つ])", lambda m: m.group().translate(_HAN_DIGITS), changed
    )
    for pattern, polite in _POLITE:
        changed = pattern.sub(polite, changed)
    head, comma, rest = changed.partition("、")
    if comma and len(rest) >= 20 and len(head) <= 8 and chosen(text, "short") % 2:
        changed = rest
    return changed
