"""The canary sweep as a build and a run of the suite report it: positions and ids (R182)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fonds.boundary.canaries import CanaryIssue, canary_sweep
from fonds.contract.swept_string import SweptString


def canary_issues(canaries: Sequence[str], strings: Iterable[SweptString]) -> tuple[str, ...]:
    """One line for each watched word that would be served, such as
    `canaries[3]: in the gist of note:x#p4`.
    """
    return tuple(_line(issue) for issue in canary_sweep(canaries, strings))


def build_sweep(canaries: Sequence[str]) -> Callable[[Iterable[SweptString]], tuple[str, ...]]:
    """What a build calls between its check and its switch."""
    watched = tuple(canaries)

    def sweep(strings: Iterable[SweptString]) -> tuple[str, ...]:
        return canary_issues(watched, strings)

    return sweep


def _line(issue: CanaryIssue) -> str:
    place = f"across the gists of {issue.owner_id}"
    if not issue.composition:
        place = f"in the {issue.kind} of {issue.owner_id}"
    return f"canaries[{issue.canary}]: {place}"
