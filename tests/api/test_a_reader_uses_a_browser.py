"""The page in a real browser: by keyboard, by hand on a phone, without scripts, in the dark; what
is in its document and on its wire (R148, R149, R163, R193).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from fonds.wiring.hosting import Hosting
from tests.api.reading import (
    ABSENT,
    ASKED,
    ASKED_HEBREW,
    ASKED_JAPANESE,
    ASKED_PRIVATE,
    CLOSED,
    GIST,
    HEBREW,
    JAPANESE,
    MARKED,
    PAGE,
)
from tests.browsers import (
    DESKTOP,
    PHONE,
    Watched,
    accessibility_findings,
    browser,
    listening,
    watched,
)
from tests.hosts import app_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Words of the private note, of its title, its theme and of a note that is not served at all.
NEVER = ("sextant", "Zephyrine", "quillwort", "pawnbroking", "forger")
KEPT_APART = "Which brass was it?"


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def base(chromium: Browser, shelf_hosting: Hosting) -> Generator[str]:
    """Where the service is; nothing is started where there is no browser."""
    with listening(app_of(shelf_hosting)) as address:
        yield address


def ask(page: Page, question: str) -> None:
    """A question typed and sent by the button; returns once something came of it."""
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Ask").click()
    page.locator("#outcome").wait_for()


def check_quiet(seen: Watched, base: str) -> None:
    """Nothing was complained of, nothing fetched from elsewhere, no question put in an address."""
    assert seen.complaints == []
    assert seen.elsewhere(base) == []
    assert not any("?" in address or "Brunhilde" in address for address in seen.asked)
    assert seen.page.context.cookies() == []


def test_a_question_is_asked_and_a_source_followed_by_keyboard(
    chromium: Browser, base: str
) -> None:
    with watched(chromium) as seen:
        page = seen.page
        page.goto(base + PAGE)
        for _ in range(4):  # past the skip link, the archive and what is told about it
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "q"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.type(ASKED)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Answer", exact=True).wait_for()
        assert page.url == f"{base}{PAGE}#outcome"
        assert page.title() == "Archive shelf"
        source = page.get_by_role("link", name=MARKED)
        address = str(source.get_attribute("href"))
        page.route(address, lambda route: route.fulfill(body="The page of the author."))
        check_quiet(seen, base)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.href") == address
        page.keyboard.press("Enter")
        page.wait_for_url(address)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone_asks_follows_and_is_refused(
    chromium: Browser, base: str, *, scripts: bool
) -> None:
    """With scripts and without the same is shown."""
    with watched(chromium, size=PHONE, scripts=scripts) as seen:
        page = seen.page
        page.goto(base + PAGE)
        ask(page, ASKED)
        assert "forty barrels of herring" in page.locator("#outcome").inner_text()
        assert page.locator(".card").count() == 1
        ask(page, ABSENT)
        said = page.locator("#outcome").inner_text()
        assert "I don't know." in said
        assert "patience" in said
        assert page.locator(".card").count() == 0
        check_quiet(seen, base)
        page.get_by_role("link", name="What this archive holds").click()
        page.get_by_role("heading", name="What you can rely on").wait_for()
        page.get_by_role("link", name="Archive shelf").click()
        ask(page, ASKED)
        source = page.get_by_role("link", name=MARKED)
        address = str(source.get_attribute("href"))
        page.route(address, lambda route: route.fulfill(body="The page of the author."))
        source.click()
        page.wait_for_url(address)


HELD = """() => {
  window.sent = 0;
  addEventListener("submit", (event) => {
    if (!event.defaultPrevented) { window.sent += 1; event.preventDefault(); }
  });
}"""


def test_while_it_waits_it_says_so_and_sends_once(chromium: Browser, base: str) -> None:
    """A form that is sent and not answered: held in the page, so that it stays to be looked at."""
    with watched(chromium) as seen:
        page = seen.page
        page.goto(base + PAGE)
        page.evaluate(HELD)
        button, said = page.get_by_role("button", name="Ask"), page.locator("[role=status]")
        page.get_by_label("Your question").fill(ASKED)
        button.click()
        assert said.inner_text() == "Looking through the archive…"
        assert button.get_attribute("aria-disabled") == "true"
        button.click(force=True)
        page.get_by_label("Your question").press("Enter")
        assert page.evaluate("window.sent") == 1
        page.evaluate("dispatchEvent(new Event('pageshow'))")  # as when one comes back to it
        assert said.inner_text() == ""
        button.click()
        assert page.evaluate("window.sent") == 2
        check_quiet(seen, base)


def test_captions_gists_and_questions_are_shown_as_they_are_written(
    chromium: Browser, base: str
) -> None:
    """None of them is markup, opens a dialogue or loads what it names."""
    marked = '<script>alert("asked")</script> & the harbour crane Brunhilde, before noon'
    with watched(chromium) as seen:
        page = seen.page
        page.on("dialog", lambda dialog: seen.complaints.append(dialog.message))
        page.goto(base + PAGE)
        ask(page, marked)
        assert page.get_by_label("Your question").input_value() == marked
        assert page.locator(".asked").inner_text().strip("“”") == marked
        ask(page, ASKED)
        assert page.locator(".card .title").inner_text() == MARKED
        ask(page, ASKED_PRIVATE)
        assert page.locator(".described p").nth(1).inner_text() == GIST
        assert "A <b>note</b> of a debt" in page.locator(".card").inner_text()
        assert page.locator("img, main script, .card b").count() == 0
        check_quiet(seen, base)


def test_no_private_word_is_in_the_document_or_on_the_wire(chromium: Browser, base: str) -> None:
    with watched(chromium) as seen:
        page, bodies = seen.page, list[str]()
        page.on("response", lambda reply: bodies.append(f"{reply.url} {reply.headers}"))
        page.goto(base + PAGE)
        for question in (ASKED, ABSENT, KEPT_APART, "Who owed whom in winter?"):
            ask(page, question)
            bodies.append(page.content())
        ask(page, ASKED_PRIVATE)
        bodies.append(page.content().replace(ASKED_PRIVATE, ""))
        page.goto(f"{base}{PAGE}about")
        bodies.append(page.content())
        everything = "\n".join([*bodies, *seen.asked])
        assert "Where it lies" in everything
        assert [word for word in NEVER if word in everything] == []
        assert CLOSED not in everything


def test_every_script_runs_its_own_way(chromium: Browser, base: str) -> None:
    """A Hebrew source reads from the right, a Japanese one from the left, on the same page."""
    with watched(chromium, size=PHONE) as seen:
        page = seen.page
        page.goto(base + PAGE)
        for question, title, way in (
            (ASKED_HEBREW, HEBREW, "rtl"),
            (ASKED_JAPANESE, JAPANESE, "ltr"),
        ):
            ask(page, question)
            card = page.locator(".card").filter(has_text=title)
            assert card.evaluate("one => getComputedStyle(one).direction") == way
            words = page.locator(".words").first
            assert words.evaluate("one => getComputedStyle(one).direction") == way
            field = page.get_by_label("Your question")
            assert field.evaluate("one => getComputedStyle(one).direction") == way
        check_quiet(seen, base)


@pytest.mark.parametrize(("size", "dark"), [(PHONE, True), (DESKTOP, False)])
def test_nothing_stands_in_anybodys_way(
    chromium: Browser, base: str, size: tuple[int, int], *, dark: bool
) -> None:
    """axe-core has no serious finding in any state, and no page scrolls sideways."""
    with watched(chromium, size=size, dark=dark) as seen:
        page, found = seen.page, dict[str, list[str]]()

        def look(state: str) -> None:
            wide = page.evaluate("document.documentElement.scrollWidth")
            found[state] = [*accessibility_findings(page), *(["wide"] if wide > size[0] else [])]

        page.goto(base + PAGE)
        look("empty")
        for question in (ASKED, ASKED_PRIVATE, ABSENT, "mmmmmmmm" * 60):
            ask(page, question)
            look(question)
        page.get_by_label("Your question").fill("?!")
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("alert").wait_for()
        look("wrong")
        page.goto(f"{base}{PAGE}about")
        look("about")
        page.goto(f"{base}/nowhere/")
        look("no page")
        assert {state: told for state, told in found.items() if told} == {}
