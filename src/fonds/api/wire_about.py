"""What is told of an archive over HTTP, and of the service itself."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from fonds.contract.allowances import Allowances
from fonds.contract.archive_about import ArchiveAbout
from fonds.contract.archive_state import ArchiveState, LiveFigures
from fonds.retrieval.wire_response import WireIndex

_CLOSED = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


@with_config(_CLOSED)
class WireAbout(TypedDict):
    archive: str
    name: str
    author: str
    baseUrl: str
    index: WireIndex


@with_config(_CLOSED)
class WireRun(TypedDict):
    job: str
    outcome: str
    finishedAt: str


@with_config(_CLOSED)
class WireBuild(TypedDict):
    build: int
    builtAt: str
    entityCount: int
    fragmentCount: int
    gate: str


@with_config(_CLOSED)
class WireRefusals(TypedDict):
    days: int
    byReason: dict[str, int]


@with_config(_CLOSED)
class WireLimits(TypedDict):
    anonymous: bool
    callerPerMinute: int
    callerPerDay: int
    archivePerDay: int
    privatePerDay: int | None


@with_config(_CLOSED)
class WireStanding(TypedDict):
    """`build` is null before the first one; `privatePerDay` where it follows from the space."""

    archive: str
    build: WireBuild | None
    runs: list[WireRun]
    refusals: WireRefusals
    limits: WireLimits | None


@with_config(_CLOSED)
class WireHealth(TypedDict):
    status: Literal["alive", "ready"]


def about_json(about: ArchiveAbout) -> WireAbout:
    """Names as the owner gives them and counts of what is served; no model, no number of ours."""
    return {
        "archive": about.slug,
        "name": about.name,
        "author": about.author,
        "baseUrl": about.base_url,
        "index": {
            "builtAt": about.built_at.isoformat(),
            "entityCount": about.entity_count,
            "fragmentCount": about.fragment_count,
        },
    }


def standing_json(state: ArchiveState) -> WireStanding:
    """How an archive stands: figures and closed words."""
    return {
        "archive": state.slug,
        "build": None if state.live is None else _build_json(state.live),
        "runs": [
            {"job": run.job, "outcome": run.outcome, "finishedAt": run.finished_at.isoformat()}
            for run in state.runs
        ],
        "refusals": {"days": state.days, "byReason": dict(state.refusals)},
        "limits": None if state.allowances is None else _limits_json(state.allowances),
    }


def _build_json(live: LiveFigures) -> WireBuild:
    return {
        "build": live.build_id,
        "builtAt": live.built_at.isoformat(),
        "entityCount": live.entity_count,
        "fragmentCount": live.fragment_count,
        "gate": live.gate,
    }


def _limits_json(allowances: Allowances) -> WireLimits:
    return {
        "anonymous": allowances.anonymous,
        "callerPerMinute": allowances.caller_per_minute,
        "callerPerDay": allowances.caller_per_day,
        "archivePerDay": allowances.archive_per_day,
        "privatePerDay": allowances.private_per_day,
    }
