"""What a reader is told an archive holds: of what is published, and of nothing else (R193)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class Holdings:
    """Figures and themes of the public entities of one build: no private row moves any of them.

    `types` are counts by type and `themes` the most frequent ones, most first. Years are those of
    the earliest and the latest date; None where nothing is dated.
    """

    built_at: datetime
    types: tuple[tuple[str, int], ...]
    first_year: int | None
    last_year: int | None
    themes: tuple[str, ...] = field(repr=False)
