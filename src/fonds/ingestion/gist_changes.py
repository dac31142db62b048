"""What a change of gists did: counts, ids and reasons, no words (R083)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GistChanges:
    """`refused` pairs a fragment, or the place of an id that is not held, with the reason."""

    written: int
    unchanged: int
    refused: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, object]:
        return {
            "written": self.written,
            "unchanged": self.unchanged,
            "refused": [{"fragment": f, "reason": r} for f, r in self.refused],
        }
