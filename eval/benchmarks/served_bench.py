"""A temporary server with one archive of made-up fragments, for measurements of serving."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.store.archives import register_archive
from fonds.store.databases import create_database, drop_database
from fonds.store.embedded import EmbeddedServer, running
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool, transaction
from fonds.words.lexical import weighted_words

DIMENSIONS = 384
TOPICS = 50  # a question is near about one fragment in fifty
TOPIC_WEIGHT = 0.75  # cosines of about .36 within a topic and 0 outside: what centred spaces give
SPACE = EmbeddingSpace("bench", "topics-and-noise", DIMENSIONS)
VOCABULARY = 20_000  # made-up words, the most frequent first, as often as words of a language are
WORDS_A_TEXT = 120
# A question of seven words: the first stands in every fifth text, the last in one of a thousand.
ASKED_RANKS = (60, 100, 300, 500, 1_000, 3_000, 12_000)

Vectors = NDArray[np.float32]
Made = Callable[[int, int], tuple[Vectors, Vectors]]


@dataclass(frozen=True, slots=True)
class Bench:
    """The pools of reader and build, a superuser's connection for bare statements, the vectors."""

    reader: Pool
    build: Pool
    admin: psycopg.Connection[tuple[object, ...]]
    archive_id: int
    vectors: Vectors
    questions: Vectors

    @property
    def ids(self) -> list[str]:
        return [f"essay:{number:06}#whole" for number in range(len(self.vectors))]


