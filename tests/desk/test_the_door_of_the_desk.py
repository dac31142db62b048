"""Who comes to the desk, and who does not, whatever they send (R190)."""

from __future__ import annotations

import re

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from fonds.desk import desk as desk_module
from fonds.desk.app import ROUTES, STATIC, create_desk, desk_app
from fonds.desk.desk import Desk
from fonds.observing.observer import SILENT
from tests.database.ingesting import everything
from tests.desks import BASE, KEY, Sitting, sitting_at, visitor_at
from tests.servers import Database

PRIVATE = ("/", "/run", "/gists", "/travel", "/ask", "/refusals", "/evaluation", "/intake", "/no")
WORDS = ("Archive example", "Gists", "note-1")


def entered(client: TestClient, key: str = KEY) -> int:
    return client.post("/enter", data={"key": key}).status_code


def routes_of(desk: Desk) -> list[APIRoute]:
    """Every route of every section."""
    made = [routes(desk).routes for routes in ROUTES]
    return [one for section in made for one in section if isinstance(one, APIRoute)]


@pytest.mark.parametrize("path", PRIVATE)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "BREW"])
def test_nobody_without_a_session_learns_anything(
    visitor: TestClient, method: str, path: str
) -> None:
    """Not even whether there is such a page."""
    reply = visitor.request(method, path)
    assert (reply.status_code, reply.headers["location"]) == (303, "/enter")
    assert not any(word in reply.text for word in WORDS)


@pytest.mark.parametrize(
    "path",
    [
        "/enterprise",
        "/enter/a/b",
        "/enter/../gists",
        "/enter/%2e%2e/gists",
        "//gists",
        "//enter",
        "/_static/",
        "/_static/../gists",
        "/_static/%2e%2e/gists",
        "/_static/fonds.css",
        "/GISTS",
        "/gists;/enter",
    ],
)
def test_no_spelling_of_a_path_goes_past_the_door(visitor: TestClient, path: str) -> None:
    reply = visitor.get(path)
    assert reply.status_code in (303, 403), reply.text
    assert not any(word in reply.text for word in WORDS)


def test_what_a_page_is_made_of_is_there_for_everybody(visitor: TestClient) -> None:
    """By its exact name, and it holds nothing of the archive."""
    for path in STATIC:
        reply = visitor.get(path)
        assert reply.status_code == 200
        assert "Archive example" not in reply.text


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "attacker.example"},
        {"host": "127.0.0.1.attacker.example"},
        {"host": "127.0.0.1:80@attacker.example"},
        {"host": "127.0.0.1:1/enter"},
        {"host": "localhost:80a"},
        {"host": ""},
        {"origin": "null"},
        {"origin": "http://attacker.example"},
        {"origin": "http://127.0.0.1:8000"},
        {"origin": "ftp://127.0.0.1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_browser_that_was_led_here_is_sent_away(
    sitting: Sitting, headers: dict[str, str]
) -> None:
    """By another's name, from another site, or from another port of the same machine: with a
    session and the token of its forms, and without.
    """
    fields = {"csrf": sitting.csrf, "id": "note:note-1#p-1", "key": KEY}
    for path in ("/gists/veto", "/enter", "/leave"):
        assert sitting.client.post(path, data=fields, headers=headers).status_code == 403
    if set(headers) != {"origin"} or headers["origin"] != "null":
        assert sitting.client.get("/gists", headers=headers).status_code == 403
    assert sitting.client.get("/gists").status_code == 200


def test_a_link_from_elsewhere_leads_to_the_door_and_no_further(sitting: Sitting) -> None:
    came = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert sitting.client.get("/enter", headers=came).status_code == 200
    assert sitting.client.get("/", headers=came).status_code == 403
    rebound = came | {"host": "attacker.example"}
    assert sitting.client.get("/enter", headers=rebound).status_code == 403


