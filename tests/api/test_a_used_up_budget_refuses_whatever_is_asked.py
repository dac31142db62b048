"""Private questions of a caller, over search, ask and kept replies alike, up to the end (R187)."""

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest

from fonds.contract.ports import Vector
from fonds.providers.hashing_embedder import HashingEmbedder
from tests.api.conftest import Hosted
from tests.database.at_once import within_one_day
from tests.hosts import PRIVATE, WORDS, client_of, host_of, minted

FIRST = {"q": PRIVATE["mill"]}
SECOND = {"q": f"{PRIVATE['mill']} Why?"}
PUBLIC = {"q": WORDS["mill"], "filters": {"raw": "public"}}


class Embedder(HashingEmbedder):
    """One that counts what it is asked."""

    asked = 0

    def embed_query(self, text: str) -> Vector:
        self.asked += 1
        return super().embed_query(text)


@pytest.fixture
def two_questions(hosted: Hosted) -> Generator[None]:
    """Every archive allows a caller two; afterwards, what it does without a word."""
    changed = "UPDATE private.access SET private_per_day = %s"
    with psycopg.connect(hosted.database.admin_url, autocommit=True) as session:
        session.execute(changed, (2,))
        yield
        session.execute(changed, (None,))


@pytest.mark.usefixtures("two_questions")
def test_after_the_last_one_nothing_is_searched(hosted: Hosted) -> None:
    """What is asked then does not matter: a public question and a kept reply are refused too."""
    told = within_one_day(hosted.database, lambda: asked_by_two(hosted))
    asked_before = ["200 searched", "200", "200 searched", "200 searched", "200 searched"]
    assert told == [*asked_before, *["429"] * 4, "200", "200", "429"]


def asked_by_two(hosted: Hosted) -> list[str]:
    """What a service that has kept nothing yet tells two new keys, and whether it embedded."""
    embedder = Embedder()
    keys = [minted(hosted.database, "mill", "search", "ask") for _ in range(2)]
    with (
        host_of(hosted.database, hosted.folders, embedder=embedder) as hosting,
        client_of(hosting) as client,
    ):

        def asked(key: str, what: str, body: object) -> str:
            before = embedder.asked
            reply = client.post(
                f"/v1/archives/mill/{what}", json=body, headers={"Authorization": f"Bearer {key}"}
            )
            return f"{reply.status_code}{' searched' * (embedder.asked > before)}"

        return [
            asked(keys[0], "search", FIRST),
            asked(keys[0], "search", FIRST),
            asked(keys[0], "ask", FIRST),
            asked(keys[0], "search", PUBLIC),
            asked(keys[0], "search", SECOND),
            asked(keys[0], "search", {"q": "What else was asked of nobody?"}),
            asked(keys[0], "search", PUBLIC),
            asked(keys[0], "search", FIRST),
            asked(keys[0], "ask", PUBLIC),
            # Another caller is charged for the replies that were kept.
            asked(keys[1], "search", FIRST),
            asked(keys[1], "search", SECOND),
            asked(keys[1], "search", PUBLIC),
        ]
