"""What was noted of a change that is the author's to answer for (R191, R192)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what to which fragment, entity or file, and when; ids, never text."""

    noted_at: datetime
    actor: str
    action: str
    subject: str
