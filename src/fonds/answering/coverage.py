"""How many of a question's meaningful words a quotable passage holds (R166)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fonds.words.scripts import readable_text
from fonds.words.units import all_units, meaningful_units

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fonds.contract.evidence_hit import TextHit


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


def quotable_words(hit: TextHit) -> str:
    """What of a hit coverage is measured on: the parts of its embed string that travel (R040)."""
    at = hit.provenance
    trail: Iterable[str] = (step.value for step in at.place if step.scheme == "heading")
    parts = (at.entity.title, *trail, hit.summary, *at.entity.themes, hit.text)
    return "\n\n".join(part for part in parts if part)


def _keys(text: str) -> frozenset[str]:
    return frozenset(unit.key for unit in meaningful_units(readable_text(text)))
