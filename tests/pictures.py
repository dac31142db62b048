"""Makes the pictures of the pages in `docs/`: `python -m tests.pictures docs/pictures`.

They show the bundled archive, all of it fiction, on a server of their own. Needs Chromium and the
extra `e2e`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fonds.desk.desk import Desk
from fonds.settings import Settings
from fonds.wiring.hosting import hosting
from fonds.wiring.opening import opened
from tests.browsers import DESKTOP, PHONE, browser, listening, watched
from tests.desks import desk_over, served_to_browsers
from tests.hosts import OPEN, app_of
from tests.house.tree import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ANSWERED: Final = "How many blocks of granite is the Long Arm made of?"
POINTED: Final = "Why did she leave the family boatyard to her brother?"
DECLINED: Final = "Which programming language should a beginner learn first?"


def main() -> None:
    """Writes one PNG a page below the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fonds-pictures-") as made, browser() as launched:
        archive = _archive(Path(made))
        settings = Settings(home=Path(made) / "home", archive=archive)
        with opened(settings, archive) as house:
            desk = desk_over(house)
            with served_to_browsers(desk) as base:
                _desk(launched, desk, base, folder)
            with hosting(settings, archive) as host, listening(app_of(host)) as base:
                _reader(launched, f"{base}/example/", folder)


def _archive(below: Path) -> Path:
    """A copy of the example that anybody may read."""
    shutil.copytree(ROOT / "example_content", below / "example_content")
    (below / "eval").mkdir()
    for name in ("gold.yaml", "calibration.yaml"):
        shutil.copy(ROOT / "eval" / name, below / "eval" / name)
    file = below / "example_content/archive.toml"
    file.write_text(f"{file.read_text(encoding='utf-8')}\n{OPEN}", encoding="utf-8")
    return file


def _desk(launched: Browser, desk: Desk, base: str, folder: Path) -> None:
    with watched(launched, size=DESKTOP) as seen:
        page = seen.page
        page.goto(f"{base}/enter/{desk.way_in.entry_code()}")
        _pressed(page, desk, f"{base}/intake", "Read the folders in")
        page.screenshot(path=folder / "desk-intake.png")
        _pressed(page, desk, f"{base}/intake", "Import the gists")
        page.goto(f"{base}/gists?pile=all")
        page.screenshot(path=folder / "desk-gists.png")
        _pressed(page, desk, f"{base}/travel/next", "Look at the next build")
        page.screenshot(path=folder / "desk-next.png")
        _pressed(page, desk, f"{base}/travel/next", "Accept exactly this and build")
        page.goto(f"{base}/")
        page.screenshot(path=folder / "desk-overview.png")
        page.goto(f"{base}/ask")
        page.get_by_label("Question").fill(ANSWERED)
        page.get_by_role("button", name="Ask", exact=True).click()
        page.locator("#outcome").wait_for()
        page.screenshot(path=folder / "desk-ask.png")
    with watched(launched, size=PHONE, dark=True) as seen:
        seen.page.goto(f"{base}/enter/{desk.way_in.entry_code()}")
        seen.page.goto(f"{base}/gists?pile=all")
        seen.page.screenshot(path=folder / "desk-gists-small.png")


def _pressed(page: Page, desk: Desk, address: str, button: str) -> None:
    """The page of an address after its button was pressed and the run it began has ended."""
    page.goto(address)
    page.get_by_role("button", name=button).click()
    desk.runs.wait()
    page.goto(address)


def _reader(launched: Browser, address: str, folder: Path) -> None:
    for name, question, size, dark in (
        ("reader-answer", ANSWERED, DESKTOP, False),
        ("reader-answer-small", ANSWERED, PHONE, False),
        ("reader-pointer-small", POINTED, PHONE, True),
        ("reader-refusal-small", DECLINED, PHONE, False),
    ):
        with watched(launched, size=size, dark=dark) as seen:
            seen.page.goto(address)
            seen.page.get_by_label("Your question").fill(question)
            seen.page.get_by_role("button", name="Ask").click()
            seen.page.locator("#outcome").wait_for()
            seen.page.screenshot(path=folder / f"{name}.png")


if __name__ == "__main__":
    main()
