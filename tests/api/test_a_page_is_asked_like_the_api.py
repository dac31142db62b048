"""A question on the page is a request like any other: its shape, its limits, where it comes from
(R130, R187, R190).
"""

from __future__ import annotations

import html
import io
from dataclasses import dataclass, field

import pytest
from starlette.testclient import TestClient

from fonds.contract.caller import Caller
from fonds.contract.failures import Overloaded, TooMany, Unavailable
from fonds.contract.search_request import SearchRequest
from fonds.observing.event_log import EventLog
from fonds.observing.observer import Observer
from fonds.wiring.hosting import Hosting
from fonds.wiring.visit import Visit
from tests.api.reading import (
    ASKED,
    ASKED_PRIVATE,
    BROWSER,
    CLOSED,
    FORM,
    PAGE,
    SLUG,
    asked,
    without_id,
)
from tests.hosts import client_of


@pytest.mark.parametrize("question", ["", "   ", "?!", "kites " * 100, "a " * 201, "x\0y"])
def test_a_question_out_of_shape_stays_in_its_field_with_the_rule(
    reader: TestClient, question: str
) -> None:
    reply = asked(reader, question)
    assert reply.status_code == 422
    assert "A question has 1 to 512 characters, at most 200 words" in reply.text
    assert 'aria-invalid="true" aria-describedby="rule"' in reply.text
    assert f'value="{html.escape(question)}"' in reply.text


@pytest.mark.parametrize(
    ("content", "media"),
    [
        (b"q=a&q=b", FORM["Content-Type"]),
        (b"q=a&limit=50", FORM["Content-Type"]),
        (b"question=a", FORM["Content-Type"]),
        (b"q=%ff", FORM["Content-Type"]),
        (b'{"q": "a"}', "application/json"),
        (b"q=a", "text/plain"),
    ],
)
def test_a_form_of_another_shape_is_refused(reader: TestClient, content: bytes, media: str) -> None:
    reply = reader.post(PAGE, content=content, headers={"Content-Type": media})
    assert reply.status_code == 422
    assert 'id="rule"' in reply.text


def test_a_question_never_stands_in_an_address(reader: TestClient) -> None:
    for reply in (reader.get(f"{PAGE}?q=zephyrine"), reader.post(f"{PAGE}?q=zephyrine")):
        assert reply.status_code == 422
        assert "zephyrine" not in reply.text + str(reply.headers)
    assert 'method="post"' in reader.get(PAGE).text


LINK = "?fbclid=IwZephyrine&utm_source=zephyrine&&=&%ff"
"""What a service adds to a link that is shared there."""


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}about", PAGE.rstrip("/"), f"/{CLOSED}/"])
def test_a_shared_link_opens_the_page_and_nothing_of_it_is_logged(
    shelf_hosting: Hosting, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Every page as it is without the addition, the one of no archive too."""
    log = io.StringIO()
    monkeypatch.setattr(shelf_hosting, "observer", Observer([EventLog(log)]))
    with client_of(shelf_hosting) as reader:
        reader.headers.update(BROWSER)
        plain = reader.get(address, follow_redirects=False)
        shared = reader.get(address + LINK, follow_redirects=False)
        assert reader.post(PAGE + LINK, data={"q": ASKED}).status_code == 422
    assert without_id(shared) == without_id(plain)
    assert plain.status_code in (200, 308, 404)
    assert len(log.getvalue().splitlines()) == 3
    assert "ephyrine" not in log.getvalue()


@dataclass
class Counting:
    """A limiter of the test's own: who came, and what it says."""

    raises: Exception | None = None
    seen: list[Caller] = field(default_factory=list[Caller])

    def take(self, archive_id: int, caller: Caller) -> None:
        self.seen.append(caller)
        if self.raises is not None:
            raise self.raises

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        self.seen.append(caller)


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-origin", 200), ("none", 200), ("same-site", 200)],
)
def test_a_form_of_another_site_is_not_taken(
    reader: TestClient,
    shelf_hosting: Hosting,
    monkeypatch: pytest.MonkeyPatch,
    site: str,
    status: int,
) -> None:
    """It would count against its visitor: it is refused before anything is counted."""
    limiter = Counting()
    monkeypatch.setattr(shelf_hosting, "limiter", limiter)
    assert asked(reader, ASKED, **{"Sec-Fetch-Site": site}).status_code == status
    assert bool(limiter.seen) == (status == 200)


