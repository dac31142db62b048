"""What a build costs is counted, not timed: rows that plans walk, statements, rows that leave the
database (R092, R199).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, LiteralString, cast

import psycopg
import pytest
from psycopg.abc import Params, Query, QueryNoTemplate

from fonds.build.acceptance import Acceptance
from fonds.build.build_report import BuildReport
from fonds.build.build_served import build_served
from fonds.contract.stored_source import ReadSource
from fonds.store.build_session import PostgresBuildSession
from fonds.store.build_store import PostgresBuildStore
from fonds.store.pools import Pool, transaction
from fonds.store.statements import statements
from tests.database.build_corpus import (
    PARTS,
    PRIVATE_WORD,
    PUBLIC_WORD,
    SPACE,
    TERMS,
    PoolOf,
    materialised,
    session_of,
    sources,
    stored,
)
from tests.database.plan_rows import nodes_rows
from tests.factories import a_fragment, an_entity, chapter
from tests.servers import Database

SMALL, LARGE = 25, 200  # entities a layer
GROWTH = LARGE / SMALL  # the square of it, were rows joined one by one
READ = (
    "lacking_vectors",
    "entities_to_check",
    "entity_titles",
    "distinct_themes",
    "distinct_names",
    "fingerprint",
    "served_problems",
    "second_lint",
    "swept_strings",
)
WRITTEN = (
    "serve_entities",
    "serve_fragments",
    "serve_vectors",
    "serve_title_phrases",
    "serve_theme_phrases",
    "serve_creators",
    "serve_speakers",
    "count_build",
)


def build_of(store: PostgresBuildStore) -> BuildReport:
    return build_served(
        store,
        TERMS,
        lambda strings: tuple(s.text for s in strings if not s.text),
        acceptance=Acceptance("all"),
    )


def rows_walked(session: PostgresBuildSession) -> Counter[str]:
    """Of each statement of a build, all rows that its plan's nodes gave or looked at."""
    connection = session.connection
    values: dict[str, object] = {
        "build_id": session.build_id,
        "space_id": SPACE.space_id,
        "terms": "",
        "fingerprint": "",
        "narrowing": 0,
        "entity_ids": [row.entity.entity_id for row in session.entities_to_check()][:20],
    }
    walked = Counter({name: explained(connection, name, values) for name in READ})
    # One batch of entities. A test's tables are small enough to be read whole, an archive's not.
    connection.execute("SET LOCAL enable_seqscan = off")
    walked["fragments_to_check"] = explained(connection, "fragments_to_check", values)
    connection.execute("SET LOCAL enable_seqscan = on")
    connection.execute(
        "INSERT INTO served.build (archive_id, build_id, state, provider, model, dimensions,"
        " query_prefix, passage_prefix, centring, space_id, score_floor, coverage_floor,"
        " fingerprint, narrowing) SELECT archive_id, 99, 'building', provider, model, dimensions,"
        " '', '', '', space_id, 0, 0, '', 0 FROM served.build"
    )
    for name in WRITTEN:
        walked[name] = explained(connection, name, values | {"build_id": 99})
    return walked


def explained(connection: psycopg.Connection[Any], name: str, values: dict[str, object]) -> int:
    asked: LiteralString = "EXPLAIN (ANALYZE, FORMAT JSON) " + statements("build")[name]
    row = connection.execute(asked, values).fetchone()
    assert row is not None
    return round(nodes_rows(row[0][0]["Plan"]))


def grown(small: Counter[str], large: Counter[str]) -> list[str]:
    """Statements whose rows grew out of proportion; a plan may change and walk some rows twice."""
    return [name for name in large if large[name] > 2 * GROWTH * small[name]]


def both_sizes(
    pool_of: PoolOf, archive: Callable[[str], int], *, joined: str = ""
) -> tuple[Counter[str], Counter[str]]:
    walked: list[Counter[str]] = []
    for slug, entities in (("small", SMALL), ("large", LARGE)):
        with materialised(pool_of, archive(slug), entities) as session:
            if joined:
                session.connection.execute(
                    "SELECT set_config('enable_nestloop', %s, true)", [joined]
                )
            walked.append(rows_walked(session))
    return walked[0], walked[1]


def test_each_statement_of_a_build_walks_rows_in_proportion(
    pool_of: PoolOf, archive: Callable[[str], int]
) -> None:
    """Eight times the archive is about eight times the rows, and a batch stays a batch."""
    small, large = both_sizes(pool_of, archive)
    assert set(small) == {*READ, *WRITTEN, "fragments_to_check"}
    assert grown(small, large) == []
    assert large["fragments_to_check"] <= 1.5 * small["fragments_to_check"]


def test_joining_rows_one_by_one_would_be_seen(
    pool_of: PoolOf, archive: Callable[[str], int]
) -> None:
    """The count can fail: what the planner chooses by itself grows with the square."""
    small, large = both_sizes(pool_of, archive, joined="on")
    assert grown(small, large) != []


