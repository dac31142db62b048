"""Many callers of three archives at once, over a pool of one and of two: nobody gets another's
archive, whatever fails or is given up between (R192, C01-C03).
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias

import httpx2
import pytest

from fonds.contract.failures import ProviderUnavailable
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.settings import Settings
from fonds.wiring.hosting import Hosting
from tests.api.conftest import Hosted
from tests.hosts import WORDS, app_of, host_of

CEILING = 60.0  # seconds; ends a test that hangs, and decides nothing else


class MoodyEmbedder:
    """Embeds by words, but for questions of an outage, of a defect, and of one that is held up
    until the test lets it go.
    """

    def __init__(self) -> None:
        self._inner = HashingEmbedder()
        self.space = self._inner.space
        self.entered, self.let_go = threading.Event(), threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return self._inner.embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        if "outage" in text:
            raise ProviderUnavailable("it is not there")
        if "defect" in text:
            raise ValueError("not one of ours")
        if "held" in text:
            self.entered.set()
            assert self.let_go.wait(CEILING)
        return self._inner.embed_query(text)


Asked: TypeAlias = Callable[[httpx2.AsyncClient, Hosted, str], Coroutine[Any, Any, None]]


async def _posted(
    client: httpx2.AsyncClient, address: str, body: object, headers: dict[str, str]
) -> httpx2.Response:
    return await client.post(f"/v1/archives/{address}", json=body, headers=headers)


async def finds(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    """Asked for the words of every archive, it has its own alone."""
    body = {"q": " ".join(WORDS.values())}
    reply = await _posted(client, f"{slug}/search", body, hosted.bearer(slug))
    hits = reply.json()["hits"]
    assert [hit["text"] for hit in hits if hit["raw"] == "public"] == [WORDS[slug]]
    assert {hit["entity"]["title"] for hit in hits} <= {f"On the {slug}", f"Of the {slug}"}


async def answers(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    reply = await _posted(client, f"{slug}/ask", {"q": WORDS[slug]}, hosted.bearer(slug))
    assert (reply.status_code, reply.json().get("answer")) == (200, WORDS[slug]), reply.text


async def says_whose_it_is(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    reply = await client.get(f"/v1/archives/{slug}", headers=hosted.bearer(slug))
    assert reply.json()["archive"] == slug


async def refuses_anothers_key(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    another = next(one for one in WORDS if one != slug)
    reply = await _posted(client, f"{slug}/search", {"q": "x"}, hosted.bearer(another))
    assert reply.status_code == 404


async def refuses_a_bad_body(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    reply = await _posted(client, f"{slug}/search", {"q": ""}, hosted.bearer(slug))
    assert reply.status_code == 422


async def meets_an_outage(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    for kind in ("search", "ask"):
        reply = await _posted(client, f"{slug}/{kind}", {"q": "outage"}, hosted.bearer(slug))
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")


async def meets_a_defect(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    reply = await _posted(client, f"{slug}/search", {"q": "defect"}, hosted.bearer(slug))
    assert (reply.status_code, reply.json()["type"]) == (500, "urn:fonds:problem:defect")


async def is_given_up(client: httpx2.AsyncClient, hosted: Hosted, slug: str) -> None:
    """Cancelled at once: in line, at the door, or in the middle of its work."""
    asking = asyncio.ensure_future(finds(client, hosted, slug))
    await asyncio.sleep(0)
    asking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking


KINDS: tuple[Asked, ...] = (
    finds,
    answers,
    says_whose_it_is,
    refuses_anothers_key,
    refuses_a_bad_body,
    meets_an_outage,
    meets_a_defect,
    is_given_up,
)


def served(
    hosted: Hosted,
    threads: int,
    test: Callable[[httpx2.AsyncClient, Hosting], Coroutine[Any, Any, None]],
    embedder: MoodyEmbedder,
) -> None:
    """Runs a test's requests against an application of its own, in this process."""
    settings = Settings(serve_threads=threads, serve_waiting=1_000)
    with host_of(hosted.database, hosted.folders, settings=settings, embedder=embedder) as hosting:

        async def run() -> None:
            transport = httpx2.ASGITransport(app_of(hosting), raise_app_exceptions=False)
            async with httpx2.AsyncClient(transport=transport, base_url="http://fonds") as client:
                await test(client, hosting)

        asyncio.run(run())


