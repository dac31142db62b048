"""Vectors: only where one lacks, kept as they come, and never a wrong one (C05, C06, C08, R041)."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from fonds.contract.embed_string import content_hash
from fonds.contract.failures import ProviderMisbehaved, ProviderUnavailable
from fonds.contract.ports import EmbedOutcome
from fonds.ingestion.report import EmbeddingStopped, IngestReport, RefusedText
from tests.archives import house_of, ingested
from tests.database.ingesting import fragment_ids, rows_of
from tests.ingestion.corpora import ESSAY, CountingEmbedder, put, written_archive
from tests.servers import Database

DOWN = ProviderUnavailable("the embedding provider answers 429")


def run(folder: Path, database: Database, embedder: CountingEmbedder) -> IngestReport:
    with house_of(folder, database, embedder) as house:
        return ingested(house)


def many(folder: Path, count: int) -> None:
    written_archive(
        folder, {f"essays/{n:03}.md": ESSAY.replace("line", f"l{n}") for n in range(count)}
    )


def vectors(database: Database) -> int:
    return len(rows_of(database, "SELECT FROM private.embedding"))


def test_a_dead_provider_keeps_rows_and_what_was_embedded(
    tmp_path: Path, database: Database
) -> None:
    """C08: 429 for ever from the third batch on; the rerun embeds the rest and nothing twice."""
    many(tmp_path, 300)
    embedder = CountingEmbedder(fails_from_call=3, failure=DOWN)
    with pytest.raises(EmbeddingStopped) as stopped:
        run(tmp_path, database, embedder)
    assert stopped.value.exit_code == 69
    assert str(stopped.value) == (
        "the embedding provider answers 429; 44 fragments wait for vectors: run fonds ingest again"
    )
    report = stopped.value.report
    assert (report.done, report.embedded, report.waiting) == (300, 256, 44)
    assert (embedder.calls, vectors(database), len(fragment_ids(database))) == (3, 256, 300)
    assert rows_of(database, "SELECT outcome, report ->> 'waiting' FROM private.run") == [
        ("failed", "44")
    ]
    again = CountingEmbedder()
    second = run(tmp_path, database, again)
    assert (second.unchanged, second.done, second.embedded, second.waiting) == (300, 0, 44, 0)
    assert not set(again.texts) & set(embedder.texts)
    assert vectors(database) == 300


def test_the_failure_survives_a_process(tmp_path: Path, database: Database) -> None:
    many(tmp_path, 1)
    with pytest.raises(EmbeddingStopped) as stopped:
        run(tmp_path, database, CountingEmbedder(failure=DOWN))
    again = pickle.loads(pickle.dumps(stopped.value))  # noqa: S301 - made here
    assert (str(again), again.exit_code) == (str(stopped.value), 69)
    assert again.report.waiting == 1


def test_an_edited_file_is_embedded_again_and_its_neighbours_are_not(
    tmp_path: Path, database: Database
) -> None:
    """R041: by hash of what is embedded; a field that is not embedded costs no call."""
    many(tmp_path, 3)
    run(tmp_path, database, CountingEmbedder())
    put(tmp_path, "essays/001.md", ESSAY.replace("Let", "Never let"))
    put(
        tmp_path,
        "essays/002.md",
        ESSAY.replace("line", "l2").replace("---\n", "---\nversion: 2\n", 1),
    )
    embedder = CountingEmbedder()
    report = run(tmp_path, database, embedder)
    assert (report.done, report.rows.vectors, len(embedder.texts)) == (2, 1, 1)
    assert rows_of(
        database, "SELECT embed_hash FROM private.embedding WHERE fragment_id = 'essay:001#whole'"
    ) == [(content_hash(embedder.texts[0]),)]


def test_another_space_gets_vectors_of_its_own(tmp_path: Path, database: Database) -> None:
    """R044, C05: spaces stand side by side; the one that is served is not touched."""
    many(tmp_path, 2)
    run(tmp_path, database, CountingEmbedder())
    report = run(tmp_path, database, CountingEmbedder(dimensions=5, model="other"))
    assert (report.unchanged, report.done, report.embedded) == (2, 0, 2)
    assert rows_of(
        database, "SELECT dimensions, count(*) FROM private.embedding GROUP BY 1 ORDER BY 1"
    ) == [(3, 2), (5, 2)]


def test_a_zero_vector_is_refused_by_name(tmp_path: Path, database: Database) -> None:
    """C06: its cosine is NaN, which passes every floor; the neighbours are kept."""
    many(tmp_path, 3)
    report = run(tmp_path, database, CountingEmbedder(zero_for="l1"))
    assert report.refused_texts == [RefusedText("essay:001#whole", "its vector is zero")]
    assert (report.embedded, report.exit_code, vectors(database)) == (2, 1, 2)
    assert "no vector: essay:001#whole: its vector is zero" in report.as_lines()


class OddEmbedder(CountingEmbedder):
    """Answers with whatever it was given."""

    outcome = EmbedOutcome(())

    def embed_passages(self, texts: object) -> EmbedOutcome:
        self.calls += 1
        return self.outcome


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (EmbedOutcome((None,), ((0, "too long"),)), "too long"),
        (EmbedOutcome((None,)), "the provider gave no vector"),
        (EmbedOutcome(((float("nan"), 1.0, 1.0),)), "its vector is not finite"),
        (EmbedOutcome(((1e9, 1.0, 1.0),)), "its vector is not finite in half precision"),
        (EmbedOutcome(((1e-9, -1e-9, -0.0),)), "its vector is zero"),
    ],
)
def test_a_text_without_a_usable_vector_is_named(
    tmp_path: Path, database: Database, outcome: EmbedOutcome, reason: str
) -> None:
    """R044, C09: after rounding to half precision, as it would be stored."""
    many(tmp_path, 1)
    embedder = OddEmbedder()
    embedder.outcome = outcome
    report = run(tmp_path, database, embedder)
    assert report.refused_texts == [RefusedText("essay:000#whole", reason)]
    assert vectors(database) == 0


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (EmbedOutcome(()), "1 vectors were expected and 0 came"),
        (EmbedOutcome(((1.0, 2.0),)), "the space has 3 dimensions and a vector came with 2"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_never_stored(
    tmp_path: Path, database: Database, outcome: EmbedOutcome, said: str
) -> None:
    """C05, C07: never misaligned, never another length; waiting does not help, so it is exit 1."""
    many(tmp_path, 1)
    embedder = OddEmbedder()
    embedder.outcome = outcome
    with pytest.raises(EmbeddingStopped) as stopped:
        run(tmp_path, database, embedder)
    assert isinstance(stopped.value.trouble, ProviderMisbehaved)
    assert stopped.value.exit_code == 1
    assert said in str(stopped.value)
    assert vectors(database) == 0
