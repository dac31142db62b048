"""One road out of the machine: the real client, bounded in time and attempts (R043, R142, R194)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2
import openai

from fonds.contract.failures import Misconfigured, ProviderMisbehaved
from fonds.providers.bounded_http import bounded_client
from fonds.providers.openai_trouble import CallFailed, Trouble, trouble_of

OPENAI_BASE_URL = "https://api.openai.com/v1"
CONNECT_SECONDS = 5.0
FIRST_PAUSE = 0.5  # doubled each time where the provider names no time
LONGEST_PAUSE = 30.0

Reply = TypeVar("Reply")


@dataclass(frozen=True, slots=True)
class OpenAIAccess:
    """Where a provider is and what lets us in. Another server than OpenAI's may need no key.

    Raises Misconfigured for an address that is not http or https, or that holds a password: an
    address is printed, a key never is.
    """

    api_key: str | None = field(default=None, repr=False)
    base_url: str = field(default=OPENAI_BASE_URL, repr=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base_url)
            usable = (
                parts.scheme in ("http", "https")
                and bool(parts.hostname)
                and "@" not in parts.netloc
            )
            usable = usable and (parts.port is None or parts.port > 0)
        except ValueError:
            usable = False
        if not usable:
            raise Misconfigured("OPENAI_BASE_URL: an http or https address without a user name")


@dataclass(frozen=True, slots=True)
class CallLimits:
    """`request_seconds` bounds one attempt, `total_seconds` all of them with the pauses between."""

    request_seconds: float
    total_seconds: float
    attempts: int


class OpenAICalls:
    """Calls to one provider. The client is made on first use: nothing but a call needs a key
    (R045).

    Safe to share between threads. `what` names the provider in messages, as "the embedder".
    """

    def __init__(
        self,
        what: str,
        access: OpenAIAccess,
        longest_reply: int,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._access = access
        self._longest_reply = longest_reply
        self._transport = transport
        self._sleep = sleep
        self._clock = clock
        self._client: openai.OpenAI | None = None
        self._making = threading.Lock()

    def reply(self, send: Callable[[openai.OpenAI], Reply], limits: CallLimits) -> Reply:
        """Send until there is a reply, honouring Retry-After, never past the limits.

        Raises CallFailed for whatever the provider does and Misconfigured where the key is missing;
        an exception of our own code passes through (R161).
        """
        client = self._made()
        deadline = self._clock() + limits.total_seconds
        for attempt in range(1, limits.attempts + 1):
            trouble: Trouble
            try:
                return send(self._timed(client, limits, deadline))
            except openai.OpenAIError as error:
                trouble = trouble_of(error, self._what)
            except ProviderMisbehaved as failure:
                trouble = Trouble(CallFailed("misbehaved", "reply out of bounds", failure))
            pause = _pause(trouble, attempt)
            if not trouble.retry or attempt == limits.attempts or self._clock() + pause >= deadline:
                # Outside the handler: the client's exception may quote a reply, and is no context.
                raise trouble.failed
            self._sleep(pause)
        raise AssertionError("attempts: at least 1")

    def close(self) -> None:
        """Let go of open connections; the next call makes others."""
        with self._making:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _timed(self, client: openai.OpenAI, limits: CallLimits, deadline: float) -> openai.OpenAI:
        left = max(0.001, min(limits.request_seconds, deadline - self._clock()))
        timeout = httpx2.Timeout(left, connect=min(CONNECT_SECONDS, left))
        return client.with_options(timeout=timeout, max_retries=0)

    def _made(self) -> openai.OpenAI:
        with self._making:
            if self._client is None:
                self._client = openai.OpenAI(
                    api_key=self._key(),
                    base_url=self._access.base_url,
                    max_retries=0,
                    http_client=bounded_client(
                        self._what, self._longest_reply, self._transport, self._clock
                    ),
                )
            return self._client

    def _key(self) -> str:
        key = (self._access.api_key or "").strip()  # a key read from a file ends with its line
        if key:
            if not (key.isascii() and key.isprintable()):
                # The HTTP layer would quote it in its error.
                raise Misconfigured(f"{self._what}: the API key holds a character no key has")
            return key
        if self._access.base_url == OPENAI_BASE_URL:
            raise Misconfigured(f"{self._what} needs an API key: set OPENAI_API_KEY")
        return "none"  # the client insists on one; a server without keys does not look at it


def _pause(trouble: Trouble, attempt: int) -> float:
    if trouble.wait is not None:
        return trouble.wait
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
