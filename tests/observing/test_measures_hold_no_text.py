"""What Prometheus is given: measures filled by events, labels of closed lists alone (R186)."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection
from time import monotonic, sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from fonds.observing import metrics_server
from fonds.observing.events import (
    EVENTS,
    ArchiveSearched,
    CacheAsked,
    CallerAdmitted,
    DefectMet,
    JobEnded,
    LibraryRemark,
    LimitDecided,
    ProcessStands,
    QuestionAnswered,
    QuestionRefused,
    RefusalUnrecorded,
    RequestServed,
    TextsEmbedded,
    WorkFailed,
    WriterReplied,
)
from fonds.observing.measures import LABELS, MEASURES, Figure
from fonds.observing.measuring import Measures
from fonds.observing.metrics_server import metrics_served
from tests.observing.events import lawful_event

WORDS = "Where is the zebrawood box?"
FILLED = {
    RequestServed("ask", "POST", 200, 12.0): {
        "fonds_requests_total{route=ask,status=200}": 1,
        "fonds_request_seconds_sum{route=ask}": 0.012,
        "fonds_request_seconds_bucket{le=0.025,route=ask}": 1,
    },
    CallerAdmitted("no-key"): {"fonds_admissions_total{decision=no-key}": 1},
    LimitDecided(3, "take", "minute", "key"): {
        "fonds_limit_decisions_total{caller=key,decision=minute,step=take}": 1
    },
    CacheAsked(3, "ask", "hit"): {"fonds_cache_lookups_total{kind=ask,outcome=hit}": 1},
    TextsEmbedded(1, "done", 4.0): {"fonds_embedding_seconds_count{outcome=done}": 1},
    ArchiveSearched(3, 9, 5, "done", 40.0): {
        "fonds_retrieval_seconds_bucket{le=0.05,outcome=done}": 1,
        "fonds_retrieval_seconds_bucket{le=0.025,outcome=done}": 0,
    },
    WriterReplied("model_declined", 1500.0): {
        "fonds_writer_seconds_sum{outcome=model_declined}": 1.5
    },
    QuestionAnswered(3, "partial", 2, 50.0): {"fonds_answers_total{archive=3,mode=partial}": 1},
    QuestionRefused(None, "calibration_stale", 5.0): {
        "fonds_refusals_total{archive=none,reason=calibration_stale}": 1
    },
    RefusalUnrecorded(3, "StoreRefused"): {"fonds_refusals_unrecorded_total": 1},
    WorkFailed(3, "build", "Busy"): {"fonds_failures_total{failure=Busy,step=build}": 1},
    JobEnded(3, "ingest", 69, 2000.0): {
        "fonds_jobs_total{exit_code=69,job=ingest}": 1,
        "fonds_job_seconds_sum{job=ingest}": 2.0,
    },
    ProcessStands("worker", "started"): {"fonds_process{process=worker}": 1},
    LibraryRemark("psycopg.pool", "error", "pool.py:3"): {
        "fonds_library_remarks_total{level=error}": 1
    },
    DefectMet("thread", "KeyError", "pool.py:3", "elsewhere"): {"fonds_defects_total": 1},
}


def samples(page: bytes) -> dict[str, float]:
    """Every line of a page by name and labels, as Prometheus' own reader reads it."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(page.decode()):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


@pytest.mark.parametrize(("event", "filled"), FILLED.items(), ids=lambda one: type(one).__name__)
def test_an_event_fills_its_measures(event: object, filled: dict[str, float]) -> None:
    measures = Measures()
    measures(event)  # pyright: ignore[reportArgumentType]
    page = samples(measures.page())
    assert {name: page[name] for name in filled} == filled


def test_every_event_is_taken() -> None:
    measures = Measures()
    for kind in EVENTS:
        measures(lawful_event(kind))
    assert measures.page()


def test_the_page_holds_the_measures_of_the_table_and_no_other() -> None:
    families = {one.name for one in text_string_to_metric_families(Measures().page().decode())}
    assert {name for name in families if not name.startswith("process_")} == set(MEASURES)
    for name, measure in MEASURES.items():
        assert set(measure.labels) <= set(LABELS), name


@settings(deadline=None)
@given(label=st.sampled_from(sorted(LABELS)), value=st.text() | st.just(WORDS))
def test_no_label_takes_a_text(label: str, value: str) -> None:
    assert not LABELS[label](value) or (" " not in value and value.isascii() and value != "")


