"""The build: check, resolve, materialise, verify, switch. What fails leaves the old build served
(R095).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fonds.build.checking import Downgrade, check_entities, refuse_any
from fonds.build.words import normalised_words
from fonds.contract.build_store import BuildStore, BuildSummary, BuildTerms
from fonds.contract.failures import Failure
from fonds.contract.swept_string import SweptString

BUILD_RULES = 1  # counts up when the same rows would be served otherwise; part of the fingerprint
KEPT_BUILDS = 3

Sweep = Callable[[Iterable[SweptString]], tuple[str, ...]]
"""Looks for canaries in what would be served; gives the issues, by index and id (R182)."""

Calibrate = Callable[[int], Mapping[str, object]]
"""Calibrates the gate on a checked build that is not live yet, or leaves one that fits; gives what
the report says of it (R169).
"""


def uncalibrated(build_id: int) -> Mapping[str, object]:
    """The gate of a build that has none."""
    return {"state": "off"}


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did. `build_id` is None when nothing changed or nothing was to be kept."""

    build_id: int | None
    unchanged: bool
    switched: bool
    entities: int
    fragments: int
    downgrades: tuple[Downgrade, ...] = ()
    narrowed_meanwhile: int = 0
    gate: Mapping[str, object] = field(default_factory=dict[str, object])

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
        }


class _Unchanged(Exception):
    """Leaves the session without a build: what would be made is live."""

    def __init__(self, live: BuildSummary) -> None:
        super().__init__()
        self.live = live


def build_served(
    store: BuildStore,
    terms: BuildTerms,
    sweep: Sweep,
    *,
    calibrate: Calibrate = uncalibrated,
    dry_run: bool = False,
    keep: int = KEPT_BUILDS,
    progress: Callable[[str], None] = lambda step: None,
) -> BuildReport:
    """Publishes what the private schema holds, or raises and leaves the served build as it was.

    An unchanged fingerprint makes no build; what is live is swept again, and calibrated again where
    its calibration no longer fits. A build is calibrated before it is live. A dry run checks
    everything, changed or not, as far as the sweep, and keeps nothing.
    Raises ValidationRefused (exit 4) for stored values that may not travel and canaries found,
    Failure when vectors are missing.
    """
    live = next((build for build in store.builds() if build.live), None)
    try:
        summary, downgrades = _materialise(store, terms, None if dry_run else live, progress)
    except _Unchanged as unchanged:
        same = unchanged.live
        # The canaries are not part of what is built: one that was added is looked for all the same.
        found = sweep(store.swept_strings(same.build_id))
        refuse_any(found, f"problem(s) in the live build {same.build_id}")
        sizes = (same.entity_count, same.fragment_count)
        return BuildReport(same.build_id, True, False, *sizes, gate=calibrate(same.build_id))
    try:
        progress("verify")
        _verify(store, summary, sweep)
    except BaseException:
        store.discard(summary.build_id)
        raise
    sizes = (summary.entity_count, summary.fragment_count, downgrades)
    if dry_run:
        store.discard(summary.build_id)
        return BuildReport(None, False, False, *sizes)
    gate = _calibrated(store, summary.build_id, calibrate, progress)
    progress("switch")
    narrowed = store.switch(summary.build_id, keep=keep)
    return BuildReport(summary.build_id, False, True, *sizes, narrowed, gate)


def _calibrated(
    store: BuildStore, build_id: int, calibrate: Calibrate, progress: Callable[[str], None]
) -> Mapping[str, object]:
    """A build that cannot be calibrated does not go live: the old one answers on."""
    progress("calibrate")
    try:
        store.mark_checked(build_id)
        return calibrate(build_id)
    except BaseException:
        store.discard(build_id)
        raise


def _materialise(
    store: BuildStore, terms: BuildTerms, live: BuildSummary | None, progress: Callable[[str], None]
) -> tuple[BuildSummary, tuple[Downgrade, ...]]:
    with store.session(terms) as session:
        if live is not None and live.fingerprint == session.fingerprint:
            raise _Unchanged(live)
        lacking = session.lacking_vectors()
        if lacking:
            raise Failure(
                f"{lacking} fragment(s) have no vector in this embedding space: run fonds ingest"
            )
        progress("check")
        checked = check_entities(session.entities_to_check())
        checked.raise_findings()
        progress("materialise")
        summary = session.materialise(checked.gists, normalised_words(session))
        if summary.fragment_count == 0:
            raise Failure("the archive holds nothing to serve: run fonds ingest")
    return summary, tuple(checked.downgrades)


def _verify(store: BuildStore, summary: BuildSummary, sweep: Sweep) -> None:
    problems = [
        *store.served_problems(summary.build_id),
        *sweep(store.swept_strings(summary.build_id)),
    ]
    refuse_any(problems, "problem(s) in the checked build, nothing was published")
