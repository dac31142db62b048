"""R084: a page of gists reads the rows it shows, however many an archive holds."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, LiteralString

import pytest
from psycopg import ClientCursor

from fonds.store.statements import statements
from tests.database.rows import Session, act, cloned, rolled_back
from tests.servers import Database, TestServer

FEW, MANY = 200, 4_000
MOST_ROWS = 100
MOST = 20
PLANNED = ("gists_after", "gist_before", "pile_counts")  # as the store asks them


@pytest.fixture(scope="module")
def heap(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as database:
        yield database


def columns(session: Session, table: str) -> dict[str, str]:
    """The columns a row has to be given, with a value each that fits its type."""
    found = session.execute(
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_schema = 'private' AND table_name = %s AND is_nullable = 'NO'"
        " AND column_default IS NULL AND is_generated = 'NEVER'",
        (table,),
    ).fetchall()
    values = {"jsonb": "'[]'", "ARRAY": "'{}'", "boolean": "false", "integer": "1", "text": "'x'"}
    return {name: values.get(kind, "now()") for name, kind in found}


def filled(session: Session, count: int, *, analysed: bool) -> int:
    """An archive of so many gists, past what would check each row; its id."""
    session.execute("SELECT set_config('session_replication_role', 'replica', true)")
    row = session.execute(
        "INSERT INTO private.archive (slug, name, author, base_url, ledger_key)"
        " VALUES ('heap', 'Heap', 'A', 'https://example.org', '') RETURNING archive_id"
    ).fetchone()
    assert row is not None
    for table, given in (
        ("entity", {"entity_id": "'note:' || n", "raw": "'private'", "exposure": "'semantic'",
                    "ngram_words": "5", "ngram_chars": "12", "gist_max_chars": "400"}),
        ("fragment", {"entity_id": "'note:' || n", "fragment_id": "'note:' || n || '#p-1'",
                      "raw": "'private'", "exposure": "'semantic'", "file_exposure": "'semantic'",
                      "place": """'[{"scheme": "page", "value": "1"}]'"""}),
        ("projection", {"fragment_id": "'note:' || n || '#p-1'", "source": "'generated'",
                        "review": "'unreviewed'", "lint": "'passed'", "gist": "'x'"}),
    ):  # fmt: skip
        values = columns(session, table) | given | {"archive_id": str(row[0])}
        written = (
            f"INSERT INTO private.{table} ({', '.join(values)})"  # noqa: S608
            f" SELECT {', '.join(values.values())} FROM generate_series(1, {count}) AS n"
        )
        session.execute(written)  # pyright: ignore[reportArgumentType, reportCallIssue]
        if analysed:
            session.execute(f"ANALYZE private.{table}")  # pyright: ignore[reportArgumentType, reportCallIssue]
    return int(row[0])


def read(plan: dict[str, Any]) -> int:
    """The rows that the scans of a plan looked at."""
    under = sum(read(one) for one in plan.get("Plans", ()))
    if "Relation Name" not in plan:
        return under
    looked = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return under + round(looked * plan["Actual Loops"])


def rows_read(
    database: Database, count: int, name: str, values: dict[str, object], *, analysed: bool
) -> int:
    concept = "build" if name == "fragments_to_check" else "curator"
    with rolled_back(database) as session:
        act(session, "fonds_curator", filled(session, count, analysed=analysed))
        if name in PLANNED:
            session.execute(statements("curator")["plan_for_piles"])
        cursor = ClientCursor(session)
        asked: LiteralString = "EXPLAIN (ANALYZE, FORMAT JSON) " + statements(concept)[name]
        found = cursor.execute(asked, values).fetchone()
        assert found is not None
        return read(found[0][0]["Plan"])


HERE = "note:100#p-1"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("gists_after", {"pile": "unreviewed", "after": HERE, "most": 6}),
        ("gists_after", {"pile": "all", "after": HERE, "most": 6}),
        ("gists_after", {"pile": "vetoed", "after": "", "most": 6}),
        ("gist_before", {"pile": "unreviewed", "before": HERE}),
        ("gist_before", {"pile": "all", "before": HERE}),
        ("pile_counts", {"most": MOST}),
        ("entities_of", {"fragment_ids": [HERE]}),
        ("fragments_to_check", {"entity_ids": ["note:100"]}),
        ("fragment_held", {"fragment_id": HERE}),
        ("gist_as_it_stands", {"fragment_id": HERE}),
    ],
)
def test_what_a_page_reads_does_not_grow(
    heap: Database, name: str, values: dict[str, object]
) -> None:
    """Whether statistics know of the archive or not."""
    for analysed in (True, False):
        few, many = (
            rows_read(heap, count, name, values, analysed=analysed) for count in (FEW, MANY)
        )
        assert max(few, many) <= MOST_ROWS
