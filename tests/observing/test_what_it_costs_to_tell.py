"""What a request pays for being told of, counted: every event goes to the log and is measured."""

from __future__ import annotations

import io

import pytest

from fonds.observing.checked import Event
from fonds.observing.event_log import EventLog
from fonds.observing.events import (
    ArchiveSearched,
    CacheAsked,
    CallerAdmitted,
    LimitDecided,
    RequestServed,
    TextsEmbedded,
)
from fonds.observing.measuring import Measures
from tests.python_calls import python_calls

OF_A_SEARCH = (
    CallerAdmitted("admitted", "key", 7),
    LimitDecided(1, "take", "allowed", "key"),
    CacheAsked(1, "search", "miss"),
    TextsEmbedded(1, "done", 1.5),
    ArchiveSearched(1, 1, 10, "done", 2.5),
    RequestServed("search", "POST", 200, 4.5),
)


@pytest.mark.parametrize("event", OF_A_SEARCH, ids=lambda event: event.name)
def test_a_line_is_written_in_a_few_calls(event: Event) -> None:
    """The line, its fields, the clock, the request at work, and the writing."""
    log = EventLog(io.StringIO())
    log(event)

    assert python_calls(lambda: log(event)) <= 14


@pytest.mark.parametrize("event", OF_A_SEARCH, ids=lambda event: event.name)
def test_a_series_is_looked_up_once_and_counted_each_time(event: Event) -> None:
    """Labels are held against their lists where a series is new, and not at every request."""
    measures = Measures()
    first = python_calls(lambda: measures(event))

    assert python_calls(lambda: measures(event)) < first / 2
    page = measures.page().decode()
    measures(event)
    grown = set(measures.page().decode().splitlines()) - set(page.splitlines())
    assert any(line.startswith("fonds_") and line.endswith(" 3.0") for line in grown)