@contextmanager
def bench(fragments: int, questions: int, made: Made | None = None) -> Generator[Bench]:
    """An archive of so many public fragments, served; everything is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="fonds-bench-") as folder,
        running(Path(folder) / "home") as server,
        bench_on(server, fragments, questions, made=made) as found,
    ):
        yield found


@contextmanager
def bench_on(
    server: EmbeddedServer,
    fragments: int,
    questions: int,
    *,
    made: Made | None = None,
    others: int = 0,
    of: int = 0,
) -> Generator[Bench]:
    """The same in a database of its own of a running server, beside so many `others` of so many
    fragments each.
    """
    name = f"fonds_bench_{secrets.token_hex(4)}"
    create_database(server.admin_url(), name)
    migrate(server.url("fonds_migrator", name), server.keys)
    ingest, build, reader = pools = [
        open_pool(server.login(role, name), read_only=role == "fonds_reader")
        for role in ("fonds_ingest", "fonds_build", "fonds_reader")
    ]
    try:
        vectors, asked = (made or vectors_and_questions)(fragments, questions)
        archive_id = _served(ingest, build, "bench", vectors)
        for number in range(others):
            _served(ingest, build, f"other-{number}", vectors_and_questions(of, 0)[0])
        with psycopg.connect(server.admin_url(name), autocommit=True) as admin:
            admin.execute("VACUUM ANALYZE")
            register_vector(admin)
            yield Bench(reader, build, admin, archive_id, vectors, asked)
    finally:
        for pool in pools:
            pool.close()
        drop_database(server.admin_url(), name)


def _served(ingest: Pool, build: Pool, slug: str, vectors: Vectors) -> int:
    archive_id = register_archive(
        ingest, slug=slug, name="Bench", author="Person A", base_url="https://example.org"
    )
    serve(build, archive_id, vectors)
    return archive_id


def vectors_and_questions(fragments: int, questions: int) -> tuple[Vectors, Vectors]:
    """So many fragments of some topics, and so many questions about them; the same every time."""
    random = np.random.default_rng(20250101)
    topics = random.standard_normal((TOPICS, DIMENSIONS), dtype=np.float32)
    return _about(random, topics, fragments), _about(random, topics, questions)


def _about(random: np.random.Generator, topics: Vectors, count: int) -> Vectors:
    noise = random.standard_normal((count, DIMENSIONS), dtype=np.float32)
    mixed = TOPIC_WEIGHT * topics[random.integers(0, TOPICS, count)] + noise
    # Stored in half precision: compared as stored, so that both sides see the same vectors.
    halved = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float16)
    return halved.astype(np.float32)


def word(rank: int) -> str:
    """A word of its own for each place in the vocabulary; no language has it as a stop word."""
    return "zu" + "".join("bdfgklmnpr"[int(digit)] + "a" for digit in f"{rank:05}")


def texts(count: int) -> list[str]:
    """Texts of made-up words, nearly a kilobyte and a half each; the same every time."""
    random = np.random.default_rng(20250102)
    shares = 1 / (np.arange(VOCABULARY) + 10)
    drawn = random.choice(VOCABULARY, (count, WORDS_A_TEXT), p=shares / shares.sum())
    return [" ".join(word(int(rank)) for rank in ranks) for ranks in drawn]


def serve(
    pool: Pool,
    archive_id: int,
    vectors: Vectors,
    *,
    build_id: int = 1,
    title: str = "Reading",
    live: bool = True,
) -> None:
    """Writes a build of these vectors, each with a text and its words, as the build role.

    Every title begins with `title`. A build that is not made live waits for `go_live`.
    """
    with transaction(pool, archive_id) as connection:
        values: dict[str, object] = {
            "archive": archive_id,
            "build": build_id,
            "title": title,
            "count": len(vectors),
            "space_id": SPACE.space_id,
            "provider": SPACE.provider,
            "model": SPACE.model,
            "dimensions": DIMENSIONS,
        }
        connection.execute(_GIVEN)
        with (
            connection.cursor() as cursor,
            cursor.copy("COPY given FROM STDIN (FORMAT BINARY)") as copy,
        ):
            copy.set_types(["integer", "halfvec", "text", "text[]", "int2[]"])
            for number, (vector, text) in enumerate(zip(vectors, texts(len(vectors)), strict=True)):
                words = weighted_words(text)
                row = (number, HalfVector(vector), text, list(words), list(words.values()))
                copy.write_row(row)
        for statement in _CONTENT:
            connection.execute(statement, values)
        if live:
            connection.execute(_GO_LIVE, values)


def go_live(pool: Pool, archive_id: int, build_id: int) -> None:
    """One row, one transaction: what a switch is."""
    with transaction(pool, archive_id) as connection:
        connection.execute(_GO_LIVE, {"archive": archive_id, "build": build_id})


_GO_LIVE = """
    INSERT INTO served.live VALUES (%(archive)s, %(build)s)
        ON CONFLICT (archive_id) DO UPDATE SET build_id = excluded.build_id
    """


_GIVEN = """
    CREATE TEMPORARY TABLE given (
        n integer, v ext.halfvec, t text, words text[], weights smallint[]) ON COMMIT DROP
    """
_CONTENT = (
    """
    INSERT INTO served.build (archive_id, build_id, state, provider, model, dimensions,
        query_prefix, passage_prefix, centring, space_id, score_floor, coverage_floor, fingerprint,
        narrowing, entity_count, fragment_count, public_entity_count, phrase_word_lengths,
        phrase_char_lengths, text_count)
    VALUES (%(archive)s, %(build)s, 'checked', %(provider)s, %(model)s, %(dimensions)s, '', '', '',
        %(space_id)s, 0.2, 0.5, 'bench', 0, %(count)s, %(count)s, %(count)s, '{2,3}', '{10,20}',
        %(count)s)
    """,
    """
    INSERT INTO served.entity
    SELECT %(archive)s, %(build)s, 'essay:' || lpad(n::text, 6, '0'), 'public', 'essay',
           %(title)s || ' ' || n,
           'https://example.org/' || n, '[{"name": "Person A"}]', '2019', NULL, '[]', NULL,
           '{tides}'
      FROM generate_series(0, %(count)s - 1) AS n
    """,
    """
    INSERT INTO served.fragment
    SELECT %(archive)s, %(build)s, 'essay:' || lpad(n::text, 6, '0') || '#whole',
           'essay:' || lpad(n::text, 6, '0'), 'public', 'text',
           '[{"scheme": "whole", "value": ""}]', 'whole record', t, '', '{}', NULL, NULL,
           NULL, '[]', '2019', '2019-01-01', '2019-12-31', '{}'
      FROM given
    """,
    """
    INSERT INTO served.phrase
    SELECT %(archive)s, %(build)s, 'reading ' || n, 'title',
           'essay:' || lpad(n::text, 6, '0') || '#whole', 0
      FROM generate_series(0, %(count)s - 1) AS n
    """,
    """
    INSERT INTO served.embedding
    SELECT %(archive)s, %(build)s, 'essay:' || lpad(n::text, 6, '0') || '#whole',
           'essay:' || lpad(n::text, 6, '0'), 'public', 'text', 'essay', '2019-01-01', '2019-12-31',
           %(dimensions)s, v, n + 1
      FROM given ORDER BY n
    """,
    """
    INSERT INTO served.word_list
    SELECT %(archive)s, %(build)s, 'essay:' || lpad(n::text, 6, '0') || '#whole', 'public', 'text',
           n + 1, words, weights
      FROM given ORDER BY n
    """,
)
