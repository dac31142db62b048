"""`fonds serve` behind the shipped nginx and Caddy: several archives over TLS, whose callers are
known by the address the proxy saw, and of whom no word is written down (R186, R192, C24).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest

from fonds.settings import Settings
from tests.archives import UNGATED, essay, house_of, published, written
from tests.database.at_once import uncounted, within_one_day
from tests.database.rows import cloned
from tests.deploy.proxies import BODY_BYTES, Proxy, Reply, running_caddy, running_nginx, wait_until
from tests.deploy.serving import Listening, served
from tests.hosts import OPEN, PRIVATE, WORDS, minted, served_archives
from tests.scopes import COMMON
from tests.servers import Database, TestServer

TWO_A_DAY = OPEN + "[limits]\nper_day = 2\n"
# Each proxy is asked from addresses of its own, since a caller's day is counted by address.
CALLERS: Mapping[str, tuple[str, str]] = {
    "nginx": ("127.0.0.21", "127.0.0.22"),
    "caddy": ("127.0.0.31", "127.0.0.32"),
}
ALONE = "127.0.0.41"
JSON = {"Content-Type": "application/json"}
PERSON = {"Accept": "text/html"}


@dataclass(frozen=True, slots=True)
class Host:
    """A running service, its database, a key of each closed archive, and what it has said."""

    service: Listening
    database: Database
    keys: Mapping[str, str]
    said: Path

    def told(self) -> int:
        """How many requests it has told of."""
        return self.said.read_text(encoding="utf-8").count('"event": "request.served"')


@pytest.fixture(scope="module")
def host(
    server: TestServer, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Host]:
    """Two closed archives, an open one, and one that is open for two questions a caller a day."""
    archives, said = tmp_path_factory.mktemp("archives"), tmp_path_factory.mktemp("said") / "log"
    with cloned(server, template) as database:
        served_archives(archives, database)
        few = {"essays/one.md": essay("On ferries", "The ferry leaves at seven.")}
        with house_of(
            written(archives / "ferry", few, "ferry", gate=UNGATED + TWO_A_DAY), database
        ) as one:
            published(one)
        keys = {slug: minted(database, slug, "search", "ask") for slug in ("harbour", "mill")}
        settings = {
            **os.environ,
            "FONDS_READER_URL": database.url("fonds_reader"),
            "FONDS_SCOPE_KEY": COMMON,
            "FONDS_ARCHIVES": str(archives),
            "FONDS_TRUSTED_PROXIES": "127.0.0.1/32",
            "FONDS_SERVE_NAMES": "localhost,localhost:*",
        }
        with said.open("wb") as log, served(["serve", "--port", "0"], settings, log) as listening:
            yield Host(listening, database, keys, said)


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxy(
    request: pytest.FixtureRequest, host: Host, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Proxy]:
    start = running_nginx if request.param == "nginx" else running_caddy
    with start(tmp_path_factory.mktemp(str(request.param)), host.service.address) as found:
        yield found


def question(words: str) -> bytes:
    return json.dumps({"q": words}).encode()


def bearer(key: str) -> dict[str, str]:
    return {**JSON, "Authorization": f"Bearer {key}"}


def test_two_archives_answer_search_ask_and_mcp(proxy: Proxy, host: Host) -> None:
    """Each with its own key; neither with the other's."""
    for slug, other in (("harbour", "mill"), ("mill", "harbour")):
        place, key = f"/v1/archives/{slug}", bearer(host.keys[slug])
        found = proxy.ask("POST", f"{place}/search", body=question(WORDS[slug]), headers=key)
        assert found.status == 200
        assert WORDS[slug] in found.body.decode()
        assert WORDS[other] not in found.body.decode()
        assert found.headers["cache-control"] == "no-store"
        answered = proxy.ask("POST", f"{place}/ask", body=question(WORDS[slug]), headers=key)
        assert answered.status == 200
        assert slug in answered.body.decode()
        called = proxy.ask("POST", f"{place}/mcp", body=_tool_call(WORDS[slug]), headers=_mcp(key))
        assert called.status == 200
        assert WORDS[slug] in called.body.decode()
        refused = proxy.ask(
            "POST", f"{place}/search", body=question("x"), headers=bearer(host.keys[other])
        )
        assert refused.status == 404


