"""What the owner has to accept before a build may serve it (R191)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeAlias

from fonds.contract.fragment_change import FragmentChange, Widen

Need: TypeAlias = Literal[
    "private to public", "gist first served", "private widening", "public widening"
]
WORDLESS = frozenset(("gistSource", "gistReview", "parent"))
"""Fields of a private row that may differ unasked: all others hold words of its author."""
DIGEST_LENGTH = 16  # of a hash that an owner copies from one line to the next


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The standing rule of the archive, and what the owner accepts this time: all that asks for it,
    or exactly the difference of a digest.
    """

    widen: Widen = "public"
    everything: bool = False
    digest: str | None = None

    def waiting(self, changes: Iterable[FragmentChange]) -> tuple[FragmentChange, ...]:
        """Changes that are not to be served: nothing allows them, and they were not accepted."""
        asking = self.asking(changes)
        if self.everything or (asking and self.digest == digest_of(asking)):
            return ()
        return asking

    def asking(self, changes: Iterable[FragmentChange]) -> tuple[FragmentChange, ...]:
        """Changes the archive's rule does not let out unasked."""
        if self.widen == "all":
            return ()
        unasked: tuple[Need | None, ...] = (None,)
        if self.widen == "public":
            unasked = (None, "public widening")
        return tuple(change for change in changes if need_of(change) not in unasked)


def need_of(change: FragmentChange) -> Need | None:
    """Why a change is the owner's to accept; None where nothing more travels than before."""
    was, becomes = change.was, change.becomes
    if becomes is None:
        return None
    if was is not None and (was.raw, becomes.raw) == ("private", "public"):
        return "private to public"
    if becomes.exposure == "semantic" and (
        was is None or was.exposure != "semantic" or "gist" in change.fields
    ):
        return "gist first served"
    if becomes.raw == "private":
        # A gist that differs was asked about above, or goes.
        says = set(change.fields) - WORDLESS - {"gist"}
        return "private widening" if says or change.kind == "disclosed" else None
    return "public widening" if change.kind == "disclosed" else None


def digest_of(changes: Sequence[FragmentChange]) -> str:
    """The same for the same fragments with the same content, whichever build they stand in."""
    lines = sorted(
        "\x1f".join((change.fragment_id, need_of(change) or "", change.content))
        for change in changes
    )
    return sha256("\x1e".join(lines).encode()).hexdigest()[:DIGEST_LENGTH]
