"""What calls made during faults prove wrong: pure, so that a test can hand it made-up calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eval.benchmarks.load_calls import UNREACHED, Call

GRACE_SECONDS = 2.0  # how long after the database accepts again a 503 is still excused


@dataclass(frozen=True, slots=True)
class Away:
    """Something was not there, from the moment it was taken away until it answered again."""

    since: float
    until: float


@dataclass(frozen=True, slots=True)
class Faults:
    """What was done while calls were made, by the clock that timed them.

    `switched` and `vetoed` are the moments of the commits, at the archive `changed`; `builds` are
    the numbers before and after the switch. `killed` is by worker.
    """

    changed: str
    builds: tuple[int, int]
    switched: float
    vetoed: float
    vetoed_id: str
    database: Away
    killed: Mapping[int, Away]


def problems(calls: Iterable[Call], faults: Faults) -> dict[str, int]:
    """How many calls broke which promise; empty when none did."""
    found: dict[str, int] = {}
    for call in calls:
        for wrong in _wrong_with(call, faults):
            found[wrong] = found.get(wrong, 0) + 1
    return found


def _wrong_with(call: Call, faults: Faults) -> list[str]:
    if call.status == UNREACHED:
        return [] if _excused(call, faults.killed.get(call.worker), 0) else ["unreached"]
    if call.status >= 500:
        excused = _excused(call, faults.database, GRACE_SECONDS)
        return [] if excused else ["5xx later than two seconds after the database was back"]
    if call.status != 200:
        return [f"status {call.status}"]
    wrong: list[str] = []
    sources = {tuple(title.split(" ")[:3]) for title in call.titles}
    builds = {int(source[2]) for source in sources}
    if any(source[0] != call.slug for source in sources):
        wrong.append("a hit of another archive")
    if len(builds) > 1:
        wrong.append("hits of two builds in one reply")
    if call.slug == faults.changed:
        before, after = faults.builds
        if call.began > faults.switched and before in builds:
            wrong.append("the old build after the switch")
        if call.ended < faults.switched and after in builds:
            wrong.append("the new build before the switch")
        if call.began > faults.vetoed and faults.vetoed_id in call.fragment_ids:
            wrong.append("what was vetoed in a reply that began after the veto")
    return wrong


def _excused(call: Call, away: Away | None, grace: float) -> bool:
    return away is not None and call.ended >= away.since and call.began <= away.until + grace
