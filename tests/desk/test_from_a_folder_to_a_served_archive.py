"""From what `fonds init` made to a served archive with the desk alone: by mouse, by keyboard, and
without scripts (R191, R196).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from fonds.desk.desk import Desk
from fonds.wiring.starting import start_archive
from tests.archives import essay, house_of, note
from tests.browsers import DESKTOP, PHONE, Watched, accessibility_findings, watched
from tests.desks import desk_over, served_to_browsers
from tests.servers import Database

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SECRET: Final = "She owed the baker forty crowns."
MARKUP: Final = "<img src=x onerror=alert(1)>"
PAGES: Final = (
    "/",
    "/intake",
    "/travel",
    "/travel/entity?id=note:diary",
    "/travel/next",
    "/travel/builds",
    "/travel/held",
    "/travel/rollback",
)
Press = Callable[["Page", str], None]
"""Follows the link, or sends the form, of this name."""


def by_mouse(page: Page, name: str) -> None:
    with page.expect_navigation():
        page.locator("a, button").get_by_text(name, exact=True).first.click()


def by_keyboard(page: Page, name: str) -> None:
    """From wherever the focus is, forward; a page of the desk has no more stops than these."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText") == name:
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError(f"no stop is named {name}")


@contextmanager
def desk_of_new_folder(folder: Path, database: Database) -> Generator[tuple[Desk, str]]:
    """A desk over what `fonds init` makes and three files, of which one is out of form."""
    start_archive(folder, name=folder.name, author="Person A", base_url="https://example.org")
    (folder / "essays/kites.md").write_text(essay(MARKUP, "Kites over the dyke."))
    (folder / f"essays/{MARKUP}.md").write_text(essay("Bad", "Words.", date="someday"))
    (folder / "notes/diary.md").write_text(note(f"Diary {MARKUP}", SECRET))
    with house_of(folder, database) as house:
        desk = desk_over(house)
        with served_to_browsers(desk) as address:
            yield desk, address


def served_by_hand(seen: Watched, desk: Desk, address: str, press: Press, *, scripts: bool) -> None:
    """The way of an author who never leaves the pages."""
    page = seen.page

    def run_ends(shown: str) -> None:
        """With scripts the page comes by itself."""
        if not scripts:
            desk.runs.wait()
            page.reload()
        page.get_by_text(shown).first.wait_for()

    page.goto(f"{address}/enter/{desk.way_in.entry_code()}")
    press(page, "Read the folders in")
    press(page, "Read the folders in")
    run_ends("1 refused")
    refused = page.get_by_label("Refused files").inner_text()
    assert f"essays/{MARKUP}.md, line 3" in refused
    assert "date: write YYYY, YYYY-MM or YYYY-MM-DD" in refused
    press(page, "What may travel")
    press(page, "Next build")
    press(page, "Look at the next build")
    run_ends("Waits for your acceptance: 1")
    assert page.get_by_text(f"Diary {MARKUP}").count() == 1
    press(page, "Accept exactly this and build")
    run_ends("Build 1 is live: 2 entities, 2 fragments.")
    press(page, "Overview")
    page.get_by_text("Live build").wait_for()


@pytest.mark.parametrize(
    ("way", "press", "size", "scripts"),
    [
        ("mouse", by_mouse, DESKTOP, True),
        ("keyboard", by_keyboard, PHONE, True),
        ("plain", by_mouse, PHONE, False),
    ],
)
def test_an_author_never_leaves_the_desk(
    chromium: Browser,
    desk_database: Database,
    tmp_path: Path,
    way: str,
    press: Press,
    size: tuple[int, int],
    scripts: bool,
) -> None:
    with (
        desk_of_new_folder(tmp_path / way, desk_database) as (desk, address),
        watched(chromium, size=size, scripts=scripts) as seen,
    ):
        served_by_hand(seen, desk, address, press, scripts=scripts)
        assert desk.house.live_build().fragment_count == 2
        assert seen.complaints == []
        assert seen.elsewhere(address) == []


def test_the_pages_are_for_everybody(
    chromium: Browser, desk_database: Database, tmp_path: Path
) -> None:
    """Named, in contrast, and no wider than the smallest phone; no word of a private text."""
    with desk_of_new_folder(tmp_path / "everybody", desk_database) as (desk, address):
        for size, dark in ((PHONE, True), (DESKTOP, False)):
            with watched(chromium, size=size, dark=dark) as seen:
                page = seen.page
                page.goto(f"{address}/enter/{desk.way_in.entry_code()}")
                if dark:  # the second look finds what the first one made
                    for path, name in (
                        ("/intake", "Read the folders in"),
                        ("/travel/next", "Look at the next build"),
                        ("/travel/next", "Build without what waits"),
                        ("/travel/next", "Look again"),
                    ):
                        page.goto(f"{address}{path}")
                        by_mouse(page, name)
                        desk.runs.wait()
                for path in PAGES:
                    page.goto(f"{address}{path}")
                    assert accessibility_findings(page) == [], path
                    width = page.evaluate("document.documentElement.scrollWidth")
                    assert width <= size[0], path
                    assert SECRET not in page.content()
                assert seen.complaints == []


def test_what_another_window_changed_is_not_accepted(
    chromium: Browser, desk_database: Database, tmp_path: Path
) -> None:
    """R191: the digest of the first window is not that of what waits by then."""
    with (
        desk_of_new_folder(tmp_path / "windows", desk_database) as (desk, address),
        watched(chromium) as first,
        watched(chromium) as second,
    ):
        for one in (first, second):
            one.page.goto(f"{address}/enter/{desk.way_in.entry_code()}")
        first.page.goto(f"{address}/intake")
        by_mouse(first.page, "Read the folders in")
        desk.runs.wait()
        first.page.goto(f"{address}/travel/next")
        by_mouse(first.page, "Look at the next build")
        first.page.get_by_text("Accept exactly this and build").wait_for()
        (tmp_path / "windows/notes/diary.md").write_text(note("Another label", SECRET))
        second.page.goto(f"{address}/intake")
        by_mouse(second.page, "Read the folders in")
        desk.runs.wait()
        by_mouse(first.page, "Accept exactly this and build")
        first.page.get_by_text("Nothing was accepted:").wait_for()
        assert desk.house.live_build().entity_count == 1
