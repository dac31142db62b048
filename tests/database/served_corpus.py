"""A served build written row by row as the build role, for tests that need vectors of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgvector import HalfVector
from psycopg import Connection
from psycopg.types.json import Jsonb

from fonds.contract.attribution import Attribution
from fonds.contract.date_interval import DateInterval, date_interval
from fonds.contract.disclosure import Raw, ServedExposure
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.entity import slug_of
from fonds.contract.normalised_text import has_unspaced_script, normalised_text
from fonds.store.pools import Pool, transaction
from fonds.words.lexical import weighted_words

MAX_PHRASE_CHARS = 512


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One entity with its one fragment, `#whole`, as a build would serve it."""

    entity_id: str
    vector: tuple[float, ...]
    raw: Raw = "public"
    exposure: ServedExposure = "text"
    title: str = "Untitled"
    themes: tuple[str, ...] = ()
    creators: tuple[Attribution, ...] = ()
    speakers: tuple[Attribution, ...] = ()
    date: str | None = None
    fragment_themes: tuple[str, ...] = ()
    text: str = "A passage that is public."

    @property
    def fragment_id(self) -> str:
        return f"{self.entity_id}#whole"

    @property
    def type(self) -> str:
        return self.entity_id.partition(":")[0]

    @property
    def days(self) -> DateInterval | None:
        return None if self.date is None else date_interval(self.date)

    @property
    def own_themes(self) -> tuple[str, ...]:
        """The fragment's, else its entity's (R109)."""
        return self.fragment_themes or self.themes

    @property
    def is_text(self) -> bool:
        return (self.raw, self.exposure) == ("public", "text")

    @property
    def words(self) -> Mapping[str, int]:
        """Those of what may be quoted, weighted; nothing else has words (R112)."""
        if not self.is_text:
            return {}
        return weighted_words("\n\n".join((self.title, *self.own_themes, self.text)))

    @property
    def title_phrases(self) -> frozenset[str]:
        return _storable((self.title, slug_of(self.entity_id)))

    @property
    def theme_phrases(self) -> frozenset[str]:
        return _storable(self.own_themes)


def a_space(dimensions: int) -> EmbeddingSpace:
    return EmbeddingSpace("scripted", "by-hand", dimensions)


def theme_frequencies(rows: Iterable[CorpusRow]) -> Mapping[str, int]:
    """On how many public entities each theme stands."""
    counts: dict[str, int] = {}
    for row in rows:
        for phrase in row.theme_phrases:
            counts[phrase] = counts.get(phrase, 0) + (row.raw == "public")
    return counts


def write_build(
    pool: Pool,
    archive_id: int,
    build_id: int,
    rows: Sequence[CorpusRow],
    *,
    score_floor: float = 0.2,
    space: EmbeddingSpace | None = None,
    live: bool = True,
) -> None:
    """Serves the rows under this id in place of the earlier builds, or checks them beside those."""
    space = space or a_space(len(rows[0].vector) if rows else 4)
    with transaction(pool, archive_id) as connection:
        if live:
            connection.execute("DELETE FROM served.live")
            connection.execute("DELETE FROM served.build")
        _write_head(connection, archive_id, build_id, rows, space, score_floor)
        _write_content(connection, archive_id, build_id, rows)
        _write_lookups(connection, archive_id, build_id, rows)
        if live:
            connection.execute(
                "INSERT INTO served.live VALUES (%(archive)s, %(build)s)",
                {"archive": archive_id, "build": build_id},
            )


def _write_head(
    connection: Connection[Any],
    archive_id: int,
    build_id: int,
    rows: Sequence[CorpusRow],
    space: EmbeddingSpace,
    score_floor: float,
) -> None:
    phrases = {phrase for row in rows for phrase in row.title_phrases | row.theme_phrases}
    connection.execute(
        """
        INSERT INTO served.build (archive_id, build_id, state, provider, model, dimensions,
            query_prefix, passage_prefix, centring, space_id, score_floor, coverage_floor,
            fingerprint, narrowing, entity_count, fragment_count, public_entity_count,
            phrase_word_lengths, phrase_char_lengths, text_count)
        VALUES (%(archive)s, %(build)s, 'checked', %(provider)s, %(model)s, %(dimensions)s,
            '', '', '', %(space_id)s, %(floor)s, 0, 'by hand', 0, %(count)s, %(count)s,
            %(public)s, %(words)s, %(chars)s, %(texts)s)
        """,
        {
            "archive": archive_id,
            "build": build_id,
            "provider": space.provider,
            "model": space.model,
            "dimensions": space.dimensions,
            "space_id": space.space_id,
            "floor": score_floor,
            "count": len(rows),
            "public": sum(row.raw == "public" for row in rows),
            "texts": sum(row.is_text for row in rows),
            "words": sorted({phrase.count(" ") + 1 for phrase in phrases}),
            "chars": sorted({len(phrase) for phrase in phrases}),
        },
    )


