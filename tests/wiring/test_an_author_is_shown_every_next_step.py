"""What the desk names as next: the most urgent first, and nothing that can be done is hidden by it
(R191).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from fonds.contract.archive_state import LiveFigures
from fonds.store.travel_store import ArchiveCounts, KeptRun, LayerCount
from fonds.wiring.standing import NextStep, OwnStanding

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
LIVE = LiveFigures(1, NOON, 1, 1, "off")
LAYER = LayerCount("public", 1, 1, {"text": 1})
REFUSED = KeptRun("ingest", "failed", NOON, {"refused": [{"path": "essays/bad.md"}]})
AGAIN = KeptRun("ingest", "done", LATER, {})
STORED = ArchiveCounts((LAYER,), {}, 0, 0, ())


def counts(**changed: object) -> ArchiveCounts:
    """An archive of one stored essay, but for what is changed."""
    return replace(STORED, **changed)


@pytest.mark.parametrize(
    ("stored", "live", "steps"),
    [
        (None, None, ("read in",)),
        (counts(layers=()), None, ("read in",)),
        (counts(layers=(), runs=(REFUSED,)), None, ("mend", "read in")),
        (counts(), None, ("look and build",)),
        (counts(runs=(REFUSED,)), None, ("mend", "look and build")),
        (counts(runs=(REFUSED,), gists={"missing": 2}), None, ("mend", "look and build", "gists")),
        (counts(lacking_vectors=3, runs=(REFUSED,)), None, ("embed", "mend")),
        (counts(awaiting=1, runs=(AGAIN, REFUSED)), LIVE, ("accept",)),
        (counts(awaiting=1, runs=(REFUSED,)), LIVE, ("mend", "accept")),
        (counts(runs=(AGAIN,)), LIVE, ("build again",)),
        (counts(gists={"missing": 2, "ready": 1}), LIVE, ("gists",)),
        (counts(gists={"vetoed": 2, "ready": 1}), LIVE, ("ask",)),
    ],
)
def test_each_step_that_can_be_taken_is_named(
    stored: ArchiveCounts | None, live: LiveFigures | None, steps: tuple[NextStep, ...]
) -> None:
    assert OwnStanding(stored, live).next_steps == steps
