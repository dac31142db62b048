"""A provider that is busy, gone or strict, from the files to what is served (C08, C09)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.search_request import SearchRequest
from fonds.ingestion.report import EmbeddingStopped
from fonds.providers.openai_embedder import IN_JOBS
from tests.archives import essay, house_of, ingested, note, published, written
from tests.database.ingesting import fragment_ids, rows_of
from tests.providers.stub_provider import Answer, busy, embedded, embedding, refused
from tests.servers import Database

WINDS = 300  # essays: three batches
LONGEST = 24 * 1024  # bytes: about what a model of 8,192 tokens takes of any script


def many(folder: Path, *, word: str = "kites") -> None:
    files = {f"essays/{n:03}.md": essay(f"Wind {n}", f"On {word}, {n}.") for n in range(WINDS)}
    written(folder, files)


def vectors(database: Database) -> int:
    return len(rows_of(database, "SELECT FROM private.embedding"))


def test_a_busy_provider_is_waited_for_and_the_run_completes(
    tmp_path: Path, database: Database
) -> None:
    """C08: batches 1 and 2 are fine, batch 3 is answered 429 twice, then 200."""
    waits: list[float] = []

    def busy_twice(number: int, inputs: list[str]) -> Answer:
        return busy("1") if number in (3, 4) else embedded(inputs)

    many(tmp_path)
    with (
        embedding(busy_twice, waits.append) as (embedder, stub),
        house_of(tmp_path, database, embedder) as house,
    ):
        report = ingested(house)
    assert (report.embedded, report.waiting, report.exit_code) == (WINDS, 0, 0)
    assert (vectors(database), waits, len(stub.requests)) == (WINDS, [1.0, 1.0], 5)
    assert sum(stub.seen.values()) == WINDS + 2 * (WINDS - 256)


def test_a_provider_that_stays_busy_leaves_the_served_build_and_is_paid_once(
    tmp_path: Path, database: Database
) -> None:
    """C08: 429 for ever from batch 3 on; the rerun asks for what lacks, and for nothing twice."""
    broken = True

    def third_fails(_number: int, inputs: list[str]) -> Answer:
        return (
            busy("1") if broken and any("Wind 299" in one for one in inputs) else embedded(inputs)
        )

    many(tmp_path, word="mills")
    with (
        embedding(lambda _number, inputs: embedded(inputs)) as (embedder, _),
        house_of(tmp_path, database, embedder) as house,
    ):
        live = published(house).build_id
    many(tmp_path)
    with (
        embedding(third_fails) as (embedder, stub),
        house_of(tmp_path, database, embedder) as house,
    ):
        with pytest.raises(EmbeddingStopped) as stopped:
            ingested(house)
        assert (stopped.value.exit_code, stopped.value.report.waiting) == (69, WINDS - 256)
        assert house.live_build().build_id == live
        assert house.search(SearchRequest("mills")).response.hits
        first = dict(stub.seen)
        assert set(first.values()) == {1, IN_JOBS.attempts}
        broken = False
        assert ingested(house).exit_code == 0
        again = {text: count - first[text] for text, count in stub.seen.items()}
        assert {text for text, count in again.items() if count} == {
            text for text, count in first.items() if count == IN_JOBS.attempts
        }
        assert house.build().build_id != live
    assert vectors(database) == WINDS


def test_a_refused_request_is_not_repeated(tmp_path: Path, database: Database) -> None:
    """C08: a 400 is an answer; what is asked again is a probe, and the rows stay."""
    written(tmp_path, {f"essays/{n}.md": essay(f"Wind {n}", "On kites.") for n in range(10)})
    with (
        embedding(lambda _number, _inputs: refused()) as (embedder, stub),
        house_of(tmp_path, database, embedder) as house,
        pytest.raises(Exception, match="refuses any input"),
    ):
        ingested(house)
    assert len(stub.requests) == 2
    assert (len(fragment_ids(database)), vectors(database)) == (10, 0)


def test_no_text_is_longer_than_a_model_takes(tmp_path: Path, database: Database) -> None:
    """C09, R043: a table of one line, unspaced pages, and ten short neighbours."""
    short = {f"essays/{n}.md": essay(f"Wind {n}", f"On kites, {n}.") for n in range(10)}
    table = "| height | hour |\n|---|---|\n| " + "4 m at 06:10, " * 4500 + "| noon |\n"
    long = {
        "essays/table.md": essay("Gauge", table),
        "essays/page.md": essay("港", "潮の石を" * 2300),
        "notes/page.md": note("Harbour", "水面の高さ" * 1800),
    }
    written(tmp_path, short | long)

    def strict(_number: int, inputs: list[str]) -> Answer:
        too_long = any(len(text.encode()) > LONGEST for text in inputs)
        return refused() if too_long else embedded(inputs)

    with (
        embedding(strict) as (embedder, stub),
        house_of(tmp_path, database, embedder) as house,
    ):
        report = ingested(house)
    assert (report.refused_texts, report.refused, report.waiting) == ([], [], 0)
    assert (report.done, vectors(database)) == (13, 13)
    assert len(stub.requests) == 1
    assert sorted(one.file for one in report.remarks) == sorted(long)


def test_a_text_the_provider_refuses_is_named_and_its_neighbours_are_kept(
    tmp_path: Path, database: Database
) -> None:
    """C09: eleven fragments, one without a vector; the run ends with 1 and names it."""
    files = {f"essays/{n:02}.md": essay(f"Wind {n}", f"On kites, {n}.") for n in range(11)}

    def refusing(_number: int, inputs: list[str]) -> Answer:
        return refused() if any("Wind 4\n" in text for text in inputs) else embedded(inputs)

    written(tmp_path, files)
    with (
        embedding(refusing) as (embedder, _),
        house_of(tmp_path, database, embedder) as house,
    ):
        report = ingested(house)
    assert [one.fragment_id for one in report.refused_texts] == ["essay:04#whole"]
    assert (report.exit_code, vectors(database), len(fragment_ids(database))) == (1, 10, 11)
