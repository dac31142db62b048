"""What an answer names as its source. Retrieved is not cited (R149)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fonds.contract.sealed import sealed

CitationKind: TypeAlias = Literal["record", "hint"]
AnswerMode: TypeAlias = Literal["supported", "partial", "related-material", "not-found"]


@sealed
@dataclass(frozen=True, slots=True)
class Citation:
    """An exact (id, url) pair of one request's evidence, once grounded."""

    kind: CitationKind
    id: str
    url: str
