"""How one archive stands, for its author: what is stored, waits and is served (R186)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fonds.answering.gate import gate_state
from fonds.contract.archive_state import LiveFigures
from fonds.contract.failures import NothingServed
from fonds.store.travel_store import ArchiveCounts, KeptRun
from fonds.wiring.calibrator import gate_terms
from fonds.wiring.house import House
from fonds.wiring.travel import travel_store

NextStep: TypeAlias = Literal[
    "read in", "mend", "embed", "look and build", "accept", "build again", "gists", "ask"
]


@dataclass(frozen=True, slots=True)
class OwnStanding:
    """`counts` is None for an archive no ingest has registered, `live` before the first build."""

    counts: ArchiveCounts | None
    live: LiveFigures | None

    @property
    def next_steps(self) -> tuple[NextStep, ...]:
        """What is worth doing now, most of all the first: none hides another that can be done."""
        steps: list[NextStep] = ["mend"] if self._refused else []
        counts = self.counts
        if counts is None or not counts.layers:
            return (*steps, "read in")
        steps = ["embed", *steps] if counts.lacking_vectors else [*steps, *self._to_build]
        if self.gists_to_look_at:
            steps.append("gists")
        return tuple(steps) or ("ask",)

    @property
    def _to_build(self) -> tuple[NextStep, ...]:
        ingest = self._last_ingest
        if self.counts is not None and self.counts.awaiting:
            return ("accept",)
        if self.live is None:
            return ("look and build",)
        later = ingest is not None and ingest.finished_at > self.live.built_at
        return ("build again",) if later else ()

    @property
    def _refused(self) -> bool:
        ingest = self._last_ingest
        return ingest is not None and bool(ingest.report.get("refused"))

    @property
    def _last_ingest(self) -> KeptRun | None:
        runs = () if self.counts is None else self.counts.runs
        return next((run for run in runs if run.job == "ingest"), None)

    @property
    def gists_to_look_at(self) -> int:
        """Fragments that ask to be described and are only located, vetoes of the author apart."""
        if self.counts is None:
            return 0
        settled = ("ready", "vetoed")
        return sum(count for state, count in self.counts.gists.items() if state not in settled)


def own_standing(house: House) -> OwnStanding:
    """Figures of this moment; raises Unavailable and WrongRevision."""
    try:
        counts = travel_store(house).counts(house.embedder.space)
    except NothingServed:
        return OwnStanding(None, None)
    return OwnStanding(counts, live_figures(house))


def last_ingest(house: House) -> KeptRun | None:
    """The last ingest on record; None before the first."""
    try:
        runs = travel_store(house).runs()
    except NothingServed:
        return None
    return next((run for run in runs if run.job == "ingest"), None)


def live_figures(house: House) -> LiveFigures | None:
    """The build that answers and how its gate stands; None when none is live."""
    try:
        live = house.live_build()
    except NothingServed:
        return None
    gate = gate_state(live.calibration, gate_terms(house.config, house.retrieval))
    counts = (live.entity_count, live.fragment_count)
    return LiveFigures(live.build_id, live.built_at, *counts, gate)
