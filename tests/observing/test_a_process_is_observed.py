"""A process that serves: what it opens, what it refuses to begin with, what it measures (R186)."""

from __future__ import annotations

import io
import json
import logging
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from fonds.contract.failures import Misconfigured
from fonds.observing.metrics_server import metrics_served
from fonds.settings import Settings
from fonds.wiring.hosting_figures import READ_AGAIN_SECONDS, HostingFigures, known_archives
from fonds.wiring.observing_process import observed_process
from tests.archives import essay, house_of, ingested, published, written
from tests.hosts import host_of
from tests.servers import Database

DAY = timedelta(days=1)


def moments(log: io.StringIO) -> list[tuple[object, object]]:
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [(one["process"], one["moment"]) for one in lines if one["event"] == "process.stands"]


def test_a_process_says_when_it_begins_and_ends_and_puts_everything_back() -> None:
    before, log = (logging.getLogRecordFactory(), sys.excepthook), io.StringIO()
    with observed_process("worker", Settings(), stream=log) as process:
        assert process.metrics_port is None
        process.ready()
        assert b'fonds_process{process="worker"} 1.0' in process.measures.page()
    assert moments(log) == [("worker", "started"), ("worker", "ready"), ("worker", "ended")]
    assert (logging.getLogRecordFactory(), sys.excepthook) == before


def test_a_port_that_is_taken_is_the_operators_to_mend() -> None:
    before, log = sys.excepthook, io.StringIO()
    with metrics_served(lambda: b"", host="127.0.0.1", port=0) as port:
        taken = observed_process("serve", Settings(metrics_port=port), stream=log)
        with pytest.raises(Misconfigured, match="FONDS_METRICS_PORT"), taken:
            pass
    assert moments(log)[-1] == ("serve", "ended")
    assert sys.excepthook is before


def test_a_job_beside_its_worker_opens_no_port() -> None:
    with observed_process("job", Settings(metrics_port=0), stream=io.StringIO()) as process:
        assert process.metrics_port is None


def test_traces_without_their_packages_name_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    lacking = observed_process("serve", Settings(traces=True), stream=io.StringIO())
    with pytest.raises(Misconfigured, match=r"pip install 'fonds\[otel\]'"), lacking:
        pass


def test_the_age_of_a_build_is_read_once_a_minute(tmp_path: Path, database: Database) -> None:
    """An archive without a build has no age, and one that cannot be used is counted."""
    folders = {slug: tmp_path / slug for slug in ("built", "waiting")}
    files = {"essays/a.md": essay("A", "Kites.")}
    with house_of(written(folders["built"], files, "built"), database) as one:
        published(one)
        made = one.live_build().built_at
    with house_of(written(folders["waiting"], files, "waiting"), database) as one:
        ingested(one)
    ticks = [0.0]
    with host_of(database, folders) as hosting:
        source = HostingFigures(hosting, lambda: 3, lambda: ticks[0], lambda: made + DAY)
        first = {(name, str(labels)): value for name, labels, value in source()}
        with house_of(folders["waiting"], database) as late:
            late.build(yes=True)
        assert len(source()) == 3
        ticks[0] = READ_AGAIN_SECONDS
        assert len(source()) == 4
    assert first["fonds_archives", "{'state': 'usable'}"] == 2
    assert first["fonds_archives", "{'state': 'unusable'}"] == 1
    (age,) = [value for (name, _), value in first.items() if name == "fonds_build_age_seconds"]
    assert age == DAY.total_seconds()


def test_a_host_knows_how_many_archives_it_was_given(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert known_archives(Settings(archives=tmp_path), None) == 2
    assert known_archives(Settings(archives=tmp_path), tmp_path / "one") == 1
    assert known_archives(Settings(), None) == 1
