"""What follows from how a job ended: an exit code is its outcome (R191, R196)."""

from __future__ import annotations

from typing import Final

from fonds.contract.failures import Failure, Unavailable, ValidationRefused
from fonds.contract.job_queue import AttemptOutcome

# Waits after the first, second... attempt that met a service which did not answer. An outage of an
# hour and a half is waited out; a longer one is seen as failed, and the next slot begins again.
BACKOFF_SECONDS: Final = (60, 300, 900, 3600)
MOST_ATTEMPTS: Final = len(BACKOFF_SECONDS) + 1

_OUTCOMES: Final[dict[int, AttemptOutcome]] = {
    0: "done",
    Failure.exit_code: "failed",
    ValidationRefused.exit_code: "waits",
    Unavailable.exit_code: "unavailable",
}


def outcome_of(exit_code: int) -> AttemptOutcome:
    """Every code without a meaning of its own is a failure, and so is a signal's."""
    return _OUTCOMES.get(exit_code, "failed")


def retry_after(outcome: AttemptOutcome, attempts: int) -> int | None:
    """In how many seconds a job is tried again that `attempts` attempts ended of before this one;
    None: never. A service that did not answer is waited for, nothing else.
    """
    if outcome != "unavailable" or attempts >= len(BACKOFF_SECONDS):
        return None
    return BACKOFF_SECONDS[attempts]
