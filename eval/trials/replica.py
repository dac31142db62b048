"""What a hot standby answers, what needs the primary, and when a withdrawal is seen there.

    python -m eval.trials.replica [--fragments 5000] [--rounds 40] [--withdrawals 30]

Prints JSON. A streaming standby is made of a temporary server. `search` asks both servers, in turn
and as the reader, and compares the replies. `needs` says of each thing a service does whether it
comes to something on the standby. `withdrawn` withdraws fragments on the primary and looks for each
on the standby at once: how many replies still showed it, with the primary not waiting for the
standby (`local`) and with it waiting until that has applied the change (`remote_apply`).
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psycopg
from psycopg import sql

from eval.benchmarks.load_bed import LoadedArchive, minted
from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import Vectors, serve, vectors_and_questions
from eval.trials.standby import Standby, standby_of
from fonds.contract.caller import Caller
from fonds.contract.failures import Failure
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.search import search
from fonds.store.archives import open_archive, register_archive
from fonds.store.databases import create_database
from fonds.store.door import PostgresDoor
from fonds.store.embedded import EmbeddedServer, running
from fonds.store.limiter import PostgresLimiter
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool, transaction
from fonds.store.refusal_store import PostgresRefusalLog
from fonds.store.revision import check_revision
from fonds.store.role_proof import prove_reader
from fonds.store.scope import Login
from fonds.store.served_store import PostgresServedStore

SLUG = "trial"
_REQUEST = SearchRequest(QUESTION, limit=10, recency="none")
_CALLER = Caller("key", "1")


@dataclass(frozen=True, slots=True)
class _Pair:
    """The same database on two servers, and the reader's pool on each."""

    database: str
    primary: EmbeddedServer
    standby: Standby
    reader_on: dict[str, Pool]
    archive: LoadedArchive
    questions: Vectors


def main() -> None:
    """Tries and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.trials.replica")
    parser.add_argument("--fragments", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--withdrawals", type=int, default=30)
    asked = parser.parse_args()
    report = tried(asked.fragments, asked.rounds, asked.withdrawals)
    json.dump(report, sys.stdout, indent=2)
    sys.stdout.write("\n")


def tried(fragments: int, rounds: int, withdrawals: int) -> dict[str, Any]:
    """The whole report; both servers are gone afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fonds-replica-")))
        server = stack.enter_context(running(folder / "home"))
        name = f"fonds_replica_{secrets.token_hex(4)}"
        create_database(server.admin_url(), name)
        migrate(server.url("fonds_migrator", name), server.keys)
        archive, questions = _filled(server, name, fragments, rounds)
        standby = stack.enter_context(standby_of(server, folder / "standby"))
        standby.caught_up()
        readers = {
            place: stack.enter_context(
                open_pool(_login(server, at, "fonds_reader", name), read_only=True)
            )
            for place, at in (("primary", server), ("standby", standby.server))
        }
        pair = _Pair(name, server, standby, readers, archive, questions)
        return {
            "fragments": fragments,
            "search": _searched(pair),
            "needs": {what: _outcome(work) for what, work in _works(pair).items()},
            "withdrawn": {
                "local": _withdrawn(pair, range(withdrawals), waits=False),
                "remote_apply": _withdrawn(pair, range(withdrawals, 2 * withdrawals), waits=True),
            },
        }


def _login(primary: EmbeddedServer, at: EmbeddedServer, role: str, name: str) -> Login:
    """A role at either server: a standby holds the primary's rows, so it knows the same key."""
    return Login(role, at.url(role, name), primary.key(role))


def _filled(
    server: EmbeddedServer, name: str, fragments: int, rounds: int
) -> tuple[LoadedArchive, Vectors]:
    vectors, questions = vectors_and_questions(fragments, rounds)
    with (
        open_pool(server.login("fonds_ingest", name)) as ingest,
        open_pool(server.login("fonds_build", name)) as build,
    ):
        archive_id = register_archive(
            ingest, slug=SLUG, name=SLUG, author="Person A", base_url="https://example.org"
        )
        serve(build, archive_id, vectors)
    key = minted(server.login("fonds_host", name), archive_id)
    return LoadedArchive(SLUG, archive_id, (key,)), questions


