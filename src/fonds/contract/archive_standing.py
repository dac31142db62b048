"""What a host is shown of an archive: its slug and counts, no content (R192)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class ArchiveStanding:
    """One registered archive. Figures of the live build are None where none is live.

    `leaving_at` is when its removal began, None for one that stays; `key_count` counts keys that
    open it today.
    """

    archive_id: int
    slug: str
    created_at: datetime
    leaving_at: datetime | None
    anonymous: bool
    built_at: datetime | None
    entity_count: int | None
    fragment_count: int | None
    key_count: int


@sealed
@dataclass(frozen=True, slots=True)
class PastRemoval:
    """An archive that was removed, by the number it had."""

    archive_id: int
    removed_at: datetime
    actor: str
    row_count: int
