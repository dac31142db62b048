"""What is remembered of a private fragment that is gone (R191)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fonds.contract.disclosure import Exposure
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class Tombstone:
    """A private fragment that is gone: what is remembered of it, without a word of it."""

    fragment_id: str
    entity_id: str
    exposure: Exposure
    vetoed: bool
    removed_at: datetime