def _write_content(
    connection: Connection[Any], archive_id: int, build_id: int, rows: Sequence[CorpusRow]
) -> None:
    with connection.cursor() as cursor:
        values = [
            _values(row) | {"archive": archive_id, "build": build_id, "number": number}
            for row, number in zip(rows, _numbers(rows), strict=True)
        ]
        cursor.executemany(
            """
            INSERT INTO served.entity VALUES (%(archive)s, %(build)s, %(entity)s, %(raw)s, %(type)s,
                %(title)s, 'https://example.org/' || %(entity)s, %(creators)s, %(date)s, NULL, '[]',
                NULL, %(themes)s)
            """,
            values,
        )
        cursor.executemany(
            """
            INSERT INTO served.fragment VALUES (%(archive)s, %(build)s, %(fragment)s, %(entity)s,
                %(raw)s, %(exposure)s, '[{"scheme": "whole", "value": ""}]', 'whole record',
                %(text)s, '', '{}', %(gist)s, %(gist_source)s, %(gist_review)s, %(speakers)s,
                %(date)s, %(first)s, %(last)s, %(fragment_themes)s)
            """,
            values,
        )
        cursor.executemany(
            """
            INSERT INTO served.embedding VALUES (%(archive)s, %(build)s, %(fragment)s, %(entity)s,
                %(raw)s, %(exposure)s, %(type)s, %(first)s, %(last)s, %(dimensions)s, %(vector)s,
                %(number)s)
            """,
            values,
        )


def _numbers(rows: Sequence[CorpusRow]) -> list[int | None]:
    """Texts are numbered; they spread over two blocks of postings."""
    return [1000 + place if row.is_text else None for place, row in enumerate(rows)]


def _write_lookups(
    connection: Connection[Any], archive_id: int, build_id: int, rows: Sequence[CorpusRow]
) -> None:
    frequencies = theme_frequencies(rows)
    phrases = [
        (archive_id, build_id, phrase, kind, row.fragment_id, frequency)
        for row in rows
        for kind, phrase, frequency in (
            *(("title", phrase, 0) for phrase in row.title_phrases),
            *(("theme", phrase, frequencies[phrase]) for phrase in row.theme_phrases),
        )
    ]
    names = {
        (archive_id, build_id, kind, name, has_unspaced_script(name), row.fragment_id)
        for row in rows
        for kind, people in (("creator", row.creators), ("speaker", row.speakers))
        for name in (normalised_text(person.name) for person in people if not person.placeholder)
    }
    lists = [
        (archive_id, build_id, row.fragment_id, number, list(row.words), list(row.words.values()))
        for row, number in zip(rows, _numbers(rows), strict=True)
        if row.is_text
    ]
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO served.word_list VALUES (%s, %s, %s, 'public', 'text', %s, %s, %s)", lists
        )
        cursor.executemany("INSERT INTO served.phrase VALUES (%s, %s, %s, %s, %s, %s)", phrases)
        cursor.executemany("INSERT INTO served.name VALUES (%s, %s, %s, %s, %s, %s)", sorted(names))


def _values(row: CorpusRow) -> dict[str, object]:
    semantic = row.exposure == "semantic"
    days = row.days
    return {
        "entity": row.entity_id,
        "fragment": row.fragment_id,
        "raw": row.raw,
        "exposure": row.exposure,
        "type": row.type,
        "title": row.title,
        "themes": list(row.themes),
        "fragment_themes": list(row.fragment_themes),
        "creators": Jsonb([_person(person) for person in row.creators]),
        "speakers": Jsonb([_person(person) for person in row.speakers]),
        "date": row.date,
        "first": None if days is None else days.start,
        "last": None if days is None else days.end,
        "text": row.text if row.exposure == "text" else "",
        "gist": "What the passage is about." if semantic else None,
        "gist_source": "generated" if semantic else None,
        "gist_review": "unreviewed" if semantic else None,
        "dimensions": len(row.vector),
        "vector": HalfVector(list(row.vector)),
    }


def _person(person: Attribution) -> dict[str, str]:
    return {"name": person.name} | (
        {} if person.placeholder is None else {"placeholder": person.placeholder}
    )


def _storable(written: Iterable[str]) -> frozenset[str]:
    phrases = (normalised_text(text) for text in written)
    return frozenset(phrase for phrase in phrases if 0 < len(phrase) <= MAX_PHRASE_CHARS)
