"""The gists in a real browser: by keys, by mouse, without scripts, at any width (R084, R190)."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING

import pytest

from fonds.desk.desk import Desk
from fonds.wiring.gists import GistDesk
from fonds.wiring.house import House
from tests.archives import essay, house_of, ingested, note, written
from tests.browsers import DESKTOP, PHONE, Watched, accessibility_findings, watched
from tests.desks import in_archive
from tests.servers import Database

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MARKUP = "<img src=x onerror=alert(1)> <b>"
IDS = [f"note:note-{place:02}#p-{place}" for place in range(1, 13)]


@pytest.fixture(scope="module")
def house(desk_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """Twelve notes that ask to be described; titles, labels and texts are full of markup."""
    files = {"essays/on-kites.md": essay("On Kites", "My aunt Ilse taught me to fly kites.")}
    for place in range(1, 13):
        text = f"Entry {place}: the ferryman sold his lantern twice. {escape(MARKUP)}"
        label = f"'Entry {place} <script>alert(1)</script>'"
        kept = note(label, text, exposure="semantic", locator=f"p. {place}")
        files[f"notes/note-{place:02}.md"] = kept
    with house_of(written(tmp_path_factory.mktemp("desk"), files), desk_database) as opened:
        ingested(opened)
        yield opened


@pytest.fixture(autouse=True)
def described(house: House, desk_database: Database) -> Generator[None]:
    """Every note has a gist nobody reviewed."""
    gists = GistDesk(house)
    for one in IDS:
        gists.edit(one, f"A small fraud, retold <b>{one}</b>.", reviewed=False)
    yield
    in_archive(desk_database, "UPDATE private.projection SET vetoed = false")
    in_archive(desk_database, "DELETE FROM private.projection")


@contextmanager
def seated(
    chromium: Browser,
    desk: Desk,
    address: str,
    *,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
    scripts: bool = True,
    refused: int = 0,
) -> Generator[Watched]:
    """A browser that came in by the address shown at the start, at the gists; it must see nothing
    of another site and have nothing to complain of, but for so many forms that are refused.
    """
    with watched(chromium, size=size, dark=dark, scripts=scripts) as seen:
        seen.page.goto(f"{address}/enter/{desk.way_in.entry_code()}")
        seen.page.get_by_role("link", name="Gists").click()
        seen.page.wait_for_url(re.compile("/gists"))
        yield seen
        assert len(seen.complaints) == refused
        assert all("422" in one for one in seen.complaints)
        assert seen.elsewhere(address) == []


def reviewed(database: Database) -> list[object]:
    statement = "SELECT fragment_id FROM private.projection WHERE review = 'reviewed' ORDER BY 1"
    return [row[0] for row in in_archive(database, statement)]


def heading(page: Page, fragment_id: str) -> None:
    page.get_by_role("heading", name=fragment_id, exact=True).wait_for()


def test_ten_in_a_row_are_approved_by_keys_alone(
    chromium: Browser, desk: Desk, desk_address: str, desk_database: Database
) -> None:
    """And a veto, an edit and a step back; a letter that is typed into a field is a letter."""
    with seated(chromium, desk, desk_address) as seen:
        page = seen.page
        for one in IDS[:10]:
            heading(page, one)
            page.keyboard.press("a")
        heading(page, IDS[10])
        assert reviewed(desk_database) == IDS[:10]
        page.keyboard.press("n")
        heading(page, IDS[11])
        page.keyboard.press("p")
        heading(page, IDS[10])
        page.keyboard.press("e")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type("a vain veto")
        assert page.get_by_label("The gist").input_value() == "a vain veto"
        page.keyboard.press("Control+Enter")
        heading(page, IDS[11])
        page.keyboard.press("v")
        page.get_by_text("Nothing is in this pile.").wait_for()
    rows = in_archive(
        desk_database,
        "SELECT fragment_id, gist, vetoed FROM private.projection WHERE fragment_id >= %(one)s"
        " ORDER BY 1",
        one=IDS[10],
    )
    assert rows[0] == (IDS[10], "a vain veto", False)
    assert rows[1][2] is True


def test_keys_can_be_turned_off(chromium: Browser, desk: Desk, desk_address: str) -> None:
    """And stay off; Tab and Enter do the same all the while."""
    with seated(chromium, desk, desk_address) as seen:
        page = seen.page
        page.get_by_label("Keys, while nothing is typed").uncheck()
        page.reload()
        page.keyboard.press("n")
        page.keyboard.press("a")
        heading(page, IDS[0])
        approve = page.get_by_role("button", name="Approve these words")
        approve.focus()
        page.keyboard.press("Enter")
        heading(page, IDS[1])


def test_the_lint_is_shown_while_it_is_typed(
    chromium: Browser, desk: Desk, desk_address: str
) -> None:
    """On both sides, and it goes when the words do."""
    with seated(chromium, desk, desk_address) as seen:
        page = seen.page
        words = page.get_by_label("The gist")
        words.fill("He says the ferryman sold his lantern twice, no more.")
        page.locator("#checked").get_by_text("quotes private text at words 3-7").wait_for()
        marked = "the ferryman sold his lantern twice"
        assert page.locator("#checked mark").all_inner_texts() == [marked]
        assert page.locator("#passage mark").all_inner_texts() == [marked]
        assert accessibility_findings(page) == []
        words.fill("A small fraud.")
        page.locator("#checked").get_by_text("Passes").wait_for()
        assert page.locator("mark").count() == 0
        page.locator("#leaving").get_by_text("A small fraud.", exact=False).first.wait_for()


def test_it_works_without_scripts(
    chromium: Browser, desk: Desk, desk_address: str, desk_database: Database
) -> None:
    with seated(chromium, desk, desk_address, scripts=False, refused=1) as seen:
        page = seen.page
        page.get_by_label("The gist").fill("The ferryman sold his lantern twice to him.")
        page.get_by_role("button", name="Approve these words").click()
        page.get_by_role("alert").get_by_text("quotes private text").wait_for()
        assert page.get_by_label("The gist").input_value().startswith("The ferryman")
        page.get_by_label("The gist").fill("A swindle.")
        page.get_by_role("button", name="Approve these words").click()
        heading(page, IDS[1])
        page.get_by_role("button", name="Veto").click()
        heading(page, IDS[2])
        page.get_by_role("link", name="Previous").wait_for(state="detached")
    assert reviewed(desk_database) == [IDS[0]]


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
@pytest.mark.parametrize("dark", [False, True])
def test_every_pile_can_be_read_by_everybody(
    chromium: Browser, desk: Desk, desk_address: str, size: tuple[int, int], dark: bool
) -> None:
    """No serious finding, nothing wider than the window, and markup is what it was: text."""
    with seated(chromium, desk, desk_address, size=size, dark=dark) as seen:
        page = seen.page
        for pile in ("unreviewed", "missing", "all"):
            page.goto(f"{desk_address}/gists?pile={pile}")
            page.get_by_role("heading", name="Gists", exact=True).wait_for()
            assert accessibility_findings(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert MARKUP in page.locator("#passage").inner_text()
        assert "<script>alert(1)</script>" in page.locator("#leaving").inner_text()
        assert page.locator("main img, main b, main script").count() == 0
