"""What a build takes over from the one before shows nowhere: its rows are those of a build that had
none before it (R092).
"""

# ruff: noqa: S608 - names of tables come from this file

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, LiteralString

import psycopg

from fonds.build.acceptance import Acceptance
from fonds.build.build_served import build_served
from fonds.contract.stored_source import ReadSource
from fonds.store.build_store import PostgresBuildStore
from fonds.store.private_store import PostgresPrivateStore
from tests.database.build_corpus import TERMS, PoolOf, sources, stored
from tests.servers import Database

ENTITIES = 6
TABLES = ("entity", "fragment", "embedding", "phrase", "name", "word_list")
# Numbers are a build's own; what they stand for is not.
POSTED = """
    SELECT p.word, w.fragment_id, one & 1023
      FROM served.posting p CROSS JOIN LATERAL unnest(p.held) AS one
      LEFT JOIN served.word_list w ON w.archive_id = p.archive_id AND w.build_id = p.build_id
                                  AND w.number = one >> 10
     WHERE p.archive_id = %(archive)s AND p.build_id = %(build)s ORDER BY 1, 2, 3
    """
STRAYED = """
    SELECT count(*) FROM served.word_list w
      JOIN served.embedding v USING (archive_id, build_id, fragment_id)
     WHERE w.archive_id = %(archive)s AND w.number IS DISTINCT FROM v.number
    """
COUNTED = """
    SELECT entity_count, fragment_count, public_entity_count, text_count, phrase_word_lengths,
           phrase_char_lengths
      FROM served.build WHERE archive_id = %(archive)s AND build_id = %(build)s
    """
OTHERS: Final[Mapping[str, LiteralString]] = {"posting": POSTED, "build": COUNTED}

Session = psycopg.Connection[tuple[Any, ...]]


def marked(source: ReadSource, mark: str) -> ReadSource:
    """The same source, each of its texts with a word more and its title another."""
    ((entity, fragments),) = source.pairs
    said = tuple(replace(one, text=f"{one.text} {mark}") for one in fragments)
    called = replace(entity, title=f"{entity.title} {mark}")
    return replace(source, file_hash=mark, pairs=((called, said),))


def built(pool_of: PoolOf, archive_id: int, made: Sequence[ReadSource]) -> int:
    stored(pool_of, archive_id, made)
    store = PostgresBuildStore(pool_of("fonds_build"), archive_id)
    report = build_served(store, TERMS, lambda strings: (), acceptance=Acceptance("all"))
    assert report.build_id is not None
    return report.build_id


def served(session: Session, archive_id: int, build_id: int) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of a build by table, without the numbers that are its own."""
    asked = {"archive": archive_id, "build": build_id}
    found = {
        table: session.execute(
            f"SELECT (to_jsonb(t) - '{{archive_id,build_id,number}}'::text[])::text AS said"
            f" FROM served.{table} t WHERE archive_id = %(archive)s AND build_id = %(build)s"
            " ORDER BY said".encode(),
            asked,
        ).fetchall()
        for table in TABLES
    }
    assert session.execute(STRAYED, asked).fetchone() == (0,)
    posted = {name: session.execute(sql, asked).fetchall() for name, sql in OTHERS.items()}
    return found | posted


def test_a_build_after_changes_has_the_rows_of_a_first_one(
    pool_of: PoolOf, archive: Callable[[str], int], database: Database
) -> None:
    """Some texts and titles changed, one source gone and one come, in both layers."""
    first = list(sources(ENTITIES))
    changed = [marked(one, "lantern") if n in {2, 3} else one for n, one in enumerate(first)]
    gone, last = changed[4:6], [*changed[:4], *changed[6:]]
    kept, anew = archive("kept"), archive("anew")
    before = built(pool_of, kept, first[:-2])
    private = PostgresPrivateStore(pool_of("fonds_ingest"), kept)
    private.remove_sources([source.source_key for source in gone])
    after = built(pool_of, kept, last)
    only = built(pool_of, anew, last)
    with psycopg.connect(database.admin_url) as session:
        rows = served(session, kept, after)
        assert rows == served(session, anew, only)
        assert rows != served(session, kept, before)
        assert all(rows.values())
