"""Where a browser came from, by its own word: to the desk by a name of its own and from no other
page; to a reader's page from no other site (R190).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers

_HOST: Final = re.compile(r"(?P<bare>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(?P<port>[0-9]{1,5}))?")
ANY_PORT: Final = ":*"


def is_led_here(headers: Headers, names: Sequence[str]) -> bool:
    """False for a name that somebody else's DNS leads here, for a page of another site, and for one
    of another port of this machine. A client that is no browser says nothing of where it was.
    """
    host = headers.get("host", "")
    if not any(_fits(host, name) for name in names):
        return False
    origin = headers.get("origin")
    same = origin is None or origin in (f"http://{host}", f"https://{host}")
    return is_from_here(headers) and same


def is_from_here(headers: Headers) -> bool:
    """Whether no page of elsewhere sent the browser, by its own word where it gives one."""
    return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


def is_of_another_site(headers: Headers, names: Sequence[str]) -> bool:
    """Whether a page of another site sent a form. A browser says so in `Sec-Fetch-Site`; an old
    one, and any one over plain HTTP, only whose page it was: then that host has to be the one
    asked, or one of `names`. Who says neither is no browser.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site.lower() == "cross-site"
    page = headers.get("origin") or headers.get("referer")
    if page is None:
        return False
    try:
        host = urlsplit(page.lower()).netloc  # a site has one name, whatever the port
    except ValueError:
        return True
    here = _bare(headers.get("host", ""))
    return _bare(host) is None or (
        _bare(host) != here and not any(_fits(host, name) for name in names)
    )


def port_of(host: str) -> str:
    """The port that a Host header names; empty for none."""
    found = _HOST.fullmatch(host.lower())
    return "" if found is None else found["port"] or ""


def _bare(host: str) -> str | None:
    """A host without its port; None for what is none, as the page of a sandbox says of itself."""
    found = _HOST.fullmatch(host.lower())
    return None if found is None else found["bare"]


def _fits(host: str, name: str) -> bool:
    """`:*` at the end of a name is any port, or none."""
    found = _HOST.fullmatch(host.lower())
    if found is None:
        return False
    if name.endswith(ANY_PORT):
        return found["bare"] == name.removesuffix(ANY_PORT).lower()
    return host.lower() == name.lower()
