"""What a search answers, before it is put on the wire (R131)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.sealed import sealed

CONTRACT = "archive-search/1"


@sealed
@dataclass(frozen=True, slots=True)
class ServedIndex:
    """Which build answered; never its model or dimensions."""

    built_at: datetime
    entity_count: int
    fragment_count: int


@sealed
@dataclass(frozen=True, slots=True)
class SearchResponse:
    """`matched` counts after post-rank passes and before caps (R103): of public material what was
    looked at, where an index was asked (R114).
    """

    query: str = field(repr=False)
    hits: tuple[EvidenceHit, ...]
    matched: int
    excluded_undated: int
    index: ServedIndex
