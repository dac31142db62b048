"""What counting a request costs: `api.take` and `api.charge_private` against an empty SELECT.

    python -m eval.benchmarks.limiter [--rounds 2000] [--threads 4]

Prints JSON. Every contender is two round trips through `one_row`: begin, then scope, statement,
commit and wiping. A round asks each once, in turn; figures are medians in milliseconds. `refused`
is a caller whose day is used up, `charge` a new question, which waits for the disk, `charged` one
that was charged before. `together` is takes a second of so many threads, at one archive and at one
each.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from statistics import median
from threading import Thread
from time import perf_counter

import psycopg

from fonds.contract.caller import Caller
from fonds.contract.failures import TooMany
from fonds.store.archives import register_archive
from fonds.store.databases import create_database, drop_database
from fonds.store.embedded import running
from fonds.store.limiter import PostgresLimiter
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, one_row, open_pool

GOAL = 4.0  # take over the empty statement
CALLERS = 200
SPENT = Caller("key", "spent")
EMPTY = "SELECT NULL::text AS limit_hit, 0 AS retry_after"
WIDE = (
    "UPDATE private.access SET caller_per_minute = 10000, caller_per_day = 1000000,"
    " archive_per_day = 100000000, private_per_day = 100000"
)


def main() -> None:
    """Measures and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.limiter")
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=4)
    asked = parser.parse_args()
    with _archives(asked.threads) as (pool, archives):
        report: dict[str, object] = dict(_apart(pool, archives[0], asked.rounds))
        report["together"] = {
            "one_archive": _together(pool, archives[:1] * asked.threads, asked.rounds),
            "one_each": _together(pool, archives, asked.rounds),
        }
    json.dump(report, sys.stdout, indent=2)
    sys.stdout.write("\n")


def _apart(pool: Pool, archive_id: int, rounds: int) -> dict[str, float]:
    limiter = PostgresLimiter(pool)

    def refused(_number: int) -> None:
        try:
            limiter.take(archive_id, SPENT)
        except TooMany:
            return
        raise AssertionError("its day is used up")

    def ask(number: int) -> None:
        limiter.charge_private(archive_id, _caller(number), sha256(b"%d" % number).digest())

    contenders: dict[str, Callable[[int], object]] = {
        "empty": lambda _: one_row(pool, archive_id, EMPTY, {}),
        "take": lambda number: limiter.take(archive_id, _caller(number)),
        "refused": refused,
        "charge": ask,
        "charged": ask,
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name, ask_once in contenders.items():
            start = perf_counter()
            ask_once(number)
            times[name].append(perf_counter() - start)
    medians = {name: median(taken) * 1000 for name, taken in times.items()}
    report = {f"{name}_ms": round(value, 3) for name, value in medians.items()}
    report["take_to_empty"] = round(medians["take"] / medians["empty"], 2)
    report["goal"] = GOAL
    return report


def _together(pool: Pool, archives: Sequence[int], rounds: int) -> int:
    """Takes a second, of one thread an archive named."""
    limiter = PostgresLimiter(pool)

    def run(archive_id: int) -> None:
        for number in range(rounds):
            limiter.take(archive_id, _caller(number))

    threads = [Thread(target=run, args=(archive_id,)) for archive_id in archives]
    start = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return round(len(archives) * rounds / (perf_counter() - start))


def _caller(number: int) -> Caller:
    site = number % CALLERS
    return Caller("address", f"2001:db8:{site:x}:1::/64", f"2001:db8:{site:x}::/48")


@contextmanager
def _archives(count: int) -> Generator[tuple[Pool, list[int]]]:
    """A server with so many archives whose limits stand far away; gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="fonds-bench-") as folder,
        running(Path(folder) / "home") as server,
        ExitStack() as stack,
    ):
        name = f"fonds_bench_{secrets.token_hex(4)}"
        create_database(server.admin_url(), name)
        stack.callback(drop_database, server.admin_url(), name)
        migrate(server.url("fonds_migrator", name), server.keys)
        ingest, reader = (
            open_pool(server.login(role, name), size=count)
            for role in ("fonds_ingest", "fonds_reader")
        )
        stack.callback(ingest.close)
        stack.callback(reader.close)
        made = [
            register_archive(
                ingest, slug=f"bench-{n}", name="B", author="A", base_url="https://example.org"
            )
            for n in range(count)
        ]
        with psycopg.connect(server.admin_url(name)) as admin:
            admin.execute(WIDE)
        PostgresLimiter(reader).take(made[0], SPENT)
        with psycopg.connect(server.admin_url(name)) as admin:
            admin.execute("UPDATE private.caller_day SET requests = 1000000")
        yield reader, made


if __name__ == "__main__":
    main()
