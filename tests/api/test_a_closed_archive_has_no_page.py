"""Who is let in to a page, what everybody else is told, and where a page is served (R192, R186)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from starlette.testclient import TestClient
from starlette.types import Scope

from fonds.api.problems import problem_of
from fonds.api.trouble_page import told
from fonds.contract.failures import NotAdmitted
from fonds.observing.checked import Event
from fonds.observing.events import RequestServed
from fonds.observing.observer import Observer
from fonds.settings import Settings
from fonds.wiring.current_archives import CurrentArchives
from fonds.wiring.hosting import Hosting
from tests.api.conftest import Shelves
from tests.api.reading import (
    ABSENT,
    ASKED,
    BROWSER,
    CLOSED,
    FORM,
    PAGE,
    SLUG,
    without_id,
)
from tests.hosts import client_of, host_of

CLOSED_ADDRESSES = [
    ("GET", ""),
    ("GET", "/"),
    ("HEAD", "/"),
    ("POST", "/"),
    ("GET", "/about"),
]


@pytest.mark.parametrize("accepted", [BROWSER["Accept"], "*/*"])
@pytest.mark.parametrize(("method", "rest"), CLOSED_ADDRESSES)
def test_a_closed_archive_and_none_are_one_page(
    reader: TestClient, shelves: Shelves, method: str, rest: str, accepted: str
) -> None:
    """Status, headers and body; with the closed one's own key and a form out of shape as well."""
    key = {"Authorization": f"Bearer {shelves.key}"}
    got = [
        without_id(reader.request(method, f"/{slug}{rest}", headers={"Accept": accepted} | sent))
        for slug in (CLOSED, "nowhere", "Not-A-Slug", "x" * 3_000, "%00")
        for sent in ({}, key, FORM)
    ]
    assert got[0][0] == 404
    assert all(one == got[0] for one in got)
    assert CLOSED not in str(got)


def test_an_open_archive_without_a_usable_file_or_a_build_says_so(
    reader: TestClient, shelf_hosting: Hosting, shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {CLOSED: shelf_hosting.archives.current()[CLOSED]}
    monkeypatch.setattr(shelf_hosting, "archives", CurrentArchives(lambda: kept))
    reply = reader.get(PAGE)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert "cannot answer" in reply.text
    assert reader.get(f"/{CLOSED}/").status_code == 404


def test_no_page_asks_a_browser_for_a_key(reader: TestClient) -> None:
    """Not even for a problem that asks a program for one."""
    assert "www-authenticate" not in reader.get(f"/{CLOSED}/").headers
    wanted = problem_of(NotAdmitted("no-key"))
    scope: Scope = {"type": "http", "path": PAGE, "state": {"request_id": "one"}, "headers": []}
    person = {**scope, "headers": [(b"accept", BROWSER["Accept"].encode())]}
    assert "www-authenticate" in told(wanted, scope).headers
    page = told(wanted, person)
    assert (page.status_code, "www-authenticate" in page.headers) == (401, False)


def test_who_leaves_out_the_stroke_is_led_to_the_page(reader: TestClient) -> None:
    reply = reader.get(f"/{SLUG}")
    assert (reply.status_code, reply.headers["location"]) == (308, PAGE)


def test_trouble_is_a_page_for_a_person_and_a_document_below_the_api(reader: TestClient) -> None:
    large = reader.post(PAGE, content=b"q=" + b"a" * 70_000, headers=FORM)
    wrong = reader.put(PAGE)
    nowhere = reader.get("/no/such/place")
    assert [one.status_code for one in (large, wrong, nowhere)] == [413, 405, 404]
    for reply in (large, wrong, nowhere):
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in reply.headers["content-security-policy"]
    api = reader.post(f"/v1/archives/{CLOSED}/ask", json={"q": "x"})
    assert (api.status_code, api.headers["content-type"]) == (401, "application/problem+json")
    plain = reader.get("/no/such/place", headers={"Accept": "*/*"})
    assert plain.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", PAGE),
        ("HEAD", PAGE),
        ("GET", f"{PAGE}about"),
        ("GET", f"/{SLUG}"),
        ("GET", f"/v1/archives/{SLUG}"),
        ("PUT", PAGE),
    ],
)
def test_a_body_is_bounded_whatever_the_method(
    reader: TestClient, method: str, address: str
) -> None:
    """R186: announced or in pieces; nobody fills the memory with a body that no route asked for."""
    pieces = (b"x" * 1_024 for _ in range(80))
    for body in (b"x" * 70_000, pieces):
        assert reader.request(method, address, content=body).status_code == 413


def test_every_link_keeps_to_the_path_it_is_served_below(shelves: Shelves) -> None:
    settings = Settings(serve_threads=2, serve_root_path="/read")
    with (
        host_of(shelves.database, shelves.folders, settings=settings) as hosting,
        client_of(hosting) as client,
    ):
        client.headers.update(BROWSER)
        replies = [
            client.get(f"/read{PAGE}"),
            client.get(f"/read{PAGE}about"),
            client.post(f"/read{PAGE}", data={"q": ASKED}),
            client.get("/read/nowhere/"),
            client.post(f"/read{PAGE}", content=b"x" * 70_000, headers=FORM),
        ]
        for reply in replies:
            paths = re.findall(r'(?:src|href|action)="(/[^"]*)"', reply.text)
            assert paths != []
            assert all(path.startswith("/read/") for path in paths)
            assert all(client.get(path).status_code == 200 for path in paths if "/_static/" in path)
        led = client.get(f"/read/{SLUG}", follow_redirects=False)
        assert led.headers["location"] == f"/read{PAGE}"


def test_a_static_file_has_the_name_of_its_content_and_no_other(reader: TestClient) -> None:
    """No name of a file, no path and no way out of the folder of static files."""
    for name in ("fonds.css", "..%2frendering.py", "htmx.LICENSE.txt", ""):
        assert reader.get(f"/_static/{name}").status_code == 404


def test_a_page_is_told_of_by_the_name_of_its_route(shelves: Shelves) -> None:
    """R186: no slug and no question is in the access log, whoever wrote it."""
    told: list[str] = []

    def sink(event: Event) -> None:
        if isinstance(event, RequestServed):
            told.append(event.route)

    with (
        host_of(shelves.database, shelves.folders, settings=Settings(serve_threads=2)) as hosting,
        client_of(replace(hosting, observer=Observer([sink]))) as client,
    ):
        sheet = re.findall(r'"(/_static/[^"]+)"', client.get(PAGE).text)[0]
        client.post(PAGE, data={"q": ABSENT})
        for path in (f"/{SLUG}/about", f"/{CLOSED}/", f"/{SLUG}", sheet):
            client.get(path, follow_redirects=False)
    assert told == ["reader", "reader", "reader-about", "reader", "reader-led", "static"]
