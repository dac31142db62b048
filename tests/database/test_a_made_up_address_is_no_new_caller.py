"""What a client writes into a header gives it no allowance, over two workers (C24, R187)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_network
from itertools import cycle

import psycopg
import pytest

from fonds.contract.client_address import caller_at, client_address
from fonds.store.limiter import PostgresLimiter
from fonds.store.pools import open_pool
from tests.database import rows
from tests.database.at_once import told, within_one_day
from tests.database.limits import allow
from tests.servers import Database

ALLOWED = 7
TRUSTED = (ip_network("10.0.0.0/8"),)


@pytest.fixture
def workers(database: Database) -> Iterator[Iterator[PostgresLimiter]]:
    """Two workers that take turns."""
    with ExitStack() as stack:
        pools = [open_pool(database.login("fonds_reader")) for _ in range(2)]
        for pool in pools:
            stack.callback(pool.close)
        yield cycle([PostgresLimiter(pool) for pool in pools])


def test_a_hundred_made_up_addresses_are_one_caller_and_two_clients_of_a_proxy_are_two(
    database: Database, workers: Iterator[PostgresLimiter]
) -> None:
    archives = iter(range(1_000))

    def attempt() -> list[str]:
        with psycopg.connect(database.admin_url) as session:
            archive_id = rows.registered(session, f"archive-{next(archives)}")
            allow(session, archive_id, caller_per_day=ALLOWED)

        def counted(peer: str, header: str) -> bool:
            caller = caller_at(client_address(peer, [header], TRUSTED))
            return told(lambda: next(workers).take(archive_id, caller)) == "counted"

        alone = sum(counted("198.51.100.1", f"203.0.113.{number}") for number in range(100))
        behind = [
            sum(counted("10.0.0.1", f"192.0.2.{n}, {client}") for n in range(20))
            for client in ("203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db8::2")
        ]
        return [str(alone), *map(str, behind)]

    allowance = str(ALLOWED)
    assert within_one_day(database, attempt) == [allowance] * 4 + ["0"], "one host has one /64"
