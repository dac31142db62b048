"""What the next build would let travel, before it is made; nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fonds.build.acceptance import Acceptance
from fonds.build.build_served import served
from fonds.contract.build_store import BuildStore, BuildTerms, PreviewRow
from fonds.contract.fragment_change import FragmentChange


@dataclass(frozen=True, slots=True)
class Previewed:
    """A fragment, and why less of it would travel than it asks for, or nothing at all."""

    row: PreviewRow
    reason: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """All that would differ from the live build once accepted, and what of it would wait."""

    changes: tuple[FragmentChange, ...]
    waiting: tuple[FragmentChange, ...]


class _Seen(Exception):
    """Leaves the session without a build."""


def preview(
    store: BuildStore,
    terms: BuildTerms,
    acceptance: Acceptance,
    *,
    entity_ids: Sequence[str] = (),
    on_fragment: Callable[[Previewed], None] = lambda seen: None,
    progress: Callable[[str], None] = lambda step: None,
) -> Difference:
    """Calls `on_fragment` in id order for every fragment, or for those of the entities named.

    Resolves and strips as a build does, and needs no vector. Raises what a build raises for stored
    values that may not travel.
    """
    changes: tuple[FragmentChange, ...] = ()
    try:
        with store.session(terms) as session:
            changes, downgrades = served(session, progress)
            reasons = {downgrade.fragment_id: downgrade.reason for downgrade in downgrades}
            for row in session.previewed(entity_ids):
                on_fragment(Previewed(row, _reason(row, reasons)))
            raise _Seen
    except _Seen:
        return Difference(changes, acceptance.waiting(changes))


def _reason(row: PreviewRow, downgrades: dict[str, str]) -> str | None:
    if row.asks == "none":
        return "withheld by its exposure"
    return downgrades.get(row.fragment_id)
