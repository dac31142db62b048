"""What a host is shown of a key that was minted: never its text, never its digest (R192)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fonds.contract.key_scope import KeyScope
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class KeptKey:
    """One key of one archive. `expires_at` is None for one that never does."""

    key_id: int
    scopes: tuple[KeyScope, ...]
    label: str
    minted_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
