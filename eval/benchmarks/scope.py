"""What a sealed scope costs, against a setting that is taken at its word.

    python -m eval.benchmarks.scope [--fragments 1000 10000] [--rounds 300]

Prints JSON. Two servers of one archive each, with the same rows; on one of them `api.scope()` is
replaced by a function that reads the setting, and is asked in one message, with no question for the
moment. `empty` is a transaction that asks for its scope and does nothing else, `search` the whole
way to a response with the question's vector given. A round asks both in turn, the first one first
and then the other; figures are medians in milliseconds over all rounds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from statistics import median
from time import perf_counter
from typing import Any, LiteralString

from psycopg import ClientCursor, Connection

from eval.benchmarks.search import LIMIT, QUESTION, GivenVector
from eval.benchmarks.served_bench import Bench, bench
from fonds.contract.ports import ServedReader
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.search import search
from fonds.store.pools import Pool, snapshot
from fonds.store.scope import SET_SCOPE
from fonds.store.served_rows import build_from
from fonds.store.served_store import PostgresServedReader, PostgresServedStore
from fonds.store.statements import statements

SIZES = (1_000, 10_000)
_EMPTY: LiteralString = "SELECT api.scope()"
_BEGIN: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_TAKEN_AT_ITS_WORD: LiteralString = """
    CREATE OR REPLACE FUNCTION api.scope() RETURNS integer
        LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog
    AS $$
    DECLARE
        written text := current_setting('fonds.archive', true);
    BEGIN
        IF written IS NULL OR written !~ '^[0-9]{1,9}$' THEN
            RAISE EXCEPTION 'no archive is set for this transaction' USING ERRCODE = '55000';
        END IF;
        RETURN written::integer;
    END $$
    """


def main() -> None:
    """Measures each size and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.scope")
    parser.add_argument("--fragments", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=300)
    asked = parser.parse_args()
    report = {str(size): measured(size, asked.rounds) for size in asked.fragments}
    json.dump(report, sys.stdout, indent=2)
    sys.stdout.write("\n")


def measured(fragments: int, rounds: int) -> dict[str, float]:
    """Medians, and what the seal adds to each, as a difference and as a ratio."""
    with bench(fragments, rounds) as sealed, bench(fragments, rounds) as bare:
        bare.admin.execute(_TAKEN_AT_ITS_WORD)
        contenders: dict[str, Callable[[int], object]] = {
            "sealed_empty": lambda _: _asked(snapshot, sealed),
            "bare_empty": lambda _: _asked(_bare_snapshot, bare),
            "sealed_search": _searching(sealed, _store_of(sealed)),
            "bare_search": _searching(bare, _BareStore(bare.reader, bare.archive_id)),
        }
        times: dict[str, list[float]] = {name: [] for name in contenders}
        for number in range(rounds):
            pairs = list(contenders.items())
            for name, ask_once in pairs if number % 2 else reversed(pairs):
                start = perf_counter()
                ask_once(number)
                times[name].append(perf_counter() - start)
    spent = {name: median(taken) * 1000 for name, taken in times.items()}
    report = {f"{name}_ms": round(value, 3) for name, value in spent.items()}
    for kind in ("empty", "search"):
        sealed_ms, bare_ms = spent[f"sealed_{kind}"], spent[f"bare_{kind}"]
        report[f"{kind}_more_ms"] = round(sealed_ms - bare_ms, 3)
        report[f"{kind}_to_bare"] = round(sealed_ms / bare_ms, 3)
    return report


def _asked(beginning: Callable[..., Any], found: Bench) -> object:
    with beginning(found.reader, found.archive_id, _EMPTY, {}) as (_, rows):
        return rows


def _store_of(found: Bench) -> PostgresServedStore:
    return PostgresServedStore(found.reader, found.archive_id)


def _searching(found: Bench, store: PostgresServedStore | _BareStore) -> Callable[[int], object]:
    embedder = GivenVector()
    request = SearchRequest(QUESTION, limit=LIMIT, recency="none")

    def ask(number: int) -> object:
        embedder.vector = tuple(map(float, found.questions[number].tolist()))
        return search(request, store, embedder)

    return ask


class _BareStore:
    """A served store as it would be if the setting were taken at its word."""

    def __init__(self, pool: Pool, archive_id: int) -> None:
        self._pool = pool
        self._archive_id = archive_id

    @contextmanager
    def reading(self) -> Generator[ServedReader]:
        opening = statements("served")["live_build"]
        values = {"archive_id": self._archive_id}
        with _bare_snapshot(self._pool, self._archive_id, opening, values) as (connection, rows):
            yield PostgresServedReader(connection, self._archive_id, build_from(rows[0]))


@contextmanager
def _bare_snapshot(
    pool: Pool, archive_id: int, opening: LiteralString, values: Mapping[str, object]
) -> Generator[tuple[Connection[Any], list[tuple[Any, ...]]]]:
    """As `fonds.store.pools.snapshot`, in one message."""
    connection = pool.getconn()
    try:
        connection.autocommit = True
        cursor = ClientCursor(connection)
        sent = "; ".join((_BEGIN, SET_SCOPE, opening))
        cursor.execute(sent, {"archive": str(archive_id)} | dict(values))
        while cursor.nextset():
            pass
        yield connection, cursor.fetchall()
    finally:
        pool.put_committed(connection)


if __name__ == "__main__":
    main()
