"""The build: check, resolve, materialise, verify, switch. What fails leaves the old build served
(R095).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from fonds.build.acceptance import Acceptance
from fonds.build.build_report import BuildReport
from fonds.build.checking import Downgrade, check_entities, refuse_any
from fonds.build.words import normalised_words
from fonds.contract.build_store import BuildSession, BuildStore, BuildSummary, BuildTerms
from fonds.contract.failures import Failure
from fonds.contract.fragment_change import FragmentChange
from fonds.contract.swept_string import SweptString

BUILD_RULES = 1  # counts up when the same rows would be served otherwise; part of the fingerprint
KEPT_BUILDS = 3

Admit = Callable[[int], tuple[str, ...]]
"""Asks the suite of a checked build; gives the issues, by case and place (R182)."""

Sweep = Callable[[Iterable[SweptString]], tuple[str, ...]]
"""Looks for canaries in what would be served; gives the issues, by index and id (R182)."""

Calibrate = Callable[[int], Mapping[str, object]]
"""Calibrates the gate on a checked build that is not live yet, or leaves one that fits; gives what
the report says of it (R169).
"""


Index = Callable[[int], Mapping[str, object]]
"""Makes and checks the index of a checked build where one is asked for; gives what the report says
of it (R114).
"""


def uncalibrated(build_id: int) -> Mapping[str, object]:
    """The gate of a build that has none, and its index."""
    return {"state": "off"}


@dataclass(frozen=True, slots=True)
class _Written:
    """A build as its session left it; `summary` is None where all of it waits for its owner."""

    summary: BuildSummary | None
    downgrades: tuple[Downgrade, ...]
    changes: tuple[FragmentChange, ...]
    waiting: tuple[FragmentChange, ...]
    accepted: tuple[FragmentChange, ...]


class _Unchanged(Exception):
    """Leaves the session without a build: what would be made is live, but for what waits."""

    def __init__(self, live: BuildSummary, waiting: tuple[FragmentChange, ...]) -> None:
        super().__init__()
        self.live = live
        self.waiting = waiting


class _NothingLeft(Exception):
    """Leaves the session without a build: all of it waits."""

    def __init__(self, written: _Written) -> None:
        super().__init__()
        self.written = written


def build_served(
    store: BuildStore,
    terms: BuildTerms,
    sweep: Sweep,
    *,
    acceptance: Acceptance,
    admit: Admit = lambda build_id: (),
    calibrate: Calibrate = uncalibrated,
    index: Index = uncalibrated,
    dry_run: bool = False,
    keep: int = KEPT_BUILDS,
    progress: Callable[[str], None] = lambda step: None,
) -> BuildReport:
    """Publishes what the private schema holds, or raises and leaves the served build as it was.

    What the owner has to accept first stays as the live build shows it, and is reported as waiting;
    the rest is published (R191). An unchanged fingerprint makes no build; what is live is swept
    again, and calibrated again where its calibration no longer fits. A build is admitted and
    calibrated before it is live. A dry run checks everything, changed or not, as far as the sweep,
    and keeps nothing.
    Raises ValidationRefused (exit 4) for stored values that may not travel, canaries found and a
    suite that does not admit the build, Failure when vectors are missing.
    """
    steps = _Steps(sweep, admit, calibrate, index, progress)
    live = next((build for build in store.builds() if build.live), None)
    try:
        written = _write(store, terms, None if dry_run else live, acceptance, progress)
    except _Unchanged as unchanged:
        return _still_live(store, unchanged, steps)
    if written.summary is None:
        return BuildReport(None, False, False, 0, 0, written.downgrades, waiting=written.waiting)
    _verify(store, written.summary, steps)
    report = _report(written, written.summary)
    if dry_run:
        store.discard(written.summary.build_id)
        return report
    return _publish(store, written, report, written.summary.build_id, keep, steps)


@dataclass(frozen=True, slots=True)
class _Steps:
    """What a build asks of others on its way."""

    sweep: Sweep
    admit: Admit
    calibrate: Calibrate
    index: Index
    progress: Callable[[str], None]


def _still_live(store: BuildStore, unchanged: _Unchanged, steps: _Steps) -> BuildReport:
    same = unchanged.live
    # The canaries are not part of what is built: one that was added is looked for all the same.
    found = steps.sweep(store.swept_strings(same.build_id))
    refuse_any(found, f"problem(s) in the live build {same.build_id}")
    return BuildReport(
        same.build_id,
        unchanged=True,
        switched=False,
        entities=same.entity_count,
        fragments=same.fragment_count,
        waiting=unchanged.waiting,
        gate=steps.calibrate(same.build_id),
        index=steps.index(same.build_id),
    )


def _publish(
    store: BuildStore,
    written: _Written,
    report: BuildReport,
    build_id: int,
    keep: int,
    steps: _Steps,
) -> BuildReport:
    """A build that fails its suite or cannot be calibrated does not go live: the old one answers
    on.
    """
    try:
        store.mark_checked(build_id)
        steps.progress("admit")
        refuse_any(steps.admit(build_id), "issue(s) of the suite, nothing was published")
        steps.progress("calibrate")
        gate = steps.calibrate(build_id)
        steps.progress("index")
        index = steps.index(build_id)
    except BaseException:
        store.discard(build_id)
        raise
    steps.progress("switch")
    accepted = [change.fragment_id for change in written.accepted]
    narrowed = store.switch(build_id, keep=keep, accepted=accepted)
    done = replace(report, build_id=build_id, switched=True, gate=gate, index=index)
    return replace(done, narrowed_meanwhile=narrowed)


def _report(written: _Written, summary: BuildSummary) -> BuildReport:
    """Of a build that was checked, and is not kept."""
    return BuildReport(
        None,
        unchanged=False,
        switched=False,
        entities=summary.entity_count,
        fragments=summary.fragment_count,
        downgrades=written.downgrades,
        changes=written.changes,
        waiting=written.waiting,
        gate=uncalibrated(summary.build_id),
    )


def _write(
    store: BuildStore,
    terms: BuildTerms,
    live: BuildSummary | None,
    acceptance: Acceptance,
    progress: Callable[[str], None],
) -> _Written:
    try:
        with store.session(terms) as session:
            if live is not None and live.fingerprint == session.fingerprint:
                _leave_unless_accepted(store, live, acceptance)
            _refuse_lacking(session.lacking_vectors())
            return _materialise(session, acceptance, progress)
    except _NothingLeft as nothing:
        return nothing.written


def _refuse_lacking(vectors: int) -> None:
    if vectors:
        raise Failure(
            f"{vectors} fragment(s) have no vector in this embedding space: run fonds ingest"
        )


def _leave_unless_accepted(store: BuildStore, live: BuildSummary, acceptance: Acceptance) -> None:
    """Raises _Unchanged unless something the live build withheld would go out."""
    withheld = store.waiting(live.build_id)
    waiting = acceptance.waiting(withheld)
    if len(waiting) == len(withheld):
        raise _Unchanged(live, waiting)


def _materialise(
    session: BuildSession, acceptance: Acceptance, progress: Callable[[str], None]
) -> _Written:
    changes, downgrades = served(session, progress)
    waiting = acceptance.waiting(changes)
    withheld = {change.fragment_id for change in waiting}
    accepted = tuple(one for one in acceptance.asking(changes) if one.fragment_id not in withheld)
    summary = session.finish(waiting)
    if summary.fragment_count == 0:
        if waiting:
            raise _NothingLeft(_Written(None, downgrades, (), waiting, ()))
        raise Failure("the archive holds nothing to serve: run fonds ingest")
    # What is withheld keeps its words; its title or its place may differ all the same.
    passing = session.changes() if waiting else changes
    return _Written(summary, downgrades, passing, waiting, accepted)


def served(
    session: BuildSession, progress: Callable[[str], None]
) -> tuple[tuple[FragmentChange, ...], tuple[Downgrade, ...]]:
    """Checks the stored rows and serves them inside the session: how that differs from the live
    build, and what is located where it asked to be described.

    Raises ValidationRefused for values that may not travel.
    """
    progress("check")
    checked = check_entities(session.entities_to_check())
    checked.raise_findings()
    progress("materialise")
    return session.serve(checked.gists, normalised_words(session)), tuple(checked.downgrades)


def _verify(store: BuildStore, summary: BuildSummary, steps: _Steps) -> None:
    """Leaves nothing of a build in which something is found."""
    try:
        steps.progress("verify")
        problems = [
            *store.served_problems(summary.build_id),
            *steps.sweep(store.swept_strings(summary.build_id)),
        ]
        refuse_any(problems, "problem(s) in the checked build, nothing was published")
    except BaseException:
        store.discard(summary.build_id)
        raise