NAMED = {"Host": "archives.example.org"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "https://archives.example.org"}, 200),
        ({"Origin": "http://ARCHIVES.example.org:8443"}, 200),
        ({"Origin": "http://localhost:8010"}, 200),
        ({"Referer": "https://archives.example.org/shelf/"}, 200),
        ({"Origin": "https://archives.example.org", "Referer": "https://a.example/"}, 200),
        ({"Origin": "https://a.example", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "https://a.example"}, 403),
        ({"Origin": "https://example.org"}, 403),
        ({"Origin": "https://archives.example.org.a.example"}, 403),
        ({"Origin": "https://archives.example.org@a.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://[::1"}, 403),
        ({"Referer": "https://a.example/archives.example.org/"}, 403),
    ],
)
def test_a_browser_that_names_no_site_is_known_by_the_page_it_was_on(
    reader: TestClient,
    shelf_hosting: Hosting,
    monkeypatch: pytest.MonkeyPatch,
    headers: dict[str, str],
    status: int,
) -> None:
    """An old one, and any one over plain HTTP: `Origin` says it, else `Referer`."""
    limiter = Counting()
    monkeypatch.setattr(shelf_hosting, "limiter", limiter)
    assert asked(reader, ASKED, **NAMED, **headers).status_code == status
    assert bool(limiter.seen) == (status == 200)


@pytest.mark.parametrize(
    ("raised", "status", "after", "said"),
    [
        (TooMany("minute", 40), 429, "40", "Ask again in a minute."),
        (TooMany("private", 7_000), 429, "7000", "Ask again in 2 hours."),
        (TooMany("day", 600), 429, "600", "Ask again in 10 minutes."),
        (Overloaded(), 503, "1", "Ask again in a minute."),
        (Unavailable("x"), 503, "5", "Ask again in a minute."),
    ],
)
def test_a_limit_is_told_with_its_time_and_the_question_stays(
    reader: TestClient,
    shelf_hosting: Hosting,
    monkeypatch: pytest.MonkeyPatch,
    raised: Exception,
    status: int,
    after: str,
    said: str,
) -> None:
    monkeypatch.setattr(shelf_hosting, "limiter", Counting(raised))
    reply = asked(reader, ASKED)
    assert (reply.status_code, reply.headers["retry-after"]) == (status, after)
    assert said in reply.text
    assert f'value="{html.escape(ASKED)}"' in reply.text


def test_a_question_on_the_page_counts_like_one_to_the_api_and_a_look_does_not(
    reader: TestClient, shelf_hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R187: by the caller's address, and charged where private material answered."""
    limiter = Counting()
    monkeypatch.setattr(shelf_hosting, "limiter", limiter)
    reader.get(PAGE)
    reader.get(f"{PAGE}about")
    assert limiter.seen == []
    reader.post(f"/v1/archives/{SLUG}/ask", json={"q": ASKED_PRIVATE})
    of_the_api, limiter.seen = limiter.seen, []
    asked(reader, ASKED_PRIVATE)
    assert limiter.seen == of_the_api
    assert len(of_the_api) == 2


def test_the_page_asks_what_the_api_asks(
    reader: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same request: a reply kept for one is one for the other."""
    seen: list[SearchRequest] = []
    ask = Visit.ask

    def watched(visit: Visit, request: SearchRequest) -> object:
        seen.append(request)
        return ask(visit, request)

    monkeypatch.setattr(Visit, "ask", watched)
    reader.post(f"/v1/archives/{SLUG}/ask", json={"q": ASKED})
    asked(reader, ASKED)
    assert seen[0] == seen[1]