@pytest.mark.parametrize("threads", [1, 2])
def test_two_hundred_requests_get_what_they_asked_for(hosted: Hosted, threads: int) -> None:
    dice = random.Random(threads)  # noqa: S311 - an order, the same each time
    asked = [(slug, KINDS[n % len(KINDS)]) for n in range(67) for slug in WORDS][:200]
    dice.shuffle(asked)

    async def test(client: httpx2.AsyncClient, _: Hosting) -> None:
        turn = {slug: asyncio.Semaphore(2) for slug in WORDS}

        async def one(slug: str, kind: Asked) -> None:
            async with turn[slug]:
                await kind(client, hosted, slug)

        await asyncio.gather(*(one(slug, kind) for slug, kind in asked))

    served(hosted, threads, test, MoodyEmbedder())


def test_a_request_that_is_given_up_at_work_gives_its_connection_back(hosted: Hosted) -> None:
    """One thread, one connection: whoever comes next gets both, and an archive of its own."""
    embedder = MoodyEmbedder()

    async def test(client: httpx2.AsyncClient, hosting: Hosting) -> None:
        body = {"q": "held up"}
        asking = asyncio.ensure_future(
            _posted(client, "harbour/search", body, hosted.bearer("harbour"))
        )
        assert await asyncio.to_thread(embedder.entered.wait, CEILING)
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
        following = asyncio.ensure_future(finds(client, hosted, "mill"))
        embedder.let_go.set()
        await following
        assert hosting.pools.of("fonds_reader").get_stats()["pool_size"] == 1

    served(hosted, 1, test, embedder)


def test_a_slow_model_holds_its_own_archives_share_alone(hosted: Hosted) -> None:
    """Two threads: one is held by a question of an archive, whose second waits; the others' are
    answered meanwhile.
    """
    embedder = MoodyEmbedder()

    async def test(client: httpx2.AsyncClient, _: Hosting) -> None:
        held = [
            asyncio.ensure_future(
                _posted(client, "harbour/search", {"q": "held up"}, hosted.bearer("harbour"))
            )
            for _ in range(2)
        ]
        assert await asyncio.to_thread(embedder.entered.wait, CEILING)
        for slug in ("mill", "tide"):
            await finds(client, hosted, slug)
        assert not any(one.done() for one in held)
        embedder.let_go.set()
        assert [(await one).status_code for one in held] == [200, 200]

    served(hosted, 2, test, embedder)


def test_a_full_line_is_told_to_come_back(hosted: Hosted) -> None:
    """One caller's share of the line is used up while its question is held."""
    embedder = MoodyEmbedder()

    async def test(client: httpx2.AsyncClient, _: Hosting) -> None:
        def asked() -> Coroutine[Any, Any, httpx2.Response]:
            return _posted(client, "harbour/search", {"q": "held up"}, hosted.bearer("harbour"))

        first = asyncio.ensure_future(asked())
        assert await asyncio.to_thread(embedder.entered.wait, CEILING)
        others = [asyncio.ensure_future(asked()) for _ in range(5)]
        done, _rest = await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
        (reply,) = [one.result() for one in done]
        assert (reply.status_code, reply.json()["type"]) == (503, "urn:fonds:problem:overloaded")
        assert reply.headers["retry-after"] == "1"
        embedder.let_go.set()
        for one in (first, *(one for one in others if one not in done)):
            assert (await one).status_code == 200

    served(hosted, 1, test, embedder)
