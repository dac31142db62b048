"""A fragment the author holds to less than its file may ask (R024, R191)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from fonds.contract.disclosure import Exposure
from fonds.contract.sealed import sealed

TightExposure: TypeAlias = Literal["locator", "none"]


@sealed
@dataclass(frozen=True, slots=True)
class Tightening:
    """A fragment the author holds to a location or to nothing, whatever its file asks for.

    `file_exposure` is what the file asks; None where the fragment is not stored.
    """

    fragment_id: str
    exposure: TightExposure
    file_exposure: Exposure | None
    tightened_at: datetime