def test_a_figure_with_words_is_counted_as_missing_and_not_shown() -> None:
    measures = Measures()
    measures.read_from(lambda: [("fonds_queue_jobs", {"job": WORDS, "state": "waiting"}, 1.0)])
    page = measures.page()
    assert b"zebrawood" not in page
    assert samples(page)["fonds_scrape_failures"] == 1


def test_gauges_are_read_anew_and_what_is_gone_is_gone() -> None:
    measures = Measures()
    archives = {3: 5.0, 4: 6.0}

    def ages() -> list[Figure]:
        return [
            ("fonds_build_age_seconds", {"archive": number}, age)
            for number, age in archives.items()
        ]

    measures.read_from(ages)
    assert samples(measures.page())["fonds_build_age_seconds{archive=4}"] == 6
    del archives[4]
    archives[3] = 7.0
    page = samples(measures.page())
    assert page["fonds_build_age_seconds{archive=3}"] == 7
    assert "fonds_build_age_seconds{archive=4}" not in page


def test_a_source_out_of_order_hides_no_other() -> None:
    def broken() -> list[Figure]:
        raise ValueError(WORDS)

    measures = Measures()
    measures.read_from(broken)
    measures.read_from(lambda: [("fonds_archives", {"state": "usable"}, 2.0)])
    page = measures.page()
    assert samples(page)["fonds_archives{state=usable}"] == 2
    assert samples(page)["fonds_scrape_failures"] == 1
    assert b"zebrawood" not in page


@pytest.fixture
def fetched() -> Callable[[str, str], tuple[int, bytes]]:
    """Asks the server for one address in one way: status and body."""

    def fetch(method: str, path: str) -> tuple[int, bytes]:
        with metrics_served(lambda: b"fonds_defects_total 0.0\n", host="127.0.0.1", port=0) as port:
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request(method, path, headers={"X-Words": "zebrawood"})
            reply = connection.getresponse()
            found = reply.status, reply.read()
            connection.close()
        return found

    return fetch


@pytest.mark.parametrize(
    ("method", "path", "answered"),
    [
        ("GET", "/metrics", (200, b"fonds_defects_total 0.0\n")),
        ("GET", "/metrics?name[]=zebrawood", (404, b"")),
        ("GET", "/zebrawood", (404, b"")),
        ("POST", "/metrics", (501, b"")),
        ("ZEBRAWOOD", "/metrics", (501, b"")),
    ],
)
def test_one_address_answers_and_no_other_says_more_than_a_status(
    fetched: Callable[[str, str], tuple[int, bytes]],
    capfd: pytest.CaptureFixture[str],
    method: str,
    path: str,
    answered: tuple[int, bytes],
) -> None:
    assert fetched(method, path) == answered
    assert capfd.readouterr() == ("", "")


def test_a_caller_that_talks_no_http_or_hangs_up_is_no_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with metrics_served(lambda: b"", host="127.0.0.1", port=0) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
            with suppress(ConnectionError):  # it may have hung up before all of it was sent
                raw.sendall(b"zebrawood " * 9000 + b"\r\n\r\n")
            said = b"".join(iter(lambda: _received(raw), b""))
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/metrics")
        assert connection.getresponse().status == 200
        connection.close()
    assert b"zebrawood" not in said
    assert capfd.readouterr() == ("", "")


def test_a_head_that_comes_byte_by_byte_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """One caller is served at a time: none holds the turn, nor the end of the process."""
    monkeypatch.setattr(metrics_server, "SLOWEST_SECONDS", 0.2)
    with (
        metrics_served(lambda: b"", host="127.0.0.1", port=0) as port,
        socket.create_connection(("127.0.0.1", port), timeout=60) as raw,
        pytest.raises(ConnectionError),
    ):
        _drip(raw)


def _drip(raw: socket.socket) -> None:
    limit = monotonic() + 60  # only ends a test that hangs
    while monotonic() < limit:
        raw.sendall(b"G")
        sleep(0.01)


def test_a_port_that_is_taken_is_an_error_of_the_caller() -> None:
    with metrics_served(lambda: b"", host="127.0.0.1", port=0) as port:
        again = metrics_served(lambda: b"", host="127.0.0.1", port=port)
        with pytest.raises(OSError, match=r"in use"), again:
            pass


def _received(raw: socket.socket) -> bytes:
    try:
        return raw.recv(4096)
    except ConnectionError:
        return b""
