"""The shipped nginx and Caddy before a service that keeps what reaches it (R197, C24)."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.deploy.proxies import (
    BODY_BYTES,
    CALLER,
    Proxy,
    running_caddy,
    running_nginx,
    wait_until,
)
from tests.deploy.upstream import Upstream, running_upstream

SEARCH = "/v1/archives/example/search"
Start = Callable[[Path, str], AbstractContextManager[Proxy]]
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def upstream() -> Generator[Upstream]:
    with running_upstream() as found:
        yield found


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxy(
    request: pytest.FixtureRequest, upstream: Upstream, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Proxy]:
    """Each of the two; nginx is skipped where it is not installed."""
    folder = tmp_path_factory.mktemp(str(request.param))
    start = running_nginx if request.param == "nginx" else running_caddy
    with start(folder, upstream.address) as found:
        yield found


@pytest.fixture(autouse=True)
def _emptied(upstream: Upstream) -> None:
    upstream.seen.clear()


def test_a_callers_word_about_its_address_ends_at_the_proxy(
    proxy: Proxy, upstream: Upstream
) -> None:
    """C24: every name a service might believe is set anew or taken out."""
    reply = proxy.ask(
        "POST",
        SEARCH,
        body=b'{"q": "kites"}',
        headers={
            **JSON,
            "Authorization": "Bearer fonds_key",
            "X-Forwarded-For": "6.6.6.6, 7.7.7.7",
            "X-Forwarded-Proto": "gopher",
            "X-Forwarded-Host": "elsewhere.example",
            "X-Forwarded-Prefix": "/elsewhere",
            "X-Forwarded-Port": "1",
            "X-Real-IP": "6.6.6.6",
            "Forwarded": "for=6.6.6.6",
            "Accept-Encoding": "gzip, br",
        },
    )
    assert reply.status == 200
    (seen,) = upstream.seen
    assert (seen.method, seen.path, seen.body) == ("POST", SEARCH, b'{"q": "kites"}')
    assert seen.headers["x-forwarded-for"] == [CALLER]
    assert seen.headers["x-forwarded-proto"] == ["https"]
    assert seen.headers["x-forwarded-host"][0].split(":")[0] == "localhost"
    assert seen.headers["authorization"] == ["Bearer fonds_key"], "the service asks for it"
    gone = {"x-real-ip", "forwarded", "x-forwarded-prefix", "x-forwarded-port", "accept-encoding"}
    assert gone & set(seen.headers) == set()


def test_a_body_of_the_limit_passes_and_a_byte_more_does_not(
    proxy: Proxy, upstream: Upstream
) -> None:
    """R186: with its length told beforehand and without; the service never sees the second."""
    assert proxy.ask("POST", SEARCH, body=b"x" * BODY_BYTES, headers=JSON).status == 200
    assert [len(seen.body) for seen in upstream.seen] == [BODY_BYTES]
    upstream.seen.clear()
    for body in (b"x" * (BODY_BYTES + 1), _in_pieces(BODY_BYTES + 1)):
        refused = proxy.ask("POST", SEARCH, body=body, headers=JSON)
        assert refused.status == 413
        assert refused.headers["content-type"] == "application/problem+json"
        assert json.loads(refused.body)["status"] == 413
    assert upstream.seen == []


def test_an_answer_leaves_as_it_came(proxy: Proxy, upstream: Upstream) -> None:
    """No compression whatever a caller accepts; nothing tells of the proxy's version."""
    upstream.answer, kept = json.dumps({"hits": ["kites"] * 2000}).encode(), upstream.answer
    try:
        reply = proxy.ask("POST", SEARCH, body=b"{}", headers={**JSON, "Accept-Encoding": "gzip"})
    finally:
        upstream.answer = kept
    assert json.loads(reply.body) == {"hits": ["kites"] * 2000}
    assert "content-encoding" not in reply.headers
    assert reply.headers["strict-transport-security"] == "max-age=31536000"
    assert not any(sign.isdigit() for sign in reply.headers.get("server", ""))
    assert "via" not in reply.headers


def test_without_tls_nothing_is_answered_but_the_way_to_it(
    proxy: Proxy, upstream: Upstream
) -> None:
    reply = proxy.ask_plainly("/v1/archives/example")
    assert reply.status == 308
    assert reply.headers["location"].startswith("https://localhost")
    assert upstream.seen == []


def test_no_word_of_a_request_is_logged(proxy: Proxy, upstream: Upstream) -> None:
    """R186, R097: of a served request, a refused one and a mistyped one; in either log."""
    words = [f"zephyrine{place}" for place in ("path", "query", "body", "header", "key", "agent")]
    path, query, body, header, key, agent = words
    headers = {
        **JSON,
        "Authorization": f"Bearer fonds_{key}",
        "X-Question": header,
        "User-Agent": agent,
        "Cookie": f"a={header}",
        "Referer": f"https://example.org/{header}",
    }
    sent = body.encode()
    logged = proxy.logged().count('"status":')
    assert proxy.ask("POST", f"{SEARCH}?q={query}", body=sent, headers=headers).status == 200
    assert proxy.ask("GET", f"/{path}/{path}", headers=headers).status == 200
    large = sent * (BODY_BYTES // len(sent) + 1)
    assert proxy.ask("POST", f"{SEARCH}?q={query}", body=large, headers=headers).status == 413
    assert [word in f"{seen}" for seen in upstream.seen[:1] for word in words[1:]] == [True] * 5
    assert proxy.ask("GET", f"/v1/archives/{path}", headers=headers).status == 200
    wait_until(lambda: proxy.logged().count('"status":') >= logged + 4, "the premise: it logs")
    told = proxy.logged()
    assert '"/v1/archives/search"' in told, "the premise: the route is told"
    assert [word for word in words if word in told] == []
    assert CALLER not in told
    assert "127.0.0.0" in told


def test_a_service_that_is_gone_is_said_without_a_word(tmp_path: Path) -> None:
    """What goes wrong with a request is logged without the request."""
    _gone_is_said(tmp_path, "caddy")


def test_a_service_that_is_gone_is_said_by_nginx_alike(tmp_path: Path) -> None:
    _gone_is_said(tmp_path, "nginx")


def _gone_is_said(folder: Path, kind: str) -> None:
    start = running_nginx if kind == "nginx" else running_caddy
    # A port that is held and not listened to: nobody else takes it meanwhile.
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        _gone_is_said_at(start, folder, f"127.0.0.1:{held.getsockname()[1]}")


def _gone_is_said_at(start: Start, folder: Path, address: str) -> None:
    with start(folder, address) as proxy:
        reply = proxy.ask("POST", f"{SEARCH}?q=zephyrine", body=b"quillwort", headers=JSON)
        assert reply.status == 502
        assert reply.headers["content-type"] == "application/problem+json"
        assert json.loads(reply.body)["status"] == 502
        wait_until(lambda: '"status":502' in proxy.logged(), "the premise: it logs")
        assert "zephyrine" not in proxy.logged()
        assert "quillwort" not in proxy.logged()


def _in_pieces(length: int) -> Generator[bytes]:
    """A body whose length is not told beforehand."""
    for at in range(0, length, 4096):
        yield os.urandom(2048).hex().encode()[: min(4096, length - at)]
