"""An HTTP client whose replies end: in time, however slowly they drip, and in size (R043, R142)."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import cast

import httpx2

from fonds.contract.failures import ProviderMisbehaved

_DEADLINE = "fonds.deadline"


def bounded_client(
    what: str,
    longest_reply: int,
    transport: httpx2.BaseTransport | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> httpx2.Client:
    """A client for one provider. The read time-out of a request bounds the whole of its reply.

    Its own time-outs bound the pause between two pieces, which a server that sends a byte a second
    never exceeds. Redirects are not followed: text goes to the configured address only (R194).
    """

    def note_deadline(request: httpx2.Request) -> None:
        timeout = cast("dict[str, float | None]", request.extensions.get("timeout", {}))
        seconds = timeout.get("read")
        if seconds is not None:
            request.extensions[_DEADLINE] = clock() + seconds

    def bound_reply(response: httpx2.Response) -> None:
        deadline = cast("float | None", response.request.extensions.get(_DEADLINE))
        stream = cast(httpx2.SyncByteStream, response.stream)
        response.stream = _BoundedStream(stream, what, longest_reply, deadline, clock)

    return httpx2.Client(
        transport=transport,
        follow_redirects=False,
        event_hooks={"request": [note_deadline], "response": [bound_reply]},
    )


class _BoundedStream(httpx2.SyncByteStream):
    """The body of a reply, as long as its bounds hold."""

    def __init__(
        self,
        inner: httpx2.SyncByteStream,
        what: str,
        longest: int,
        deadline: float | None,
        clock: Callable[[], float],
    ) -> None:
        self._inner = inner
        self._what = what
        self._longest = longest
        self._deadline = deadline
        self._clock = clock

    def __iter__(self) -> Generator[bytes]:
        received = 0
        for piece in self._inner:
            received += len(piece)
            if received > self._longest:
                raise ProviderMisbehaved(
                    f"{self._what} answers with more than {self._longest} bytes"
                )
            if self._deadline is not None and self._clock() > self._deadline:
                raise httpx2.ReadTimeout("the whole reply took too long")
            yield piece

    def close(self) -> None:
        self._inner.close()
