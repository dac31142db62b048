"""An archive and questions full of planted words; then every place a process writes to is searched
for them (R186, R164, C21).
"""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import ProviderUnavailable, StoreRefused
from fonds.contract.ports import Vector
from fonds.contract.search_request import Filters, SearchRequest
from fonds.observing.last_resort import defect_of
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.retrieval.wire_response import search_response_json
from fonds.settings import read_settings
from fonds.store.pools import transaction
from fonds.wiring.observing_process import ObservedProcess, observed_process
from fonds.wiring.opening import opened
from tests.archives import published, written
from tests.database import rows
from tests.observing.collector import collecting
from tests.observing.planted import (
    ANSWERED,
    ASKED,
    FILES,
    QUESTION,
    ServerLog,
    fetched,
    found_in,
    gist_file,
    traces,
)
from tests.servers import Database

TOLD = {
    "process.stands",
    "metrics.listening",
    "ingest.ended",
    "build.ended",
    "texts.embedded",
    "archive.searched",
    "writer.replied",
    "question.answered",
    "question.refused",
    "work.failed",
    "defect.met",
    "library.remark",
}


class Away(HashingEmbedder):
    """A provider that quotes the question when it is not there."""

    def embed_query(self, text: str) -> Vector:
        raise ProviderUnavailable(text)


class Broken(HashingEmbedder):
    """A defect whose message is the question."""

    def embed_query(self, text: str) -> Vector:
        raise RuntimeError(text)


@pytest.fixture
def folder(tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive with planted words, and the environment of whoever serves it."""
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FONDS_HOME", str(tmp_path / "unused"))
    return written(tmp_path / "archive", FILES)


def ways(process: ObservedProcess, folder: Path) -> list[str]:
    """Everything that is done with an archive and questions, well and ill; what callers got."""
    asked = SearchRequest(QUESTION, filters=Filters(creator="zebrawood"))
    with opened(read_settings(), folder, process.observer) as house:
        published(house)
        house.import_gists(gist_file(folder))
        house.build(yes=True)
        process.read_pools(house._role_pools)  # pyright: ignore[reportPrivateUsage]
        given: list[object] = [
            search_response_json(house.search(one).response) for one in (ASKED, asked)
        ]
        given += [house.ask(one).as_json() for one in (ASKED, asked, ANSWERED)]
        given += [replace(house, embedder=Away()).ask(ASKED).as_json()]
        with pytest.raises(RuntimeError, match="zebrawood") as defect:
            replace(house, embedder=Broken()).ask(ASKED)
        process.observer.note(defect_of(defect.value, "request"))
        logging.getLogger("psycopg.pool").error("in %s", QUESTION, exc_info=defect.value)
        with pytest.raises(StoreRefused), transaction(house.pool("fonds_ingest"), 1) as session:
            rows.put(session, "private.fragment", rows.fragment(1, text=QUESTION, exposure="text"))
        process.ready(8010)
        given.append(fetched(process.metrics_port or 0).decode())
    return [json.dumps(one, ensure_ascii=False) for one in given]


def test_no_place_a_process_writes_to_holds_a_planted_word(
    folder: Path,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    log = ServerLog(database)
    written_log = io.StringIO()
    monkeypatch.setenv("FONDS_METRICS_PORT", "0")
    monkeypatch.setenv("FONDS_TRACES", "true")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "question=zebrawood")
    with collecting() as collected:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collected.url)
        with observed_process("serve", read_settings(), stream=written_log) as process:
            given = ways(process, folder)
    places = {
        "log": written_log.getvalue(),
        "metrics": given.pop(),
        "traces": traces(collected),
        "stdout and stderr": "".join(capfd.readouterr()),
        "database log": log.since,
    }
    assert {place: found for place, words in places.items() if (found := found_in(words))} == {}
    check_the_premise(places, "".join(given), stored(database))


def check_the_premise(places: dict[str, str], given: str, held: str) -> None:
    """There was something to find, and each place was written to."""
    shown = {"harbourbell", "brindlewick", "lanternfish", "ottergrove"}
    assert shown <= set(found_in(given))
    assert {"quillfeather", "zephyrine", "lanternfish"} <= set(found_in(held))
    assert {json.loads(line)["event"] for line in places["log"].splitlines()} == TOLD
    for measure in ("fonds_refusals_total", "fonds_pool_connections{"):
        assert measure in places["metrics"], measure
    for span in ("ingest", "build", "search", "embed", "ask", "write"):
        assert span in places["traces"], span


def stored(database: Database) -> str:
    """The private words as the database holds them."""
    with psycopg.connect(database.admin_url) as session:
        texts = session.execute("SELECT title FROM private.entity").fetchall()
        texts += session.execute("SELECT text FROM private.fragment").fetchall()
        texts += session.execute("SELECT gist FROM served.fragment").fetchall()
    return str(texts).lower()


def test_a_real_command_prints_no_planted_word_on_stderr(folder: Path) -> None:
    """A question that is answered or refused, and three ways in which it cannot be."""
    with opened(read_settings(), folder) as house:
        published(house)
    unreadable = written(folder.parent / "unreadable", {})
    (unreadable / "archive.toml").write_text('zebrawood = "Quillfeather"\nname = ')
    away = {"OPENAI_API_KEY": "sesame", "OPENAI_BASE_URL": "http://127.0.0.1:1/zebrawood"}
    ways: tuple[tuple[Path, dict[str, str], set[int]], ...] = (
        (folder, {}, {0, 3}),
        (unreadable, {}, {2}),
        (folder, {"FONDS_READER_URL": "postgresql://fonds:sesame@127.0.0.1:1/none"}, {69}),
        (folder, away, {69}),
    )
    for archive, given, codes in ways:
        done = subprocess.run(
            [Path(sys.executable).parent / "fonds", "ask", QUESTION, "--archive", str(archive)],
            env={**os.environ, "OPENAI_LOG": "debug", "PYTHONWARNINGS": "always", **given},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in codes, done.stderr
        assert found_in(done.stderr) == []
        assert "Traceback" not in done.stderr
