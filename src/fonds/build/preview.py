"""What the next build would let travel, before it is made; nothing is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from fonds.build.acceptance import Acceptance, Need, digest_of, need_of
from fonds.build.build_report import KINDS
from fonds.build.build_served import served
from fonds.build.checking import Downgrade
from fonds.contract.build_store import BuildSession, BuildStore, BuildTerms, PreviewRow
from fonds.contract.fragment_change import ChangeKind, FragmentChange

WITHHELD = "withheld by its exposure"


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


@dataclass(frozen=True, slots=True)
class SeenChange:
    """A change with what would be shown of its fragment; `row` is None where that is gone, `need`
    where nothing more travels than before.
    """

    change: FragmentChange
    need: Need | None
    row: PreviewRow | None


@dataclass(frozen=True, slots=True)
class SeenDifference:
    """A difference to look at: `counts` is of all that goes out unasked, `waiting_count` of all
    that waits, and what is seen of either is bounded. `accept` stands for all that waits.
    """

    counts: Mapping[ChangeKind, int]
    unasked: tuple[SeenChange, ...]
    waiting_count: int
    waiting: tuple[SeenChange, ...]
    accept: str | None


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
    with _looking(store, terms, progress) as (session, found, downgrades):
        changes = found
        reasons = {downgrade.fragment_id: downgrade.reason for downgrade in downgrades}
        for row in session.previewed(entity_ids):
            on_fragment(Previewed(row, _reason(row, reasons)))
    return Difference(changes, acceptance.waiting(changes))


def seen_difference(
    store: BuildStore,
    terms: BuildTerms,
    acceptance: Acceptance,
    *,
    most: int,
    progress: Callable[[str], None] = lambda step: None,
) -> SeenDifference:
    """The difference with its words as they stood when it was made: at most so many changes of a
    kind, and so many of what waits. Raises what `preview` raises.
    """
    with _looking(store, terms, progress) as (session, changes, _):
        waiting = acceptance.waiting(changes)
        asking = {change.fragment_id for change in waiting}
        unasked = [change for change in changes if change.fragment_id not in asking]
        kept = [change for kind in KINDS for change in _first(unasked, kind, most)]
        rows = _rows_of(session, (*kept, *waiting[:most]))
        return SeenDifference(
            counts=Counter(change.kind for change in unasked),
            unasked=tuple(_seen(change, rows) for change in kept),
            waiting_count=len(waiting),
            waiting=tuple(_seen(change, rows) for change in waiting[:most]),
            accept=digest_of(waiting) if waiting else None,
        )


@contextmanager
def _looking(
    store: BuildStore, terms: BuildTerms, progress: Callable[[str], None]
) -> Generator[tuple[BuildSession, tuple[FragmentChange, ...], tuple[Downgrade, ...]]]:
    """What a build would serve, inside its session; of which nothing stays."""
    try:
        with store.session(terms) as session:
            changes, downgrades = served(session, progress)
            yield session, changes, downgrades
            raise _Seen
    except _Seen:
        pass


def _first(changes: Iterable[FragmentChange], kind: ChangeKind, most: int) -> list[FragmentChange]:
    return [change for change in changes if change.kind == kind][:most]


def _rows_of(session: BuildSession, changes: Sequence[FragmentChange]) -> dict[str, PreviewRow]:
    """By fragment id. Without a name the session shows the whole archive, so it is not asked."""
    wanted = {change.fragment_id for change in changes}
    entities = sorted({change.entity_id for change in changes})
    if not entities:
        return {}
    return {
        row.fragment_id: row for row in session.previewed(entities) if row.fragment_id in wanted
    }


def _seen(change: FragmentChange, rows: Mapping[str, PreviewRow]) -> SeenChange:
    return SeenChange(change, need_of(change), rows.get(change.fragment_id))


def _reason(row: PreviewRow, downgrades: dict[str, str]) -> str | None:
    if row.asks == "none":
        return WITHHELD
    return downgrades.get(row.fragment_id)
