"""The request a thread or task is at work on: what every event of it is told with."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from fonds.observing.vocabulary import RequestId


@dataclass(slots=True)
class RequestInHand:
    """One request, by random bits; `archive` is its archive's number once it was admitted.

    `embedding_ms` grows while questions of it are embedded, so that retrieval can be told apart.
    """

    request_id: RequestId
    archive: int | None = None
    embedding_ms: float = 0.0


_IN_HAND: ContextVar[RequestInHand | None] = ContextVar("fonds_request_in_hand", default=None)


def in_hand() -> RequestInHand | None:
    """The request at work here; threads that are given its context see the same one."""
    return _IN_HAND.get()


def admitted_to(archive: int) -> None:
    """Tells the request at work which archive it was let into; nothing outside of a request."""
    if (request := _IN_HAND.get()) is not None:
        request.archive = archive


@contextmanager
def taken_in_hand(request: RequestInHand) -> Generator[RequestInHand]:
    """Until the end of the block, what is told here is told of this request."""
    before = _IN_HAND.set(request)
    try:
        yield request
    finally:
        _IN_HAND.reset(before)
