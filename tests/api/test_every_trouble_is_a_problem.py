"""Each status a caller may meet, by what it did: problem documents that name field and rule, and no
word of what was sent (R130, R186, R192, C22).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from fonds.wiring.hosting import Hosting
from tests.api.conftest import Hosted
from tests.hosts import minted

SEARCH = "/v1/archives/harbour/search"
ASK = "/v1/archives/harbour/ask"
JSON = {"Content-Type": "application/json"}
PLANTED = "zephyrine-quillwort"


def met(reply: Response, status: int, slug: str) -> dict[str, Any]:
    """The document of a problem, which holds nothing that was sent."""
    document: dict[str, Any] = reply.json()
    assert (reply.status_code, document["type"]) == (status, f"urn:fonds:problem:{slug}")
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["cache-control"] == "no-store"
    assert document["status"] == status
    assert document["instance"] == f"urn:uuid:{reply.headers['x-request-id']}"
    assert PLANTED not in reply.text + str(reply.headers)
    return document


def test_no_key_at_a_closed_archive_and_at_none_are_alike(client: TestClient) -> None:
    replies = [
        client.post(f"/v1/archives/{slug}/search", json={"q": "x"})
        for slug in ("harbour", PLANTED, "x" * 10_000, "a'b", "..%2e", "%00")
    ]
    shown = {reply.text.replace(reply.headers["x-request-id"], "") for reply in replies}
    assert len(shown) == 1
    met(replies[0], 401, "key-needed")
    assert replies[0].headers["www-authenticate"] == 'Bearer realm="fonds"'


def test_a_key_for_another_archive_and_a_made_up_one_are_alike(
    client: TestClient, hosted: Hosted
) -> None:
    asked = [
        ("harbour", hosted.bearer("mill")),
        ("harbour", {"Authorization": f"Bearer {PLANTED}"}),
        ("nowhere", hosted.bearer("mill")),
        ("tide", hosted.bearer("mill")),
    ]
    replies = [
        client.post(f"/v1/archives/{slug}/search", json={"q": "x"}, headers=bearer)
        for slug, bearer in asked
    ]
    assert {reply.text.replace(reply.headers["x-request-id"], "") for reply in replies} == {
        replies[0].text.replace(replies[0].headers["x-request-id"], "")
    }
    met(replies[0], 404, "no-such-archive")


def test_a_key_opens_what_it_was_minted_for_and_no_more(client: TestClient, hosted: Hosted) -> None:
    key = {"Authorization": f"Bearer {minted(hosted.database, 'harbour', 'ask')}"}
    met(client.post(SEARCH, json={"q": "x"}, headers=key), 403, "key-without-scope")
    assert client.get("/v1/archives/harbour", headers=key).status_code == 200
    assert client.post(ASK, json={"q": "the harbour crane"}, headers=key).status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        [("Authorization", f"Basic {PLANTED}")],
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer  ")],
        [("Authorization", f"Bearer {PLANTED}"), ("Authorization", "Bearer other")],
    ],
)
def test_credentials_that_are_none_of_ours_are_refused_even_where_none_are_needed(
    client: TestClient, sent: list[tuple[str, str]]
) -> None:
    reply = client.post("/v1/archives/tide/search", json={"q": "x"}, headers=sent)
    met(reply, 401, "key-needed")


WRONG: tuple[tuple[object, list[tuple[str, str]]], ...] = (
    ({"q": "x", "limit": 21}, [("limit", "integer from 1 to 20")]),
    ({"q": "x", "limit": "5"}, [("limit", "integer from 1 to 20")]),
    ({"q": "  "}, [("q", "not blank")]),
    ({"q": f"{PLANTED} " * 60}, [("q", "text of 1 to 512 characters")]),
    ({"q": "x\0y"}, [("q", "no NUL and no lone surrogate")]),
    ({"q": "x", PLANTED: 1}, [("body", "has no such key")]),
    ({"q": "x", "filters": {"type') OR 1=1 --": ["x"]}}, [("filters", "has no such key")]),
    (
        {"q": "x", "filters": {"exposure": ["none"]}},
        [("filters.exposure[0]", "a list of 1 to 20 of text, semantic, locator")],
    ),
    (
        {"q": "x", "filters": {"type": ["x"] * 10_000}},
        [("filters.type", "a list of 1 to 20 texts")],
    ),
    (
        {"q": "x", "filters": {"dateFrom": "2020", "dateTo": "2019"}},
        [("filters.dateTo", "not before dateFrom")],
    ),
    ({"q": "?!"}, [("q", "holds no letters or digits")]),
    ({}, [("q", "required")]),
    ([PLANTED], [("body", "a JSON object")]),
)


@pytest.mark.parametrize(("body", "errors"), WRONG)
def test_a_body_out_of_shape_is_told_field_and_rule(
    client: TestClient, hosted: Hosted, body: object, errors: list[tuple[str, str]]
) -> None:
    reply = client.post(SEARCH, json=body, headers=hosted.bearer("harbour"))
    document = met(reply, 422, "request-refused")
    assert [(error["field"], error["rule"]) for error in document["errors"]] == errors


@pytest.mark.parametrize("body", [b"", b"{", b'{"q": "\xff"}', b'{"q": "\\ud800"}', b"[" * 5_000])
def test_what_is_no_json_is_told_so(client: TestClient, hosted: Hosted, body: bytes) -> None:
    reply = client.post(SEARCH, content=body, headers=hosted.bearer("harbour") | JSON)
    assert [e["rule"] for e in met(reply, 422, "request-refused")["errors"]] == ["a JSON object"]


def test_an_asked_question_has_no_limit_of_hits(client: TestClient, hosted: Hosted) -> None:
    reply = client.post(ASK, json={"q": "x", "limit": 5}, headers=hosted.bearer("harbour"))
    assert met(reply, 422, "request-refused")["errors"] == [
        {"field": "body", "rule": "has no such key"}
    ]


def test_neither_key_nor_question_belongs_in_an_address(client: TestClient, hosted: Hosted) -> None:
    reply = client.post(
        f"{SEARCH}?key={PLANTED}", json={"q": "x"}, headers=hosted.bearer("harbour")
    )
    assert met(reply, 422, "request-refused")["errors"][0]["field"] == "url"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {},
    ],
)
def test_a_body_is_json_in_utf_8_and_not_compressed(
    client: TestClient, hosted: Hosted, headers: Mapping[str, str]
) -> None:
    sent = {**hosted.bearer("harbour"), **headers}
    met(client.post(SEARCH, content=b'{"q":"x"}', headers=sent), 415, "media-type-unknown")


def chunks(count: int) -> Iterator[bytes]:
    yield b'{"q":"'
    for _ in range(count):
        yield PLANTED.encode() * 64


def test_a_body_over_its_bound_is_refused_announced_or_streamed(
    client: TestClient, hosted: Hosted
) -> None:
    sent = hosted.bearer("harbour") | JSON
    met(client.post(SEARCH, content=b" " * 65_537, headers=sent), 413, "body-too-large")
    met(client.post(SEARCH, content=chunks(80), headers=sent), 413, "body-too-large")


@pytest.mark.parametrize("address", [f"/{PLANTED}", "/v1/archives", "/v1/archives/tide/", "/docs"])
def test_an_address_there_is_not(client: TestClient, address: str) -> None:
    met(client.get(address), 404, "no-such-page")


@pytest.mark.parametrize(
    ("method", "address", "allowed"),
    [
        ("GET", SEARCH, "POST"),
        ("HEAD", SEARCH, "POST"),
        ("OPTIONS", SEARCH, "POST"),
        ("DELETE", "/v1/archives/tide", "GET, HEAD"),
        ("POST", "/livez", "GET, HEAD"),
    ],
)
def test_a_method_an_address_does_not_take(
    client: TestClient, method: str, address: str, allowed: str
) -> None:
    reply = client.request(method, address)
    assert (reply.status_code, reply.headers["allow"]) == (405, allowed)
    if method == "HEAD":
        assert reply.content == b""
    else:
        met(reply, 405, "method-not-allowed")


def test_head_is_get_without_a_body(client: TestClient) -> None:
    got, asked = client.get("/v1/archives/tide"), client.head("/v1/archives/tide")
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["content-length"] == got.headers["content-length"]


def test_a_request_id_is_ours_or_a_uuid(client: TestClient) -> None:
    theirs = str(uuid.uuid4())
    assert client.get("/livez", headers={"X-Request-Id": theirs}).headers["x-request-id"] == theirs
    for made_up in (PLANTED, f"{{{theirs}}}", theirs.replace("-", "")):
        given = client.get("/livez", headers={"X-Request-Id": made_up}).headers["x-request-id"]
        assert str(uuid.UUID(given)) == given != made_up


def test_no_reply_is_kept_compressed_or_framed(client: TestClient, hosted: Hosted) -> None:
    sent = hosted.bearer("harbour") | {"Accept-Encoding": "gzip, br", "Origin": "https://x.example"}
    reply = client.post(SEARCH, json={"q": "harbour " * 20}, headers=sent)
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
    assert not {"content-encoding", "access-control-allow-origin", "server"} & set(reply.headers)


def test_a_defect_says_nothing_of_itself(
    client: TestClient, hosted: Hosted, hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError(PLANTED)

    monkeypatch.setattr(type(hosting), "admit", broken)
    met(client.post(SEARCH, json={"q": "x"}, headers=hosted.bearer("harbour")), 500, "defect")


def test_every_word_of_a_request_stays_out_of_every_problem(
    client: TestClient, hosted: Hosted
) -> None:
    """C21: planted in path, body, keys of the body, headers and address."""
    body = json.dumps({"q": PLANTED, PLANTED: {PLANTED: PLANTED}, "limit": PLANTED})
    for headers in (
        {"Authorization": f"Bearer {PLANTED}"},
        {"Authorization": PLANTED, "X-Request-Id": PLANTED},
        hosted.bearer("harbour") | {"Cookie": PLANTED, "X-Forwarded-For": PLANTED},
    ):
        for address in (SEARCH, ASK, f"/v1/archives/{PLANTED}/search", f"{ASK}?{PLANTED}"):
            reply = client.post(address, content=body, headers=JSON | headers)
            assert reply.status_code in {401, 404, 422}
            assert PLANTED not in reply.text + str(reply.headers)
