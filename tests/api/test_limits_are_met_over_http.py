"""What is counted, when, and what a caller is told whose limit is used up (R187)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import pytest
from starlette.testclient import TestClient

from fonds.contract.caller import Caller
from fonds.contract.failures import TooMany, Unavailable
from fonds.contract.writer_reply import WriterReply, WriterTask
from fonds.settings import Settings
from fonds.wiring.hosting import Hosting
from tests.api.conftest import Hosted
from tests.archives import house_of, published
from tests.database.at_once import within_one_day
from tests.hosts import PRIVATE, WORDS, client_of, host_of, minted, written_archive


@dataclass
class Counting:
    """A limiter of the test's own: what came, in order, by whom, and what it is to say."""

    raises: Exception | None = None
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    callers: set[Caller] = field(default_factory=set[Caller])
    questions: set[bytes] = field(default_factory=set[bytes])

    def take(self, archive_id: int, caller: Caller) -> None:
        self.seen.append(("take", caller.kind))
        self.callers.add(caller)
        if self.raises is not None:
            raise self.raises

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        self.seen.append(("charge", caller.kind))
        self.questions.add(question)


@pytest.fixture
def counted(hosted: Hosted) -> Generator[tuple[TestClient, Counting, Hosting]]:
    with host_of(hosted.database, hosted.folders, settings=Settings(serve_threads=2)) as hosting:
        hosting.limiter = limiter = Counting()
        with client_of(hosting) as client:
            yield client, limiter, hosting


def asked(client: TestClient, hosted: Hosted, kind: str, query: str, **more: object) -> int:
    reply = client.post(
        f"/v1/archives/mill/{kind}", json={"q": query, **more}, headers=hosted.bearer("mill")
    )
    return reply.status_code


