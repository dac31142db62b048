"""The address of a public page: made of archive file and slug, in its own spelling (R021)."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote, urljoin, urlsplit

from fonds.archive_config import ArchiveConfig, Collection

_UNSAFE_IN_URL = frozenset(' "<>\\^`{|}?#%')
_ENDINGS = ("/", "/index.html", "/index.htm", ".html", ".htm", "/index")


def page_address(config: ArchiveConfig, collection: Collection, slug: str) -> str:
    """Where the page of a slug is published."""
    return f"{config.base_url}{collection.url_prefix}{_in_url(slug)}/"


def own_spelling(address: str, canonical: str) -> str | None:
    """`canonical` where it spells the same page, such as `/kites.html` for `/kites/`; else None.

    It cannot lead elsewhere: a citation names the page that the words were read from.
    """
    try:
        spelled = urljoin(address, canonical)
        parts = urlsplit(spelled)
        strange = parts.query or parts.fragment or parts.username or parts.password
    except ValueError:
        return None
    if strange or " " in spelled or not spelled.isprintable():
        return None
    return spelled if page_path(spelled) == page_path(address) else None


def page_path(address: str) -> str:
    """An address without the endings that one page may be published under."""
    path = unicodedata.normalize("NFC", unquote(address))
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    return path


def _in_url(slug: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in _UNSAFE_IN_URL else c for c in slug)
