"""R187: threads that may wait for providers are bounded over all archives, so that who needs none
is answered while two archives' providers hang, and who needs one waits in line.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import httpx2
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from fonds.api.crowd import Crowd, Ticket
from fonds.archive_config import ArchiveConfig
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import ProviderUnavailable
from fonds.contract.ports import Embedder, EmbedOutcome, Vector
from fonds.settings import Settings
from fonds.wiring.current_archives import CurrentArchives
from fonds.wiring.elsewhere import asks_elsewhere
from fonds.wiring.hosting import Hosting
from fonds.wiring.spaces import Spaces
from tests.api.conftest import Hosted
from tests.hosts import client_of, host_of

CEILING = 60.0  # ends a test that hangs, and decides nothing


class Hanging:
    """An embedder elsewhere that answers nothing until it is let go, and then that it is away."""

    space = EmbeddingSpace("openai", "far-away", 3)

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.entered = threading.Semaphore(0)

    def embed_query(self, text: str) -> Vector:
        self.entered.release()
        assert self.let_go.wait(CEILING)
        raise ProviderUnavailable("the embedder is away")

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        raise AssertionError("no search embeds passages")


class Elsewhere(Spaces):
    """What is elsewhere is one embedder, which a test holds."""

    def __init__(self, settings: Settings, far: Embedder) -> None:
        super().__init__(settings)
        self._far = far

    def of(self, config: ArchiveConfig) -> Embedder:
        return self._far if config.embedding.provider == "openai" else super().of(config)


def moved_elsewhere(hosting: Hosting, far: Embedder, *slugs: str) -> None:
    """Has these archives ask for a provider elsewhere, as their files would say it."""
    configs = dict(hosting.archives.current())
    for slug in slugs:
        embedding = replace(configs[slug].embedding, provider="openai")
        configs[slug] = replace(configs[slug], embedding=embedding)
    hosting.spaces = Elsewhere(hosting.settings, far)
    hosting.archives = CurrentArchives(lambda: configs)
    hosting.archives.current()


def asked(client: TestClient, hosted: Hosted, slug: str) -> httpx2.Response:
    return client.post(
        f"/v1/archives/{slug}/search", json={"q": "herring, rye"}, headers=hosted.bearer(slug)
    )


def problem(reply: httpx2.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["type"].rpartition(":")[2]


def test_two_archives_whose_provider_hangs_leave_the_third_a_thread(hosted: Hosted) -> None:
    """Four threads: two wait for one archive's provider and one for the other's, whose next
    question waits in line until the providers are let go.
    """
    settings, far = Settings(serve_threads=4), Hanging()
    with ExitStack() as stack:
        hosting: Hosting = stack.enter_context(
            host_of(hosted.database, hosted.folders, settings=settings)
        )
        moved_elsewhere(hosting, far, "harbour", "mill")
        client = stack.enter_context(client_of(hosting))
        askers = stack.enter_context(ThreadPoolExecutor(5))
        stack.callback(far.let_go.set)
        waiting: list[Future[httpx2.Response]] = []
        for slug in ("harbour", "harbour", "mill"):
            waiting.append(askers.submit(asked, client, hosted, slug))
            assert far.entered.acquire(timeout=CEILING)

        waiting.append(askers.submit(asked, client, hosted, "mill"))
        answered = askers.submit(asked, client, hosted, "tide").result(CEILING)

        assert answered.status_code == 200
        assert not any(one.done() for one in waiting)
        far.let_go.set()
        for one in waiting:
            assert problem(one.result(CEILING)) == (503, "provider-unavailable")


def elsewhere(crowd: Crowd, archive: str, number: int) -> Ticket:
    return crowd.arrive(archive, f"{archive} {number}", elsewhere=True)


def test_one_archive_alone_has_its_half_and_the_last_place_is_for_another() -> None:
    crowd = Crowd(threads=8, waiting=40)
    first = [elsewhere(crowd, "a", number) for number in range(5)]
    second = [elsewhere(crowd, "b", number) for number in range(2)]
    third, fourth = elsewhere(crowd, "c", 0), elsewhere(crowd, "d", 0)

    assert [crowd.is_at_work(one) for one in first] == [1, 1, 1, 1, 0]
    assert [crowd.is_at_work(one) for one in second] == [1, 0]
    assert [crowd.is_at_work(one) for one in (third, fourth)] == [1, 0]
    near = [crowd.arrive("e", f"e {number}") for number in range(3)]
    assert [crowd.is_at_work(one) for one in near] == [1, 1, 0]
    assert crowd.leave(near[0]) == (near[2],), "a thread that is free is for those that wait here"
    assert crowd.leave(first[0]) == (fourth,), "the last place is for an archive that has none"


@given(
    threads=st.integers(1, 40),
    steps=st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=80),
)
def test_no_order_of_calls_takes_more_than_there_are_or_loses_one(
    threads: int, steps: list[tuple[int, bool]]
) -> None:
    crowd, most = Crowd(threads, waiting=1_000), max(1, threads - (threads + 3) // 4)
    held: list[Ticket] = []
    for number, (archive, arrives) in enumerate(steps):
        if arrives:
            held.append(elsewhere(crowd, str(archive), number))
        elif held:
            crowd.leave(held.pop(0))
        at_work = [one.archive for one in held if crowd.is_at_work(one)]
        assert len(at_work) == crowd.at_work <= most
        assert all(at_work.count(one) <= max(1, (threads + 1) // 2) for one in at_work)
        assert not held or at_work, "somebody is at work while anybody waits"
    while held:
        crowd.leave(held.pop())
    assert (crowd.at_work, crowd.in_line) == (0, 0)


def test_an_archive_waits_for_what_its_file_names_and_for_a_writer_where_it_writes(
    hosted: Hosted,
) -> None:
    keyed = Settings.model_validate({"openai_api_key": "sk-made-up"})
    with host_of(hosted.database, hosted.folders) as hosting:
        here = hosting.archives.current()["tide"]
        moved_elsewhere(hosting, Hanging(), "harbour")
        there = hosting.archives.current()["harbour"]
        assert hosting.asks_elsewhere("harbour", writes=False)
        assert not hosting.asks_elsewhere("tide", writes=True)
        assert not hosting.asks_elsewhere("nobody", writes=True)
    assert not asks_elsewhere(Settings(), here, writes=True)
    assert not asks_elsewhere(keyed, here, writes=False)
    assert asks_elsewhere(keyed, here, writes=True), "a key has the model write"
    assert asks_elsewhere(Settings(), there, writes=False)
