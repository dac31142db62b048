"""The canary sweep as a build and a run of the suite report it: positions and ids (R182)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fonds.boundary.canaries import CanaryIssue, canary_sweep
from fonds.contract.swept_string import SweptString


def canary_issues(canaries: Sequence[str], strings: Iterable[SweptString]) -> tuple[str, ...]:
    """One line for each watched word that would be served, such as
    `canaries[3]: in the gist of note:x#p4`.

    An id that itself holds a canary is not repeated: its owner is named by its place among those
    found.
    """
    found = canary_sweep(canaries, strings)
    owners = list(dict.fromkeys(issue.owner_id for issue in found))
    as_titles = (SweptString(one, one, "title", one) for one in owners)
    telling = {issue.owner_id for issue in canary_sweep(canaries, as_titles)}
    names = {
        owner: f"owner {place}, whose id holds a canary" if owner in telling else owner
        for place, owner in enumerate(owners, start=1)
    }
    return tuple(_line(issue, names[issue.owner_id]) for issue in found)


def build_sweep(canaries: Sequence[str]) -> Callable[[Iterable[SweptString]], tuple[str, ...]]:
    """What a build calls between its check and its switch."""
    watched = tuple(canaries)

    def sweep(strings: Iterable[SweptString]) -> tuple[str, ...]:
        return canary_issues(watched, strings)

    return sweep


def _line(issue: CanaryIssue, owner: str) -> str:
    place = f"across the gists of {owner}"
    if not issue.composition:
        place = f"in the {issue.kind} of {owner}"
    return f"canaries[{issue.canary}]: {place}"
