"""How much may be asked of an archive: a confidentiality control, for scores tell (R187)."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class Allowances:
    """Requests a caller and an archive are allowed; None for `private_per_day` stands for half of
    the embedding's dimensions, fewer questions than would rebuild a private vector.
    """

    caller_per_minute: int = 60
    caller_per_day: int = 2_000
    archive_per_day: int = 20_000
    private_per_day: int | None = None
    anonymous: bool = False  # whether callers without a key are let in at all
