"""What is counted and timed, as Prometheus reads it: every label a number or a closed word (R186).

The table is the whole of it; `Measures` fills it from events. No label is a text, and none is as
many as callers or questions are: an archive is its number, a caller its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from fonds.contract.caller import CallerKind
from fonds.contract.citation import AnswerMode
from fonds.contract.refusal_reason import RefusalReason
from fonds.observing.checked import Check, check_of
from fonds.observing.vocabulary import (
    AdmissionDecision,
    ArchiveState,
    CacheKind,
    CacheOutcome,
    FailureName,
    JobName,
    JobState,
    Level,
    LimitDecision,
    LimitStep,
    PoolState,
    ProcessName,
    RoleName,
    RouteName,
    StepOutcome,
    WorkStep,
    WriterOutcome,
)

MeasureKind: TypeAlias = Literal["counter", "histogram", "gauge"]
ArchiveLabel: TypeAlias = int | Literal["none"]
LABELS: Final[dict[str, Check]] = {
    "archive": check_of(ArchiveLabel),
    "caller": check_of(CallerKind),
    "decision": check_of(AdmissionDecision | LimitDecision),
    "exit_code": check_of(int),
    "failure": check_of(FailureName),
    "job": check_of(JobName),
    "kind": check_of(CacheKind),
    "level": check_of(Level),
    "mode": check_of(AnswerMode),
    "outcome": check_of(StepOutcome | CacheOutcome | WriterOutcome),
    "process": check_of(ProcessName),
    "reason": check_of(RefusalReason),
    "role": check_of(RoleName),
    "route": check_of(RouteName),
    "state": check_of(PoolState | JobState | ArchiveState),
    "status": check_of(int),
    "step": check_of(LimitStep | WorkStep),
}
"""Each label with the list its values stand on; a value that does not is refused."""
MeasureName: TypeAlias = Literal[
    "fonds_requests",
    "fonds_request_seconds",
    "fonds_admissions",
    "fonds_limit_decisions",
    "fonds_cache_lookups",
    "fonds_embedding_seconds",
    "fonds_retrieval_seconds",
    "fonds_writer_seconds",
    "fonds_answers",
    "fonds_refusals",
    "fonds_refusals_unrecorded",
    "fonds_failures",
    "fonds_jobs",
    "fonds_job_seconds",
    "fonds_build_age_seconds",
    "fonds_archives",
    "fonds_pool_connections",
    "fonds_pool_waiting",
    "fonds_queue_jobs",
    "fonds_process",
    "fonds_library_remarks",
    "fonds_defects",
    "fonds_log_lines_dropped",
    "fonds_scrape_failures",
]
Labels: TypeAlias = dict[str, str | int]
Figure: TypeAlias = tuple[MeasureName, Labels, float]
"""A gauge's value for some labels."""
Source: TypeAlias = Callable[[], Iterable[Figure]]
"""Reads gauges where they stand: a pool, the queue, the served schema. It may fail."""
# From a request a cache answers (1 ms) to a written answer (a minute); performance.md's goals,
# 50 ms and 1 s, are bounds of their own, so that a quantile near them is exact.
SECONDS: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
JOB_SECONDS: Final = (1.0, 5.0, 15.0, 60.0, 300.0, 1800.0, 7200.0)


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: what it counts, and the labels it is told apart by."""

    kind: MeasureKind
    says: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = SECONDS


MEASURES: Final[dict[MeasureName, Measure]] = {
    "fonds_requests": Measure("counter", "HTTP requests answered", ("route", "status")),
    "fonds_request_seconds": Measure(
        "histogram", "time from the head of a request to its last byte", ("route",)
    ),
    "fonds_admissions": Measure("counter", "callers at the door of an archive", ("decision",)),
    "fonds_limit_decisions": Measure(
        "counter", "requests counted, or refused by a limit", ("step", "decision", "caller")
    ),
    "fonds_cache_lookups": Measure(
        "counter", "replies looked for among those kept", ("kind", "outcome")
    ),
    "fonds_embedding_seconds": Measure("histogram", "time of an embedder's call", ("outcome",)),
    "fonds_retrieval_seconds": Measure(
        "histogram", "time of a search without its embedding", ("outcome",)
    ),
    "fonds_writer_seconds": Measure("histogram", "time of a writer's call", ("outcome",)),
    "fonds_answers": Measure("counter", "questions answered", ("archive", "mode")),
    "fonds_refusals": Measure("counter", "questions declined", ("archive", "reason")),
    "fonds_refusals_unrecorded": Measure("counter", "refusals that could not be kept"),
    "fonds_failures": Measure("counter", "work that ended in a failure", ("step", "failure")),
    "fonds_jobs": Measure("counter", "jobs that ended", ("job", "exit_code")),
    "fonds_job_seconds": Measure("histogram", "time of a job", ("job",), JOB_SECONDS),
    "fonds_build_age_seconds": Measure(
        "gauge", "age of the build an archive answers from", ("archive",)
    ),
    "fonds_archives": Measure("gauge", "archives of this process", ("state",)),
    "fonds_pool_connections": Measure("gauge", "connections of a role's pool", ("role", "state")),
    "fonds_pool_waiting": Measure("gauge", "who waits for a connection of a pool", ("role",)),
    "fonds_queue_jobs": Measure("gauge", "jobs in the queue", ("job", "state")),
    "fonds_process": Measure("gauge", "1 for the process this is", ("process",)),
    "fonds_library_remarks": Measure("counter", "what libraries logged, by level", ("level",)),
    "fonds_defects": Measure("counter", "exceptions nobody expected"),
    "fonds_log_lines_dropped": Measure("gauge", "lines the log's stream did not take"),
    "fonds_scrape_failures": Measure("gauge", "figures that could not be read at this scrape"),
}
