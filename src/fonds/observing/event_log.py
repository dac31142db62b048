"""The log of a process that serves: one JSON line an event, and nothing that is no event."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, TextIO

import structlog

from fonds.observing.checked import Event, Mark
from fonds.observing.events import EVENTS
from fonds.observing.in_hand import in_hand

_KNOWN: Final = frozenset(EVENTS)
_JSON: Final = json.JSONEncoder()  # made once, not at every line


def utc_now() -> datetime:
    return datetime.now(UTC)


class EventLog:
    """A sink that writes events as lines of JSON: time, event, request, then the event's fields.

    An event of no known class is refused with TypeError; a stream that takes no more is no reason
    to end the work, so the line is counted in `dropped` and forgotten.
    """

    def __init__(self, stream: TextIO, *, now: Callable[[], datetime] = utc_now) -> None:
        self.dropped = 0
        self._now = now
        self._writer = structlog.WriteLogger(stream)  # takes turns between threads

    def __call__(self, event: Event) -> None:
        if type(event) not in _KNOWN:
            raise TypeError("only an event that is in the list of events is logged")
        try:
            self._writer.msg(_JSON.encode(self._line_of(event)))
        except (OSError, ValueError):  # ValueError: the stream was closed
            self.dropped += 1

    def _line_of(self, event: Event) -> dict[str, Mark]:
        return {
            "at": self._now().isoformat(timespec="milliseconds"),
            "event": event.name,
            **_about_request(),
            **{name: mark for name, mark in event.marks().items() if mark is not None},
        }


def _about_request() -> dict[str, Mark]:
    request = in_hand()
    if request is None:
        return {}
    told = {"request": request.request_id, "archive": request.archive}
    return {name: mark for name, mark in told.items() if mark is not None}