def _searched(pair: _Pair) -> dict[str, object]:
    times: dict[str, list[float]] = {place: [] for place in pair.reader_on}
    same = 0
    embedder = GivenVector()
    for question in pair.questions:
        embedder.vector = tuple(map(float, question.tolist()))
        replies: list[object] = []
        for place, pool in pair.reader_on.items():
            store = PostgresServedStore(pool, pair.archive.archive_id)
            began = perf_counter()
            replies.append(search(_REQUEST, store, embedder))
            times[place].append(perf_counter() - began)
        same += replies[0] == replies[1]
    return {
        "milliseconds": {place: round(median(t) * 1000, 2) for place, t in times.items()},
        "questions": len(pair.questions),
        "sameReplies": same,
    }


def _works(pair: _Pair) -> dict[str, Callable[[], object]]:
    """What a service and its neighbours do, each on the standby."""
    reader, archive = pair.reader_on["standby"], pair.archive
    url = pair.standby.server.url
    limiter = PostgresLimiter(reader)

    def on_standby(role: str, statement: str) -> object:
        login = _login(pair.primary, pair.standby.server, role, pair.database)
        with open_pool(login) as pool, transaction(pool, 1) as connection:
            return connection.execute(statement.encode()).fetchall()

    return {
        "find an archive": lambda: open_archive(reader, SLUG),
        "check the revision": lambda: check_revision(url("fonds_reader", pair.database)),
        "prove the reader weak": lambda: prove_reader(reader),
        "let a caller in": lambda: PostgresDoor(reader).admit(SLUG, archive.keys[0], "search"),
        "count a request": lambda: limiter.take(archive.archive_id, _CALLER),
        "charge a private question": lambda: limiter.charge_private(
            archive.archive_id, _CALLER, bytes(32)
        ),
        "note a refusal": lambda: PostgresRefusalLog(reader, archive.archive_id).note_refusal(
            "no_evidence", {}
        ),
        "read as the curator": lambda: on_standby("fonds_curator", "SELECT FROM private.fragment"),
        "stage rows of an ingest": lambda: on_standby(
            "fonds_ingest", "CREATE TEMPORARY TABLE staged (a integer)"
        ),
    }


def _outcome(work: Callable[[], object]) -> str:
    try:
        work()
    except Failure as failure:
        return f"refused: {type(failure).__name__}"
    return "answered"


def _withdrawn(pair: _Pair, numbers: Iterable[int], *, waits: bool) -> dict[str, float]:
    """How many of these, looked for on the standby as soon as the primary had committed, were still
    there; and what a withdrawal took.
    """
    _set_waiting(pair.standby.primary, waits=waits)
    shown = 0
    taken: list[float] = []
    held = PostgresServedStore(pair.reader_on["standby"], pair.archive.archive_id)
    with open_pool(pair.primary.login("fonds_build", pair.database)) as build:
        for number in numbers:
            fragment_id = f"essay:{number:06}#whole"
            began = perf_counter()
            with transaction(build, pair.archive.archive_id) as connection:
                connection.execute(
                    "DELETE FROM served.fragment WHERE fragment_id = %s", (fragment_id,)
                )
            taken.append(perf_counter() - began)
            with held.reading() as reader:
                shown += bool(reader.content([fragment_id]))
    _set_waiting(pair.standby.primary, waits=False)
    return {"stillShown": shown, "of": len(taken), "ms": round(median(taken) * 1000, 2)}


def _set_waiting(primary: psycopg.Connection[Any], *, waits: bool) -> None:
    """Whether a commit waits until the standby shows it; returns when new sessions are told so."""
    names, commit = ("*", "remote_apply") if waits else ("", "on")
    for setting, value in (("synchronous_standby_names", names), ("synchronous_commit", commit)):
        primary.execute(
            sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(setting), sql.Literal(value))
        )
    primary.execute("SELECT pg_reload_conf()")
    while primary.execute("SHOW synchronous_standby_names").fetchone() != (names,):
        pass


if __name__ == "__main__":
    main()
