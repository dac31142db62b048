"""One road out of the machine: bounded in time, in size and in attempts, over the real client (R043, R142, R194)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import httpx2
import openai

from fonds.contract.failures import Misconfigured, ProviderMisbehaved
from fonds.providers.openai_trouble import CallFailed, Trouble, trouble_of

OPENAI_BASE_URL = "https://api.openai.com/v1"
CONNECT_SECONDS = 5.0
FIRST_PAUSE = 0.5  # doubled each time where the provider names no time
LONGEST_PAUSE = 30.0

Reply = TypeVar("Reply")


@dataclass(frozen=True, slots=True)
class OpenAIAccess:
    """Where a provider is and what lets us in. A server that asks for no key is given its base URL alone."""

    api_key: str | None = field(default=None, repr=False)
    base_url: str = OPENAI_BASE_URL


@dataclass(frozen=True, slots=True)
class CallLimits:
    """`request_seconds` bounds one attempt, `total_seconds` all of them with the pauses between."""

    request_seconds: float
    total_seconds: float
    attempts: int
    reply_bytes: int


class OpenAICalls:
    """Calls of one provider. The client is made on first use: nothing but a call needs a key (R045).

    Safe to share between threads. Redirects are not followed, so that text goes to the configured
    address only.
    """

    def __init__(
        self,
        what: str,
        access: OpenAIAccess,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._access = access
        self._transport = transport
        self._sleep = sleep
        self._clock = clock
        self._client: openai.OpenAI | None = None
        self._making = threading.Lock()

    def reply(self, send: Callable[[openai.OpenAI], Reply], limits: CallLimits) -> Reply:
        """Send until there is a reply, honouring Retry-After, never past the limits.

        Raises CallFailed for whatever the provider does, Misconfigured where a key is missing, and lets
        an exception of our own code through.
        """
        deadline = self._clock() + limits.total_seconds
        for attempt in range(1, limits.attempts + 1):
            try:
                return send(self._bounded(limits, deadline))
            except openai.OpenAIError as error:
                # `from None`: a reply quoted by the client must not come along in a traceback.
                trouble = trouble_of(error, self._what)
            except ProviderMisbehaved as failure:
                raise CallFailed("misbehaved", "reply too long", failure) from None
            pause = _pause(trouble, attempt)
            if not trouble.retry or attempt == limits.attempts or self._clock() + pause >= deadline:
                raise trouble.failed from None
            self._sleep(pause)
        raise AssertionError("attempts: at least 1")

    def _bounded(self, limits: CallLimits, deadline: float) -> openai.OpenAI:
        left = max(0.001, min(limits.request_seconds, deadline - self._clock()))
        timeout = httpx2.Timeout(left, connect=min(CONNECT_SECONDS, left))
        client = self._made()
        bounds = _Bounds(self._clock() + left, limits.reply_bytes, self._what, self._clock)
        return client.with_options(
            timeout=timeout, max_retries=0, http_client=_bounded_http(self._http, bounds)
        )
