"""The system's Chromium for a test, without a window: what it asked for, said and was refused."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NoReturn

import pytest
import uvicorn

from fonds.api.server import address_of, bound_socket

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page
    from starlette.types import ASGIApp

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
PHONE: Final = (360, 740)
DESKTOP: Final = (1400, 900)
QUIET: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(slots=True)
class Watched:
    """A page of a browser, with everything that went over its wire and into its console."""

    page: Page
    asked: list[str] = field(default_factory=list[str])
    complaints: list[str] = field(default_factory=list[str])
    replies: list[str] = field(default_factory=list[str], repr=False)

    def elsewhere(self, base: str) -> list[str]:
        """The addresses that are not of the service."""
        return [url for url in self.asked if not url.startswith((base, "data:", "about:"))]


@contextmanager
def browser() -> Generator[Browser]:
    """Skips the test where there is no Chromium or the extra `e2e` is missing, and says which; with
    FONDS_TEST_BROWSER=insist it fails there.
    """
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("the extra e2e is not installed")
    if path is None:
        _missing("no Chromium on this machine")
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=path, args=list(QUIET))
        try:
            yield launched
        finally:
            launched.close()


def _missing(why: str) -> NoReturn:
    if os.environ.get("FONDS_TEST_BROWSER") == "insist":
        pytest.fail(why)
    pytest.skip(why)


@contextmanager
def watched(
    browser: Browser,
    *,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
    scripts: bool = True,
) -> Generator[Watched]:
    """A page in a context of its own: no cookie and no cache of another test."""
    context: BrowserContext = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    seen = Watched(page)
    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on(
        "console",
        lambda said: (
            seen.complaints.append(said.text) if said.type in ("error", "warning") else None
        ),
    )
    try:
        yield seen
    finally:
        context.close()


@contextmanager
def listening(app: ASGIApp) -> Generator[str]:
    """Where an application is reached by a browser, on a thread of this process."""
    up = threading.Event()
    with bound_socket("127.0.0.1", 0) as bound:
        server = _Server(app, up)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            up.wait()
            host, port = address_of(bound)
            yield f"http://{host}:{port}"
        finally:
            server.should_exit = True
            thread.join()


class _Server(uvicorn.Server):
    """Says when it has begun, or failed to."""

    def __init__(self, app: ASGIApp, up: threading.Event) -> None:
        config = uvicorn.Config(
            app, log_config=None, access_log=False, ws="none", proxy_headers=False
        )
        super().__init__(config)
        self._up = up

    async def startup(self, sockets: object = None) -> None:
        try:
            await super().startup(sockets=sockets)  # pyright: ignore[reportArgumentType]
        finally:
            self._up.set()


def accessibility_findings(page: Page) -> list[str]:
    """The serious and critical findings of axe-core on a page, by rule and place."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
