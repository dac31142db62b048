"""How many of a question's meaningful words a quotable passage holds (R166)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fonds.contract.embed_string import MAX_EMBED_BYTES, cut_to_bytes
from fonds.words.lexical import LONGEST_WORD
from fonds.words.scripts import readable_text
from fonds.words.units import all_units, meaningful_units

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fonds.contract.evidence_hit import TextHit
    from fonds.contract.question_figures import QuestionFigures


def meaningful_words(question: str, *, author: str = "") -> frozenset[str]:
    """The distinct meaningful words of a question, folded; bigrams in scripts without spaces.

    The author of an archive is named on none of its passages and on all of them: their name says
    nothing about which passage is meant and is left out, unless nothing else remains.
    """
    words = _keys(question)
    return words - _keys(author) or words


def coverage(question: str, passage: str, *, author: str = "") -> float:
    """The fraction of `meaningful_words` that `passage` holds; 0 when there is none.

    `passage` is public text. Private text has no coverage at all.
    """
    return covered_fraction(meaningful_words(question, author=author), all_units(passage))


def covered_fraction(words: frozenset[str], held: frozenset[str]) -> float:
    return len(words & held) / len(words) if words else 0.0


def weighted_coverage(
    words: frozenset[str], held: frozenset[str], figures: QuestionFigures
) -> float:
    """`covered_fraction` with each word counted for how rare it is among the archive's texts.

    A word the figures do not name counts as one no text holds. For the gate; the floor counts every
    word alike (R166, R168).
    """
    weights = {word: _rarity(word, figures) for word in words}
    total = sum(weights.values())
    return sum(weights[word] for word in words & held) / total if total else 0.0


def quotable_words(hit: TextHit) -> str:
    """What of a hit coverage is measured on: the parts of its embed string that travel, and no more
    than an embed string is long (R040, R043). So are the words it is found by, and a question costs
    no more for a text without end.
    """
    at = hit.provenance
    trail: Iterable[str] = (step.value for step in at.place if step.scheme == "heading")
    parts = (at.entity.title, *trail, hit.summary, *at.entity.themes, hit.text)
    return cut_to_bytes("\n\n".join(part for part in parts if part), MAX_EMBED_BYTES)


def _rarity(word: str, figures: QuestionFigures) -> float:
    frequency = figures.document_frequencies.get(word[:LONGEST_WORD], 0)
    without = max(figures.public_fragments - frequency, 0)
    return math.log1p((without + 0.5) / (frequency + 0.5))


def _keys(text: str) -> frozenset[str]:
    return frozenset(unit.key for unit in meaningful_units(readable_text(text)))
