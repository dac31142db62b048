"""What anybody who may ask an archive is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class ArchiveAbout:
    """Names as the owner gives them, and what the live build serves in numbers; no model, no id."""

    slug: str
    name: str
    author: str
    base_url: str
    built_at: datetime
    entity_count: int
    fragment_count: int
