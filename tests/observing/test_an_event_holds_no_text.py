"""The set of events is closed, and so is what each may hold (R186)."""

from __future__ import annotations

import inspect
import io
import json
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.api.mcp_routes import PATH as MCP_PATH
from fonds.contract import failures
from fonds.contract.failures import Failure, ProviderUnavailable
from fonds.ingestion.report import EmbeddingStopped
from fonds.observing import events
from fonds.observing.checked import Event, check_of
from fonds.observing.event_log import EventLog
from fonds.observing.events import EVENTS, ProcessStands, RequestServed
from fonds.observing.in_hand import RequestInHand, admitted_to, taken_in_hand
from fonds.observing.vocabulary import (
    ROUTES,
    FailureName,
    RoleName,
    failure_name,
    method_name,
    route_name,
)
from fonds.settings import ROLE_FIELDS
from tests.house.tree import ROOT
from tests.observing.events import SHAPED, annotations_of, lawful_event

FIELDS = [(kind, name) for kind in EVENTS for name in annotations_of(kind)]
WORDS = "Where is the zebrawood box?"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def test_every_event_is_in_the_list() -> None:
    written = {
        kind
        for _, kind in inspect.getmembers(events, inspect.isclass)
        if issubclass(kind, Event) and kind is not Event
    }
    assert set(EVENTS) == written
    assert len({kind.name for kind in EVENTS}) == len(EVENTS)


@pytest.mark.parametrize("kind", EVENTS)
def test_an_event_is_made_of_what_its_fields_allow(kind: type[Event]) -> None:
    assert list(lawful_event(kind).marks()) == list(annotations_of(kind))


@settings(deadline=None)
@given(field=st.sampled_from(FIELDS), value=st.text() | st.just(WORDS) | st.binary())
def test_no_field_of_any_event_takes_a_text(field: tuple[type[Event], str], value: object) -> None:
    """Whatever a caller or an author could write; a word of the closed lists is what they are."""
    kind, name = field
    if _is_taken(kind, name, value):
        assert isinstance(value, str)
        assert " " not in value
        assert len(value) <= 100
        assert value.isascii()


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_a_question_is_refused_in_each_field(kind: type[Event], name: str) -> None:
    for words in (WORDS, "zebrawood\n", "où", "x" * 200, [WORDS], {"a": WORDS}, WORDS.encode()):
        with pytest.raises(ValueError, match="vocabulary") as refused:
            lawful_event(kind, **{name: words})
        assert "zebrawood" not in str(refused.value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), True, 2**64, "12"])
def test_a_number_is_a_finite_number(number: object) -> None:
    with pytest.raises(ValueError, match="status"):
        lawful_event(RequestServed, status=number)


@pytest.mark.parametrize("annotation", [str, object, bytes, list[int], str | None, dict[str, int]])
def test_an_annotation_that_lets_text_in_cannot_be_checked(annotation: object) -> None:
    with pytest.raises(TypeError, match="closed words"):
        check_of(annotation)


def test_the_shapes_are_all_that_an_event_takes_beside_its_lists() -> None:
    """A shape more is a decision: it is written here too."""
    shaped = {
        part
        for kind in EVENTS
        for annotation in annotations_of(kind).values()
        for part in (annotation, *get_args(annotation))
        if hasattr(part, "__metadata__")
    }
    assert shaped <= set(SHAPED)


def test_the_lists_are_the_engines_own() -> None:
    """Copies of one list are tied by this: failures, roles."""
    family = {
        name
        for name, kind in inspect.getmembers(failures, inspect.isclass)
        if issubclass(kind, Failure)
    }
    assert set(get_args(FailureName)) == family | {"defect"}
    assert set(get_args(RoleName)) - {"other"} >= set(ROLE_FIELDS)


def test_a_failure_is_named_by_its_nearest_class_of_the_family() -> None:
    class Made(ProviderUnavailable):
        """A failure some module has of its own."""

    assert failure_name(Made(WORDS)) == "ProviderUnavailable"
    assert issubclass(EmbeddingStopped, Failure)
    assert failure_name(KeyError(WORDS)) == "defect"


@pytest.mark.parametrize("words", [WORDS, "/v1/archives/zebrawood/search", "/livez?q=x", ""])
def test_a_route_and_a_method_of_the_callers_own_are_other(words: str) -> None:
    assert (route_name(words), method_name(words)) == ("other", "other")
    assert (route_name("/v1/archives/{archive}/ask"), method_name("POST")) == ("ask", "POST")
    assert route_name(None) == "other"


def test_every_route_of_the_service_has_its_name() -> None:
    """A route without one would be `other` in the access log, and told apart from nothing."""
    declared = json.loads((ROOT / "tests/api/openapi.snapshot.json").read_text(encoding="utf-8"))
    assert {*declared["paths"], MCP_PATH} <= set(ROUTES)
    assert len(set(ROUTES.values())) == len(ROUTES)


def test_a_line_is_the_event_with_its_request() -> None:
    written = io.StringIO()
    log = EventLog(written, now=lambda: NOON)
    log(ProcessStands("serve", "ready", 8010))
    with taken_in_hand(RequestInHand("0" * 32)):
        log(RequestServed("livez", "GET", 200, 0.25))
        admitted_to(7)
        log(RequestServed("ask", "POST", 200, 12.5))
    admitted_to(8)
    log(ProcessStands("serve", "ended"))
    at = "2026-01-02T12:00:00.000+00:00"
    asked = {"event": "request.served", "request": "0" * 32}
    assert [json.loads(line) for line in written.getvalue().splitlines()] == [
        {"at": at, "event": "process.stands", "process": "serve", "moment": "ready", "port": 8010},
        {"at": at, **asked, "route": "livez", "method": "GET", "status": 200, "milliseconds": 0.25},
        {
            "at": at,
            **asked,
            "archive": 7,
            "route": "ask",
            "method": "POST",
            "status": 200,
            "milliseconds": 12.5,
        },
        {"at": at, "event": "process.stands", "process": "serve", "moment": "ended"},
    ]


def test_what_is_no_event_of_the_list_is_not_written() -> None:
    @dataclass(frozen=True, slots=True)
    class Another(Event):
        name: ClassVar[str] = "another"
        words: str

        def __post_init__(self) -> None:
            """Unchecked."""

    written = io.StringIO()
    with pytest.raises(TypeError, match="list of events"):
        EventLog(written)(Another(WORDS))
    assert written.getvalue() == ""


def test_a_log_that_takes_no_more_ends_no_work() -> None:
    written = io.StringIO()
    log = EventLog(written)
    written.close()
    log(ProcessStands("serve", "started"))
    assert log.dropped == 1


def test_lines_of_many_threads_stay_whole() -> None:
    written = io.StringIO()
    log = EventLog(written, now=lambda: NOON)
    together = threading.Barrier(4)

    def write() -> None:
        together.wait(60)
        for _ in range(50):
            log(ProcessStands("serve", "ready", 1))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = written.getvalue().splitlines()
    assert (len(lines), len(set(lines))) == (200, 1)


def _is_taken(kind: type[Event], name: str, value: object) -> bool:
    try:
        return lawful_event(kind, **{name: value}).marks()[name] == value
    except ValueError:
        return False
