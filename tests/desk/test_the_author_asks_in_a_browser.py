"""Asking, refusals and evaluation in Chromium: by keyboard, without scripts, on a phone, in the
dark.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from fonds.contract.search_request import SearchRequest
from fonds.desk.desk import Desk
from fonds.desk.evaluation_runs import suite_run
from fonds.wiring.evaluating import reports_folder
from fonds.wiring.house import House
from tests.browsers import DESKTOP, PHONE, Watched, accessibility_findings, watched
from tests.desk.asked_archive import ABSENT, MARKUP, QUESTION, asked_house, suite_file
from tests.desks import KEY
from tests.servers import Database

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TAMPERED = """\
<title>kept</title><meta http-equiv="refresh" content="0;url=/leave">
<script>document.title = "ran"</script>
<img src="https://elsewhere.example/x" onerror="document.title='ran'">
<p>a report</p><form method="post" action="/leave"><button>Leave</button></form>
"""
PAGES = ("/ask", "/refusals?days=all", "/evaluation")


@pytest.fixture(scope="module")
def house(desk_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with asked_house(tmp_path_factory.mktemp("asked"), desk_database) as opened:
        yield opened


def entered(seen: Watched, address: str) -> Page:
    """The page of a browser that came in by the key."""
    seen.page.goto(f"{address}/enter")
    seen.page.get_by_label("Key").fill(KEY)
    seen.page.keyboard.press("Enter")
    seen.page.get_by_role("heading", name="Overview").wait_for()
    return seen.page


def is_quiet(seen: Watched, address: str) -> None:
    """Nothing was said on the console, and nothing asked for elsewhere."""
    assert (seen.complaints, seen.elsewhere(address)) == ([], [])


def test_a_gold_case_is_made_by_keyboard_alone(
    chromium: Browser, desk_address: str, house: House
) -> None:
    with watched(chromium) as seen:
        page = entered(seen, desk_address)
        page.goto(f"{desk_address}/ask")
        page.get_by_label("Question").focus()
        page.keyboard.type(QUESTION)
        page.keyboard.press("Tab")  # the filters, closed
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="What a reader gets").wait_for()
        page.get_by_role("button", name="Make a gold case").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Note").focus()
        page.keyboard.type("kept by hand")
        page.keyboard.press("Enter")
        page.get_by_text("note: kept by hand").wait_for()
        page.get_by_role("button", name="Add it to gold.yaml").focus()
        page.keyboard.press("Enter")
        page.get_by_text("was added to the suite").wait_for()
        assert "question" not in page.url
        assert suite_file(house).read_text().count("note: kept by hand") == 1
        is_quiet(seen, desk_address)


def test_markup_from_a_question_and_a_title_stays_text(
    chromium: Browser, desk_address: str
) -> None:
    with watched(chromium) as seen:
        page = entered(seen, desk_address)
        page.goto(f"{desk_address}/ask")
        page.get_by_label("Question").fill(f"{QUESTION} {MARKUP}")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_role("link", name="On <b>Kites</b>").first.wait_for()
        assert page.locator("main img").count() == 0
        is_quiet(seen, desk_address)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_run_is_begun_and_its_report_opened(
    chromium: Browser, desk_address: str, desk: Desk, *, scripts: bool
) -> None:
    """Where scripts run the page follows by itself; where none do a link looks again."""
    with watched(chromium, scripts=scripts) as seen:
        page = entered(seen, desk_address)
        page.goto(f"{desk_address}/evaluation")
        page.get_by_role("button", name="Run with answers").click()
        if not scripts:
            desk.runs.wait()
            page.goto(f"{desk_address}/evaluation")
        page.get_by_role("link", name="The whole report").click()
        page.get_by_role("heading", name="Under which terms").wait_for()
        page.get_by_role("link", name="The page as it was kept").click()
        is_quiet(seen, desk_address)


def test_a_kept_page_that_was_tampered_with_does_nothing(
    chromium: Browser, desk_address: str, desk: Desk, house: House
) -> None:
    """R184: it is a file, and whoever can write it is not thereby at the desk."""
    desk.runs.begin("evaluation", suite_run(house, full=False))
    desk.runs.wait()
    file = max(reports_folder(house.config).glob("*.html"))
    file.write_text(TAMPERED)
    with watched(chromium) as seen:
        page = entered(seen, desk_address)
        address = f"{desk_address}/evaluation/reports/{file.with_suffix('.json').name}/page"
        failures: list[str | None] = []
        page.on("requestfailed", lambda asked: failures.append(asked.failure))
        page.goto(address)
        page.get_by_text("a report").wait_for()
        page.get_by_role("button", name="Leave").click()
        assert (page.title(), page.url) == ("kept", address)
        assert failures == ["csp"] * len(seen.elsewhere(desk_address)), "stopped by the policy"
        page.goto(f"{desk_address}/evaluation")
        page.get_by_role("heading", name="Evaluation").wait_for()


def test_plots_keep_their_colours_under_the_policy(
    chromium: Browser, desk_address: str, desk: Desk
) -> None:
    pytest.importorskip("matplotlib", reason="the extra eval is missing")
    with watched(chromium, dark=True) as seen:
        page = entered(seen, desk_address)
        page.goto(f"{desk_address}/evaluation")
        page.get_by_role("button", name="Measure scores").click()
        plot = page.get_by_role("img", name="Best score of each question")
        plot.wait_for()
        fills = plot.evaluate(
            "one => [...new Set([...one.querySelectorAll('use, path')]"
            ".map(part => getComputedStyle(part).fill))]"
        )
        assert "rgb(42, 120, 208)" in fills
        assert "rgb(236, 231, 222)" in fills, "what is no figure has the page's own ink"
        assert accessibility_findings(page) == []
        is_quiet(seen, desk_address)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_every_page_is_legible_on_any_screen(
    chromium: Browser, desk_address: str, house: House, *, size: tuple[int, int], dark: bool
) -> None:
    house.ask(SearchRequest(ABSENT))
    with watched(chromium, size=size, dark=dark) as seen:
        page = entered(seen, desk_address)
        for path in PAGES:
            page.goto(f"{desk_address}{path}")
            looks_well(page)
        page.goto(f"{desk_address}/ask")
        page.get_by_text("Filters").click()
        page.get_by_label("Question").fill(QUESTION)
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_text("Gate: provisional").wait_for()
        looks_well(page)
        page.get_by_role("button", name="Make a gold case").click()
        page.get_by_role("heading", name="A new gold case").wait_for()
        looks_well(page)
        page.goto(f"{desk_address}/refusals")
        page.get_by_role("link", name="below_score_floor").click()
        page.locator("main ul a").first.click()
        page.get_by_text("Ask it again").wait_for()
        looks_well(page)
        is_quiet(seen, desk_address)


def looks_well(page: Page) -> None:
    """No serious finding, and nothing wider than the screen."""
    assert accessibility_findings(page) == []
    wider = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wider, page.url
