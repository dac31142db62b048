"""What a build did, for a person and for a job: ids, exposures, counts, reasons; no text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fonds.build.acceptance import digest_of, need_of
from fonds.build.checking import Downgrade
from fonds.contract.failures import AcceptanceNeeded
from fonds.contract.fragment_change import ChangeKind, FragmentChange, Shown

KINDS: tuple[ChangeKind, ...] = ("disclosed", "withdrawn", "changed")
SHOWN_CHANGES = 20  # of a kind; `fonds preview --diff` lists them all
_SIGNS: dict[ChangeKind, str] = {"disclosed": "+", "withdrawn": "-", "changed": "~"}


@dataclass(frozen=True, slots=True)
class BuildReport:
    """`build_id` is None when nothing was to be kept. `changes` is the difference to the build that
    was live (R191), without what `waiting` withholds; `gate` what its calibration says (R184),
    `index` what was measured of its index (R114).
    """

    build_id: int | None
    unchanged: bool
    switched: bool
    entities: int
    fragments: int
    downgrades: tuple[Downgrade, ...] = ()
    narrowed_meanwhile: int = 0
    changes: tuple[FragmentChange, ...] = ()
    waiting: tuple[FragmentChange, ...] = ()
    gate: Mapping[str, object] = field(default_factory=dict[str, object])
    index: Mapping[str, object] = field(default_factory=lambda: {"state": "off"})

    @property
    def accept(self) -> str | None:
        """What `--accept` takes to serve exactly what waits."""
        return digest_of(self.waiting) if self.waiting else None

    @property
    def exit_code(self) -> int:
        """4 while something waits for its owner: the rest was published (R191)."""
        return AcceptanceNeeded.exit_code if self.waiting else 0

    def as_json(self) -> dict[str, object]:
        return {
            "build": self.build_id,
            "unchanged": self.unchanged,
            "switched": self.switched,
            "entities": self.entities,
            "fragments": self.fragments,
            "downgrades": [
                {"fragment": d.fragment_id, "reason": d.reason} for d in self.downgrades
            ],
            "narrowedMeanwhile": self.narrowed_meanwhile,
            "gate": dict(self.gate),
            "index": dict(self.index),
            **difference_json(self.changes, self.waiting),
        }


def difference_json(
    changes: Iterable[FragmentChange], waiting: tuple[FragmentChange, ...]
) -> dict[str, object]:
    """The difference by kind, what waits with the reason, and the digest that accepts it."""
    known = tuple(changes)
    return {
        **{kind: [one.as_json() for one in known if one.kind == kind] for kind in KINDS},
        "waiting": [one.as_json() | {"needs": need_of(one)} for one in waiting],
        "accept": digest_of(waiting) if waiting else None,
    }


def difference_lines(
    changes: tuple[FragmentChange, ...], most: int | None = SHOWN_CHANGES
) -> list[str]:
    """How many of each kind, then each with what it was and becomes; `most` of a kind."""
    if not changes:
        return ["no difference to the live build"]
    counted = {kind: [one for one in changes if one.kind == kind] for kind in KINDS}
    lines = [", ".join(f"{len(counted[kind])} {kind}" for kind in KINDS)]
    for kind in KINDS:
        lines += [f"  {_SIGNS[kind]} {change_line(one)}" for one in counted[kind][:most]]
        if most is not None and (left := len(counted[kind]) - most) > 0:
            lines.append(f"  {_SIGNS[kind]} and {left} more")
    return lines


def change_line(change: FragmentChange) -> str:
    """One fragment: what it becomes, what it was, or the fields that differ."""
    if change.kind == "changed":
        return f"{change.fragment_id}: {', '.join(change.fields)}"
    becomes = _words(change.becomes)
    return f"{change.fragment_id}: {becomes}" + (
        f" (was {_words(change.was)})" if change.was is not None else ""
    )


def waiting_lines(
    waiting: tuple[FragmentChange, ...], most: int | None = SHOWN_CHANGES
) -> list[str]:
    """What waits for the owner, why, and the commands that show and publish it."""
    if not waiting:
        return []
    lines = [f"{len(waiting)} waiting for your acceptance:"]
    lines += [f"  ? {change_line(one)}: {need_of(one)}" for one in waiting[:most]]
    if most is not None and (left := len(waiting) - most) > 0:
        lines.append(f"  ? and {left} more")
    return [
        *lines,
        f"fonds preview --diff shows them, fonds build --accept {digest_of(waiting)} serves them",
    ]


def _words(shown: Shown | None) -> str:
    return "not served" if shown is None else f"{shown.raw} {shown.exposure}"
