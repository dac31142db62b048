"""A build takes over the postings of the build before, and they are those of its own words (R092,
R112).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import psycopg
import pytest

from fonds.build.acceptance import Acceptance
from fonds.build.build_served import build_served
from fonds.contract.failures import ValidationRefused
from fonds.contract.stored_source import ReadSource
from fonds.store.author_store import PostgresAuthorStore
from fonds.store.build_store import PostgresBuildStore
from fonds.store.private_store import PostgresPrivateStore
from tests.database.build_corpus import PARTS, TERMS, PoolOf, sources, stored
from tests.servers import Database

ENTITIES = 6
# Added up anew from the words of each build, as if nothing had been taken over.
ANEW = """
    SELECT build_id, w.word, number >> 10 AS block,
           array_agg((number << 10) | w.weight ORDER BY number)
      FROM served.word_list CROSS JOIN LATERAL unnest(words, weights) AS w(word, weight)
     GROUP BY build_id, w.word, number >> 10 ORDER BY 1, 2, 3
    """
KEPT = """
    SELECT build_id, word, block, (SELECT array_agg(h ORDER BY h) FROM unnest(held) AS h)
      FROM served.posting ORDER BY 1, 2, 3
    """
NUMBERS = "SELECT fragment_id, number FROM served.word_list WHERE build_id = %s ORDER BY 1"
PHANTOM = (
    "UPDATE served.posting SET held = held || 2047 WHERE build_id = 1"
    " AND word = (SELECT min(word) FROM served.posting WHERE cardinality(held) > 1)"
)


def public(number: int, mark: str = "") -> ReadSource:
    """An essay, under a text of its own where there is a mark."""
    made = next(one for n, one in enumerate(sources(number + 1)) if n == 2 * number)
    ((entity, fragments),) = made.pairs
    said = tuple(replace(one, text=f"{one.text} {mark}".strip()) for one in fragments)
    return replace(made, file_hash=mark or "0", pairs=((entity, said),))


def essays(*changed: int) -> list[ReadSource]:
    return [public(n, "lantern" if n in changed else "") for n in range(ENTITIES)]


def built(pool_of: PoolOf, archive_id: int, made: Sequence[ReadSource]) -> int | None:
    stored(pool_of, archive_id, made)
    store = PostgresBuildStore(pool_of("fonds_build"), archive_id)
    return build_served(store, TERMS, lambda strings: (), acceptance=Acceptance("all")).build_id


def numbers(admin: psycopg.Connection[tuple[object, ...]], build_id: int) -> dict[object, object]:
    return dict((row[0], row[1]) for row in admin.execute(NUMBERS, (build_id,)).fetchall())


def test_postings_are_those_of_the_words_through_every_change(
    pool_of: PoolOf, archive_id: int, database: Database
) -> None:
    """A text changed, one gone, one come between the others, one withdrawn: each build's postings
    are what its own words add up to, and a text that stayed keeps its number.
    """
    private = PostgresPrivateStore(pool_of("fonds_ingest"), archive_id)
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        assert built(pool_of, archive_id, [one for n, one in enumerate(essays()) if n != 3]) == 1
        first = numbers(admin, 1)
        assert sorted(map(int, map(str, first.values()))) == list(range(1, 1 + PARTS * 5))
        private.remove_sources(["essay:1"])
        assert built(pool_of, archive_id, essays(4)[2:]) == 2
        author = PostgresAuthorStore(pool_of("fonds_curator"), archive_id)
        withdrawn = next(str(one) for one in numbers(admin, 2) if str(one).startswith("essay:5"))
        author.tighten([withdrawn], "locator")
        assert built(pool_of, archive_id, essays(4, 5)[2:]) == 3
        assert admin.execute(KEPT).fetchall() == admin.execute(ANEW).fetchall() != []
        second, third = numbers(admin, 2), numbers(admin, 3)
        assert withdrawn not in third
        for later in (second, third):
            assert len(set(later.values())) == len(later)
            assert {key: n for key, n in later.items() if key in first}.items() <= first.items()
        assert max(map(int, map(str, third.values()))) <= PARTS * 5


def test_words_that_are_said_more_often_weigh_what_they_weigh(
    pool_of: PoolOf, archive_id: int, database: Database
) -> None:
    """A text of the very same words, some of them repeated."""
    made = essays()
    ((_, fragments),) = made[2].pairs
    often = " ".join(word for one in fragments for word in [max(one.text.split(), key=len)] * 9)
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        assert built(pool_of, archive_id, made) == 1
        assert built(pool_of, archive_id, [*made[:2], public(2, often), *made[3:]]) == 2
        words = (
            "SELECT array_agg(DISTINCT word ORDER BY word) FROM served.posting GROUP BY build_id"
        )
        before, after = admin.execute(words).fetchall()
        assert before == after, "the premise: no word came and none went"
        assert admin.execute(KEPT).fetchall() == admin.execute(ANEW).fetchall() != []


def test_a_posting_that_is_no_words_is_not_taken_over_unseen(
    pool_of: PoolOf, archive_id: int, database: Database
) -> None:
    """What is taken over is counted against the words before anybody is served by it, and the
    phantom proves that it was taken over.
    """
    assert built(pool_of, archive_id, essays()) == 1
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        assert admin.execute(PHANTOM).rowcount == 1
        with pytest.raises(ValidationRefused, match="postings are not those of its words"):
            built(pool_of, archive_id, essays(2))
        # Other words nearly everywhere: all of it is added up anew, and nothing of before is asked.
        assert built(pool_of, archive_id, essays(0, 1, 2, 3, 4)) is not None
        live = admin.execute("SELECT build_id FROM served.live").fetchone()
        assert live is not None
        rows = [row for row in admin.execute(KEPT).fetchall() if row[0] == live[0]]
        assert rows == [row for row in admin.execute(ANEW).fetchall() if row[0] == live[0]]