@pytest.mark.parametrize(
    "token", [None, "", "0" * 64, "\u00e9", "of another desk", "of another session"]
)
def test_no_form_counts_without_the_token_of_its_session(
    sitting: Sitting, desk: Desk, timed: Desk, token: str | None
) -> None:
    of_another = {"of another desk": timed, "of another session": desk}.get(token or "")
    if of_another is not None:
        with sitting_at(of_another) as other:
            token = other.csrf
        assert token != sitting.csrf
    sent = {"id": "note:note-1#p-1"} | ({} if token is None else {"csrf": token})
    reply = sitting.client.post("/gists/veto", data=sent)
    assert reply.status_code == 422
    assert "reload it first" in reply.text


def test_every_route_that_changes_something_asks_for_the_token(desk: Desk) -> None:
    """But for the door's, where nobody has one yet. Whatever a section adds is held to it."""
    asks = desk_module._form  # pyright: ignore[reportPrivateUsage]
    changing = [one for one in routes_of(desk) if (one.methods or set()) - {"GET", "HEAD"}]
    assert len(changing) > 5
    bare = [
        one.path
        for one in changing
        if asks not in [under.call for under in one.dependant.dependencies]
    ]
    assert bare == ["/enter"]


def test_no_address_that_is_only_looked_at_changes_anything(
    desk: Desk, sitting: Sitting, desk_database: Database
) -> None:
    """Compared by every value of every table."""
    before = [everything(desk_database, schema) for schema in ("private", "served")]
    looked = [
        re.sub(r"{[^}]*}", "none", one.path)
        for one in routes_of(desk)
        if "GET" in (one.methods or ())
    ]
    for path in looked:
        assert sitting.client.get(path).status_code != 500
    assert len(looked) >= 5
    assert [everything(desk_database, schema) for schema in ("private", "served")] == before


@pytest.mark.parametrize("path", ["/", "/gists", "/no", "/enter"])
def test_no_page_is_kept_framed_or_told_of(sitting: Sitting, path: str) -> None:
    reply = sitting.client.get(path)
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["referrer-policy"] == "same-origin"
    policy = reply.headers["content-security-policy"]
    assert ("frame-ancestors 'none'" in policy, "unsafe" in policy) == (True, False)
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_body_is_bounded_before_it_is_read(sitting: Sitting) -> None:
    fields = {"csrf": sitting.csrf, "id": "x", "words": "x" * 300_000}
    assert sitting.client.post("/gists/check", data=fields).status_code == 413


@pytest.mark.parametrize(
    "media", ["application/json", "text/plain", "multipart/form-data; boundary=x"]
)
def test_only_a_form_is_a_form(sitting: Sitting, visitor: TestClient, media: str) -> None:
    """And at the door a failure tells nothing of the archive."""
    headers = {"content-type": media, "x-csrf-token": sitting.csrf}
    assert sitting.client.post("/gists/veto", content=b"id=1", headers=headers).status_code == 422
    told = visitor.post("/enter", content=b"key=1", headers=headers)
    assert told.status_code == 422
    assert not any(word in told.text for word in WORDS)


def test_a_part_of_a_page_is_never_the_door(visitor: TestClient, sitting: Sitting) -> None:
    """Where a session has ended the whole page goes there; a failure is one line in its place."""
    asks = {"hx-request": "true"}
    gone = visitor.get("/run", headers=asks)
    assert (gone.status_code, gone.headers["hx-redirect"], gone.text) == (401, "/enter", "")
    told = sitting.client.post("/gists/check", data={"csrf": sitting.csrf}, headers=asks)
    assert told.status_code == 422
    assert told.text.startswith('<p role="alert"')


def test_a_defect_is_a_page_that_says_nothing_of_it(desk: Desk) -> None:
    """Its class and place go to the log; its words may be anybody's."""
    with visitor_at(desk) as client:
        app = desk_app(desk)

        @app.get("/broken")
        def broken() -> None:
            raise RuntimeError("Zephyrine quillwort ledger")

        del client
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        reply = client.get("/broken")
    assert reply.status_code == 500
    assert "Zephyrine" not in reply.text
    assert "A defect of ours" in reply.text


def test_a_desk_is_made_of_the_guarded_application(desk: Desk) -> None:
    with TestClient(create_desk(desk, SILENT), base_url=BASE) as client:
        assert client.get("/gists", follow_redirects=False).status_code == 303
