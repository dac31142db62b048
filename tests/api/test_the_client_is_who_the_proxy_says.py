"""Over HTTP and two workers, a header is believed from a trusted proxy alone (R187, C24)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from itertools import cycle

import psycopg
import pytest
from starlette.testclient import TestClient

from fonds.settings import Settings
from tests.api.conftest import Hosted
from tests.database.at_once import within_one_day
from tests.hosts import app_of, host_of

ALLOWED = 3
PROXY, STRANGER = "10.0.0.1", "198.51.100.1"
BODY = {"q": "the tidal clock of Wieke"}


@pytest.fixture
def narrow(hosted: Hosted) -> Generator[None]:
    """The open archive allows a caller little; afterwards, what it did before."""
    changed = "UPDATE private.access SET caller_per_day = %s WHERE anonymous RETURNING archive_id"
    with psycopg.connect(hosted.database.admin_url, autocommit=True) as session:
        before = session.execute(
            "SELECT caller_per_day FROM private.access WHERE anonymous"
        ).fetchone()
        assert before is not None
        assert len(session.execute(changed, (ALLOWED,)).fetchall()) == 1
        yield
        session.execute(changed, before)


@pytest.mark.usefixtures("narrow")
def test_made_up_addresses_are_one_caller_and_clients_of_a_proxy_are_each_their_own(
    hosted: Hosted,
) -> None:
    settings = Settings(trusted_proxies="10.0.0.0/8")
    with ExitStack() as stack:
        hostings = [
            stack.enter_context(host_of(hosted.database, hosted.folders, settings=settings))
            for _ in range(2)
        ]
        workers = cycle([app_of(one) for one in hostings])

        def answered(peer: str, headers: list[str]) -> str:
            """How many of these are answered; all the others are told when to come back."""
            statuses: list[int] = []
            for header in headers:
                client = TestClient(next(workers), client=(peer, 50_000))
                reply = client.post(
                    "/v1/archives/tide/search", json=BODY, headers={"X-Forwarded-For": header}
                )
                statuses.append(reply.status_code)
                assert (reply.status_code == 429) == ("retry-after" in reply.headers)
            assert set(statuses) <= {200, 429}
            return f"{statuses.count(200)} of {len(statuses)}"

        def attempt() -> list[str]:
            with psycopg.connect(hosted.database.admin_url) as session:
                session.execute("DELETE FROM private.caller_day")
            return [
                answered(STRANGER, [f"203.0.113.{number}" for number in range(100)]),
                answered(PROXY, [f"192.0.2.{n}, 203.0.113.1" for n in range(5)]),
                answered(PROXY, [f"192.0.2.{n}, 203.0.113.2" for n in range(5)]),
            ]

        told = within_one_day(hosted.database, attempt)
    assert told == [f"{ALLOWED} of 100", f"{ALLOWED} of 5", f"{ALLOWED} of 5"]