def test_the_page_of_an_open_archive_is_read_through_it(proxy: Proxy) -> None:
    """The page, what it loads and the form it sends; a closed archive has none."""
    page = proxy.ask("GET", "/tide/", headers=PERSON)
    assert page.status == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    (sheet,) = re.findall(r'href="(/_static/[^"]+\.css)"', page.body.decode())
    assert proxy.ask("GET", sheet).headers["content-type"].startswith("text/css")
    form = {**PERSON, "Content-Type": "application/x-www-form-urlencoded"}
    asked = urlencode({"q": WORDS["tide"]}).encode()
    answered = proxy.ask("POST", "/tide/", body=asked, headers=form)
    assert answered.status == 200
    assert "Published" in answered.body.decode()
    assert proxy.ask("GET", "/tide/about", headers=PERSON).status == 200
    closed = proxy.ask("GET", "/harbour/", headers=PERSON)
    assert closed.status == 404
    assert closed.headers["content-type"].startswith("text/html")
    wait_until(lambda: '"/about"' in proxy.logged(), "a page is told of")
    assert "/tide" not in proxy.logged()


def test_a_caller_without_a_key_is_who_the_proxy_saw(proxy: Proxy, host: Host) -> None:
    """C24: no header gives a caller another day; another address has one of its own."""
    first, second = CALLERS[proxy.kind]
    forged = [{"X-Forwarded-For": f"10.0.0.{n}", "Forwarded": f"for=10.0.0.{n}"} for n in range(3)]

    def attempt() -> list[str]:
        uncounted(host.database)
        replies = [_asked_for_ferries(proxy, {**JSON, **one}, first) for one in forged]
        assert int(replies[2].headers.get("retry-after", "1")) > 0
        replies.append(_asked_for_ferries(proxy, JSON, second))
        # Past the proxy, from its own address, the word is taken: nobody else may reach this port.
        told = {**JSON, "X-Forwarded-For": first}
        replies.append(host.service.ask("POST", FERRY, body=question("ferry"), headers=told))
        return [str(reply.status) for reply in replies]

    assert within_one_day(host.database, attempt) == ["200", "200", "429", "200", "429"]


def test_a_caller_past_the_proxy_is_not_believed(host: Host) -> None:
    """C24: from an address that is no proxy's, whoever is named in a header."""

    def attempt() -> list[str]:
        uncounted(host.database)
        replies = [
            host.service.ask(
                "POST",
                FERRY,
                body=question("ferry"),
                headers={**JSON, "X-Forwarded-For": f"10.0.1.{n}"},
                caller=ALONE,
            )
            for n in range(3)
        ]
        return [str(reply.status) for reply in replies]

    assert within_one_day(host.database, attempt) == ["200", "200", "429"]


def test_service_and_proxy_have_one_limit_for_a_body() -> None:
    assert Settings().serve_body_bytes == BODY_BYTES


def test_no_log_of_any_process_holds_a_word(
    proxy: Proxy, host: Host, server: TestServer, tmp_path: Path
) -> None:
    """R186, R097: of the proxy, the service and the database; of questions, keys, private text."""
    planted = "zephyrine quillwort"
    key = bearer(host.keys["harbour"])
    place = "/v1/archives/harbour"
    logged, told = proxy.logged().count('"status":'), host.told()
    for body in (question(planted), question(PRIVATE["harbour"]), planted.encode(), b'{"q": 7}'):
        proxy.ask("POST", f"{place}/search?about={planted.split()[0]}", body=body, headers=key)
        proxy.ask("POST", f"{place}/ask", body=body, headers=key)
    proxy.ask("GET", f"/v1/archives/{planted.split()[0]}", headers=key)
    # Each process writes its line after it has answered.
    wait_until(lambda: proxy.logged().count('"status":') >= logged + 9, "the proxy logs")
    wait_until(lambda: host.told() >= told + 9, "the service logs")
    logs = {"proxy": proxy.logged(), "service": host.said.read_text(encoding="utf-8")}
    home = getattr(getattr(server, "server", None), "home", None)
    if home is not None:
        logs["database"] = (Path(home) / "server.log").read_text(encoding="utf-8")
    words = ["zephyrine", "quillwort", *PRIVATE["harbour"].split()[1:5], *host.keys.values()]
    for name, log in logs.items():
        assert log, f"the premise: the {name} writes a log"
        assert [word for word in words if len(word) > 5 and word in log] == [], name


FERRY = "/v1/archives/ferry/search"


def _asked_for_ferries(proxy: Proxy, headers: Mapping[str, str], caller: str) -> Reply:
    return proxy.ask("POST", FERRY, body=question("ferry"), headers=headers, caller=caller)


def _tool_call(words: str) -> bytes:
    call = {"name": "search", "arguments": {"q": words}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()


def _mcp(key: Mapping[str, str]) -> dict[str, str]:
    return {**key, "Accept": "application/json, text/event-stream"}
