"""One fragment's part in the difference between two builds (R191)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fonds.contract.disclosure import STRICTNESS, Raw, ServedExposure
from fonds.contract.sealed import sealed

Widen: TypeAlias = Literal["ask", "public", "all"]
"""What a build serves unasked: nothing, what public material adds, or everything (R191)."""
ChangeKind: TypeAlias = Literal["disclosed", "withdrawn", "changed"]


@sealed
@dataclass(frozen=True, slots=True)
class Shown:
    """How much of a fragment a build shows."""

    raw: Raw
    exposure: ServedExposure


@sealed
@dataclass(frozen=True, slots=True)
class FragmentChange:
    """A fragment whose hit differs between the live build (`was`) and another (`becomes`).

    None stands for a build that does not serve it. `fields` names what differs, without a value,
    and is empty unless both serve it. `content` is a digest of all that a hit would carry of it, so
    that words which change after they were accepted have to be accepted again.
    """

    fragment_id: str
    was: Shown | None
    becomes: Shown | None
    fields: tuple[str, ...] = ()
    content: str = ""

    @property
    def entity_id(self) -> str:
        return self.fragment_id.partition("#")[0]

    @property
    def kind(self) -> ChangeKind:
        """`disclosed` where more travels than before, `withdrawn` where less does."""
        if self.becomes is None:
            return "withdrawn"
        if self.was is None:
            return "disclosed"
        if self.was.raw != self.becomes.raw:
            return "disclosed" if self.becomes.raw == "public" else "withdrawn"
        before, after = STRICTNESS[self.was.exposure], STRICTNESS[self.becomes.exposure]
        if before == after:
            return "changed"
        return "disclosed" if after < before else "withdrawn"

    def as_json(self) -> dict[str, object]:
        """Ids, exposures and names of fields."""
        return {
            "fragment": self.fragment_id,
            "was": None if self.was is None else f"{self.was.raw} {self.was.exposure}",
            "becomes": (
                None if self.becomes is None else f"{self.becomes.raw} {self.becomes.exposure}"
            ),
            "fields": list(self.fields),
        }
