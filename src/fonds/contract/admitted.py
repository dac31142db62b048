"""What the door answers: an archive by its number, and who came through (R192)."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.contract.caller import CallerKind
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class Admitted:
    """A caller who may do what was asked for. `key_id` is None for an anonymous one."""

    archive_id: int
    key_id: int | None

    @property
    def kind(self) -> CallerKind:
        return "address" if self.key_id is None else "key"