def test_a_reply_that_tells_of_private_material_is_charged_each_time_kept_or_not(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    client, limiter, _ = counted
    for _ in range(2):
        assert asked(client, hosted, "search", PRIVATE["mill"]) == 200
    assert limiter.seen == [("take", "key"), ("charge", "key")] * 2
    assert len(limiter.questions) == 1


def test_a_count_that_private_rows_are_part_of_is_charged_like_a_hit(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    """With one hit shown and a private one behind it, `matched` alone would tell of it."""
    client, limiter, _ = counted
    query = f"{WORDS['mill']} {PRIVATE['mill']}"
    assert asked(client, hosted, "search", query, limit=1) == 200
    assert ("charge", "key") in limiter.seen


def test_what_is_asked_of_public_material_alone_is_not_charged(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    client, limiter, _ = counted
    assert asked(client, hosted, "search", PRIVATE["mill"], filters={"raw": "public"}) == 200
    assert limiter.seen == [("take", "key")]


def test_filters_make_no_other_question_of_the_same_words(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    client, limiter, _ = counted
    for filters in ({}, {"raw": "private"}, {"exposure": ["locator"]}):
        asked(client, hosted, "search", PRIVATE["mill"], filters=filters)
    assert (len(limiter.seen), len(limiter.questions)) == (6, 1)


def test_an_answer_that_points_is_charged(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    client, limiter, _ = counted
    assert asked(client, hosted, "ask", PRIVATE["mill"]) == 200
    assert limiter.seen == [("take", "key"), ("charge", "key")]


class Gone:
    """A writer that breaks off as no writing is expected to."""

    name = "a-model"

    def write(self, task: WriterTask) -> WriterReply:
        raise Unavailable("gone")


def test_a_question_that_breaks_off_once_its_passages_were_weighed_is_charged(
    counted: tuple[TestClient, Counting, Hosting],
    hosted: Hosted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That a writer was to be called tells what an answer tells: that a private passage cleared the
    floor.
    """

    def gone(*_: object) -> Gone:
        return Gone()

    monkeypatch.setattr("fonds.wiring.hosting.chosen_writer", gone)
    client, limiter, _ = counted
    assert asked(client, hosted, "ask", PRIVATE["mill"]) == 503
    assert limiter.seen == [("take", "key"), ("charge", "key")]


@pytest.mark.parametrize(
    ("query", "filters", "reason", "is_charged"),
    [
        ("zebra", {"raw": "private"}, "no_relevant_context", True),
        ("kite", {"raw": "private"}, "below_score_floor", True),
        ("zebra", {}, "below_score_floor", False),
        ("kite", {}, "below_score_floor", False),
    ],
)
def test_a_refusal_whose_reason_tells_of_a_private_cosine_is_charged(
    counted: tuple[TestClient, Counting, Hosting],
    hosted: Hosted,
    query: str,
    filters: dict[str, str],
    reason: str,
    is_charged: bool,
) -> None:
    """Whether it is above zero: narrowed to one note, a bit a question of what it says. Beside
    public material that is above zero itself, the reason tells nothing.
    """
    client, limiter, _ = counted
    body = {"q": query, "filters": filters}
    reply = client.post("/v1/archives/mill/ask", json=body, headers=hosted.bearer("mill"))
    assert reply.json()["reason"] == reason
    assert (("charge", "key") in limiter.seen) == is_charged


def test_a_refusal_that_public_material_decided_is_not_charged(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    client, limiter, _ = counted
    body = {"q": "zebra", "filters": {"raw": "public"}}
    reply = client.post("/v1/archives/mill/ask", json=body, headers=hosted.bearer("mill"))
    assert reply.json()["mode"] == "not-found"
    assert limiter.seen == [("take", "key")]


@pytest.mark.parametrize("limit", ["minute", "day", "archive", "private"])
def test_a_limit_that_is_used_up_says_which_and_when_it_ends(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted, limit: str
) -> None:
    client, limiter, _ = counted
    limiter.raises = TooMany(limit, 17)  # pyright: ignore[reportArgumentType]
    for kind in ("search", "ask"):
        reply = client.post(
            f"/v1/archives/mill/{kind}", json={"q": "rye"}, headers=hosted.bearer("mill")
        )
        assert (reply.status_code, reply.headers["retry-after"]) == (429, "17")
        assert reply.json()["limit"] == limit


def test_where_nothing_can_be_counted_nothing_is_answered(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    client, limiter, _ = counted
    limiter.raises = Unavailable("no limit can be counted")
    for kind in ("search", "ask"):
        assert asked(client, hosted, kind, "rye") == 503
    assert client.get("/v1/archives/tide").status_code == 200


def test_a_request_out_of_shape_and_a_stranger_are_not_counted(
    counted: tuple[TestClient, Counting, Hosting], hosted: Hosted
) -> None:
    client, limiter, _ = counted
    assert asked(client, hosted, "search", "") == 422
    assert client.post("/v1/archives/mill/search", json={"q": "rye"}).status_code == 401
    assert limiter.seen == []


def test_strangers_are_told_apart_by_the_address_a_trusted_proxy_vouches_for(
    hosted: Hosted,
) -> None:
    """C24: without a trusted proxy a made-up address is nobody's; with one each has its own."""
    by_trust: dict[str, int] = {}
    for trusted in ("", "203.0.113.0/24"):
        settings = Settings(serve_threads=2, trusted_proxies=trusted)
        with host_of(hosted.database, hosted.folders, settings=settings) as hosting:
            hosting.limiter = limiter = Counting()
            with client_of(hosting, peer="203.0.113.9") as client:
                for made_up in ("198.51.100.1", "198.51.100.2", "6.6.6.6, 198.51.100.2"):
                    client.post(
                        "/v1/archives/tide/search",
                        json={"q": "clock"},
                        headers={"X-Forwarded-For": made_up},
                    )
            by_trust[trusted] = len(limiter.callers)
    assert by_trust == {"": 1, "203.0.113.0/24": 2}


def test_the_real_limiter_lets_so_many_through_and_no_more(
    hosted: Hosted, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of an archive whose owner allows three a day: three replies, and 429 from then on, for a kept
    reply as well.
    """
    folder = written_archive(tmp_path_factory.mktemp("more"), "kiln")
    file = folder / "archive.toml"
    file.write_text(file.read_text().replace("per_day = 100_000", "per_day = 3"))
    with house_of(folder, hosted.database) as house:
        published(house)
    with host_of(hosted.database, {"kiln": folder}) as hosting, client_of(hosting) as client:

        def attempt() -> list[str]:
            bearer = {"Authorization": f"Bearer {minted(hosted.database, 'kiln', 'search')}"}
            body = {"q": "the kiln"}
            address = "/v1/archives/kiln/search"
            return [
                str(client.post(address, json=body, headers=bearer).status_code) for _ in range(5)
            ]

        told = within_one_day(hosted.database, attempt)
    assert told == ["200", "200", "200", "429", "429"]