@dataclass
class Watched:
    """What passed between a store and its server."""

    sent: Counter[str] = field(default_factory=Counter[str])
    received: Counter[str] = field(default_factory=Counter[str])
    values: list[bytes] = field(default_factory=list[bytes])


def watched(pool: Pool) -> Watched:
    """Counts the statements of a pool by name and keeps what they answer."""
    seen = Watched()
    names = {text: name for name, text in statements("build").items()}

    class Cursor(psycopg.Cursor[Any]):
        def execute(
            self,
            query: Query,
            params: Params | None = None,
            *,
            prepare: bool | None = None,
            binary: bool | None = None,
        ) -> Cursor:
            super().execute(cast("QueryNoTemplate", query), params, prepare=prepare, binary=binary)
            name = names.get(str(query), "another")
            seen.sent[name] += 1
            if (answer := self.pgresult) is not None:
                seen.received[name] += answer.ntuples
                cells = product(range(answer.ntuples), range(answer.nfields))
                seen.values.extend(answer.get_value(row, field) or b"" for row, field in cells)
            return self

    cast("dict[str, object]", pool.kwargs)["cursor_factory"] = Cursor
    return seen


def built_and_watched(pool_of: PoolOf, archive_id: int, entities: int) -> Watched:
    stored(pool_of, archive_id, list(sources(entities)))
    pool = pool_of("fonds_build")
    seen = watched(pool)
    assert build_of(PostgresBuildStore(pool, archive_id)).fragments == 2 * PARTS * entities
    return seen


def test_no_text_of_the_public_layer_passes_through_python(
    pool_of: PoolOf, archive_id: int
) -> None:
    """R092: a build copies inside the server; only what is linted is read."""
    seen = built_and_watched(pool_of, archive_id, SMALL)
    assert seen.received["entities_to_check"] == SMALL
    assert seen.received["fragments_to_check"] == SMALL * PARTS
    assert any(PRIVATE_WORD in value for value in seen.values)
    assert not any(PUBLIC_WORD in value for value in seen.values)


def test_a_build_sends_as_many_statements_whatever_it_holds(
    pool_of: PoolOf, archive: Callable[[str], int]
) -> None:
    """But for one more for each 50 entities that are linted."""
    small, large = (
        built_and_watched(pool_of, archive(slug), entities).sent
        for slug, entities in (("small", SMALL), ("large", LARGE))
    )
    assert (small.pop("fragments_to_check"), large.pop("fragments_to_check")) == (1, 4)
    assert small == large


def test_an_unchanged_archive_sends_nothing_that_writes_or_lints(
    pool_of: PoolOf, archive_id: int
) -> None:
    built_and_watched(pool_of, archive_id, SMALL)
    pool = pool_of("fonds_build")
    seen = watched(pool)
    assert build_of(PostgresBuildStore(pool, archive_id)).unchanged
    assert set(seen.sent) == {
        *("another", "plan_for_many", "builds", "begin_build", "drop_build", "drop_unfinished"),
        *("snapshot_narrowing", "fingerprint", "swept_strings"),
    }


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("It was an inventory of a", "household's hidden papers, all of it.", True),
        ("household's hidden papers, all of it.", "It was an inventory of a", False),
        ("An inventory, of a HOUSEHOLD: nothing.", "Nothing else.", True),
        ("An inventory of the household.", "Hidden papers.", False),
    ],
)
def test_the_second_lint_reads_an_entity_as_one_text(
    first: str, second: str, *, found: bool, pool_of: PoolOf, archive_id: int, database: Database
) -> None:
    """A run may begin in one fragment and end in the next, in the order of their ids (R063)."""
    entity = an_entity(entity_id="book:papers", exposure="semantic", title="Papers")
    fragments = tuple(
        a_fragment(entity_id="book:papers", exposure="semantic", place=chapter(number), text=text)
        for number, text in ((1, "Nothing yet."), (2, "Nor here."))
    )
    stored(pool_of, archive_id, [ReadSource("p", "private", "0", "0", ((entity, fragments),))])
    store = PostgresBuildStore(pool_of("fonds_build"), archive_id)
    live = build_of(store).build_id
    assert live is not None
    assert store.served_problems(live) == []
    with psycopg.connect(database.admin_url) as session:
        for one, text in zip(fragments, (first, second), strict=True):
            session.execute(
                "UPDATE private.fragment SET text = %s WHERE fragment_id = %s",
                (text, one.fragment_id),
            )
    problems = [f"{one.fragment_id}: gist quotes private text" for one in fragments]
    assert sorted(store.served_problems(live)) == (problems if found else [])


def test_a_build_keeps_its_plans(pool_of: PoolOf, archive_id: int) -> None:
    """Planned for a build that no statistics know, each check of a reference is planned anew."""
    with session_of(pool_of, archive_id) as session:
        row = session.connection.execute("SHOW plan_cache_mode").fetchone()
        assert row == ("force_generic_plan",)
    with transaction(pool_of("fonds_build"), archive_id) as connection:
        row = connection.execute("SHOW plan_cache_mode").fetchone()
        assert row == ("auto",)
