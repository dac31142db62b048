"""The one table of how things end: exit code, HTTP status and problem of each failure, and of each
refusal (R196). The command line, the service and the documentation read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from fonds.contract import failures
from fonds.contract.failures import Failure, NotAdmitted
from fonds.contract.refusal_reason import RefusalReason
from fonds.contract.sealed import sealed

EXIT_DONE: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_REFUSED: Final = 3
EXIT_POLICY: Final = 4
EXIT_UNAVAILABLE: Final = 69
EXIT_INTERRUPTED: Final = 130

RETRY_SECONDS: Final = 5  # what a caller is told where nothing says how long an outage lasts

ProblemSlug: TypeAlias = Literal[
    "request-refused",
    "malformed-request",
    "key-needed",
    "key-without-scope",
    "no-such-archive",
    "no-such-page",
    "method-not-allowed",
    "body-too-large",
    "media-type-unknown",
    "sent-from-elsewhere",
    "too-many-requests",
    "overloaded",
    "unavailable",
    "provider-unavailable",
    "nothing-served",
    "archive-unusable",
    "not-ready",
    "defect",
]


@sealed
@dataclass(frozen=True, slots=True)
class Outcome:
    """`exit_code` of a command; `status` and `problem` of a reply over HTTP; `mendable` the status
    at the desk of what its author can mend and a caller of the service cannot.
    """

    exit_code: int
    status: int
    problem: ProblemSlug
    mendable: int | None = None

    @property
    def at_desk(self) -> int:
        """The status of a page to the author."""
        return self.status if self.mendable is None else self.mendable


@sealed
@dataclass(frozen=True, slots=True)
class RefusalOutcome:
    """A refusal is a reply, not a problem: 200, but where a provider was not there."""

    exit_code: int
    status: int


# To whoever asks a service, what its author wrote wrong is a defect of the service.
_DEFECT = Outcome(EXIT_FAILED, 500, "defect")
_POLICY = Outcome(EXIT_POLICY, 500, "defect")
_MISWRITTEN = Outcome(EXIT_FAILED, 500, "defect", mendable=422)
_NOT_ALLOWED = Outcome(EXIT_POLICY, 500, "defect", mendable=422)

FAILURES: Final[dict[type[Failure], Outcome]] = {
    failures.Failure: _DEFECT,
    failures.Misconfigured: Outcome(EXIT_USAGE, 503, "archive-unusable"),
    failures.MisauthoredInput: _MISWRITTEN,
    failures.MisauthoredFile: _MISWRITTEN,
    failures.PublicSafeLintError: _NOT_ALLOWED,
    failures.IllegalDisclosure: _NOT_ALLOWED,
    failures.LeakRefused: _POLICY,
    failures.ValidationRefused: _POLICY,
    failures.AcceptanceNeeded: Outcome(EXIT_POLICY, 500, "defect", mendable=409),
    failures.Unavailable: Outcome(EXIT_UNAVAILABLE, 503, "unavailable"),
    failures.ProviderUnavailable: Outcome(EXIT_UNAVAILABLE, 503, "provider-unavailable"),
    failures.ProviderMisbehaved: Outcome(EXIT_FAILED, 503, "provider-unavailable"),
    failures.QueryRefused: Outcome(EXIT_USAGE, 422, "request-refused"),
    failures.NothingServed: Outcome(EXIT_FAILED, 503, "nothing-served"),
    failures.Busy: Outcome(EXIT_UNAVAILABLE, 503, "unavailable"),
    failures.StoreRefused: _DEFECT,
    failures.NotAdmitted: Outcome(EXIT_USAGE, 404, "no-such-archive"),
    failures.TooMany: Outcome(EXIT_UNAVAILABLE, 429, "too-many-requests"),
    failures.Overloaded: Outcome(EXIT_UNAVAILABLE, 503, "overloaded"),
}
"""A failure that is not named has the outcome of its nearest ancestor that is."""

NOT_ADMITTED: Final[dict[str, Outcome]] = {
    "no-key": Outcome(EXIT_USAGE, 401, "key-needed"),
    "no-archive": FAILURES[NotAdmitted],
    "no-scope": Outcome(EXIT_USAGE, 403, "key-without-scope"),
}
"""By `NotAdmitted.why`."""

_DECLINED = RefusalOutcome(EXIT_REFUSED, 200)
_AWAY = RefusalOutcome(EXIT_UNAVAILABLE, 503)

REFUSALS: Final[dict[RefusalReason, RefusalOutcome]] = {
    "no_relevant_context": _DECLINED,
    "below_score_floor": _DECLINED,
    "below_coverage_floor": _DECLINED,
    "below_calibrated_threshold": _DECLINED,
    "calibration_infinite": _DECLINED,
    "calibration_missing": _DECLINED,
    "calibration_stale": _DECLINED,
    "model_reported_no_answer": _DECLINED,
    "fabricated_citation": _DECLINED,
    "missing_citation": _DECLINED,
    "unsupported_claim": _DECLINED,
    "model_declined": _DECLINED,
    "unparseable_response": _DECLINED,
    "model_unavailable": _AWAY,
    "embedder_unavailable": _AWAY,
}


def outcome_of(failure: Failure) -> Outcome:
    """How a failure ends, over HTTP and for a command."""
    if isinstance(failure, NotAdmitted):
        return NOT_ADMITTED[failure.why]
    return kind_outcome(type(failure))


def kind_outcome(kind: type[Failure]) -> Outcome:
    """The row of a kind of failure, its own or its nearest ancestor's."""
    return next(FAILURES[one] for one in kind.__mro__ if one in FAILURES)
