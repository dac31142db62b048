"""The mode of an answer follows from its final citations and from nothing else (R143, R146)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fonds.contract.citation import AnswerMode, Citation


def derived_mode(citations: Iterable[Citation]) -> AnswerMode:
    """supported: records and hints; partial: records; related-material: hints; else not-found."""
    kinds = {citation.kind for citation in citations}
    if kinds == {"record", "hint"}:
        return "supported"
    if kinds == {"record"}:
        return "partial"
    if kinds == {"hint"}:
        return "related-material"
    return "not-found"
