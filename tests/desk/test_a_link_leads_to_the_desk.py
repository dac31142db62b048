"""The address shown at the start, followed from a page of elsewhere: a terminal in a browser, a
message (R190).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.testclient import TestClient

from fonds.desk.desk import Desk
from tests.browsers import watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ELSEWHERE = "http://terminal.example/"
LED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}


def test_who_was_led_from_elsewhere_is_let_in_and_goes_on_by_a_link(
    visitor: TestClient, timed: Desk
) -> None:
    """A browser led on from there would be taken for one that is still elsewhere."""
    reply = visitor.get(f"/enter/{timed.way_in.entry_code()}", headers=LED)
    assert reply.status_code == 200
    assert '<a class="button" href="/">' in reply.text
    assert "Archive example" not in reply.text
    assert visitor.get("/", headers={"sec-fetch-site": "same-origin"}).status_code == 200
    assert visitor.get(f"/enter/{timed.way_in.entry_code()}").status_code == 303


def test_the_link_works_in_a_browser(desk: Desk, desk_address: str, chromium: Browser) -> None:
    address = f"{desk_address}/enter/{desk.way_in.entry_code()}"
    with watched(chromium) as seen:
        seen.page.route(
            ELSEWHERE,
            lambda route: route.fulfill(
                body=f'<a href="{address}">desk</a>', content_type="text/html"
            ),
        )
        seen.page.goto(ELSEWHERE)
        seen.page.get_by_role("link", name="desk").click()
        seen.page.get_by_role("link", name="Open the desk").click()
        seen.page.get_by_role("heading", name="Overview").wait_for()
