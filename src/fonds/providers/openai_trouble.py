"""The client's exceptions, translated once; no message holds what was sent or said (R097, R161)."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import openai

from fonds.contract.failures import Failure, Misconfigured, ProviderMisbehaved, ProviderUnavailable

Kind: TypeAlias = Literal["unavailable", "misbehaved", "misconfigured", "input"]


class CallFailed(Exception):
    """A call that gave no usable reply. `detail` is a type or status name; `failure` is what to
    raise.
    """

    def __init__(self, kind: Kind, detail: str, failure: Failure) -> None:
        super().__init__(detail)
        self.kind: Kind = kind
        self.detail = detail
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happened, whether asking again may help, and how long the provider wants to be left
    alone.
    """

    failed: CallFailed
    retry: bool = False
    wait: float | None = None


def trouble_of(error: openai.OpenAIError, what: str) -> Trouble:
    """Classify an exception of the client; `what` names the provider's part, as "the embedder"."""
    if isinstance(error, openai.APITimeoutError):
        return _unavailable("APITimeoutError", f"{what} did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__ or error).__name__
        return _unavailable(
            cause, f"{what} cannot be reached ({cause}); check its base URL and the network"
        )
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, what)
    name = type(error).__name__
    return Trouble(
        CallFailed("misbehaved", name, ProviderMisbehaved(f"{what} answered out of shape ({name})"))
    )


def _of_status(error: openai.APIStatusError, what: str) -> Trouble:
    status = error.status_code
    headers = error.response.headers
    match status:
        case 401 | 403:
            return _misconfigured(status, f"{what} refuses the key ({status}); check the API key")
        case 404:
            return _misconfigured(status, f"{what} does not know the model or the address (404)")
        case 408 | 409 | 429:
            return _busy(error, what)
        case _ if status >= 500:
            return _unavailable(str(status), f"{what} fails ({status}); try again later", headers)
        case _ if 300 <= status < 400:
            # Followed, a redirect would carry private text to an address nobody configured.
            return _misconfigured(
                status, f"{what} redirects ({status}); set the base URL it redirects to"
            )
        case _:
            refused = ProviderMisbehaved(f"{what} refuses the request ({status})")
            return Trouble(CallFailed("input", _input_detail(error), refused))


def _busy(error: openai.APIStatusError, what: str) -> Trouble:
    status = error.status_code
    if error.code == "insufficient_quota":
        failure = ProviderUnavailable(
            f"{what} says the quota is used up ({status}); check the account"
        )
        return Trouble(CallFailed("unavailable", "insufficient_quota", failure))
    headers = error.response.headers
    wait = retry_after(headers)
    asked = f", asking for {wait:.0f} s" if wait is not None else ""
    return _unavailable(str(status), f"{what} is busy ({status}{asked}); try again later", headers)


def _input_detail(error: openai.APIStatusError) -> str:
    """The status, or that a content rule stopped it; no code of the provider is echoed."""
    if error.code in ("content_filter", "content_policy_violation"):
        return "content_filter"
    return str(error.status_code)


def _unavailable(detail: str, message: str, headers: Mapping[str, str] | None = None) -> Trouble:
    headers = headers if headers is not None else {}
    failed = CallFailed("unavailable", detail, ProviderUnavailable(message))
    return Trouble(failed, headers.get("x-should-retry") != "false", retry_after(headers))


def _misconfigured(status: int, message: str) -> Trouble:
    return Trouble(CallFailed("misconfigured", str(status), Misconfigured(message)))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the provider asks to be left alone: `retry-after-ms`, seconds, or a date; None when
    unsaid.
    """
    for header, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(headers.get(header))
        if seconds is not None:
            return max(0.0, seconds / divisor)
    parsed = email.utils.parsedate_tz(headers.get("retry-after", ""))
    if parsed is None:
        return None
    try:
        return max(0.0, email.utils.mktime_tz(parsed) - time.time())
    except (ValueError, OverflowError):
        return None


def _number(written: str | None) -> float | None:
    try:
        found = float(written) if written is not None else math.nan
    except ValueError:
        return None
    return found if math.isfinite(found) else None
