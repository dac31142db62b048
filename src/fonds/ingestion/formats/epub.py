"""EPUB -> Markdown: the pages of its spine in their order."""

from __future__ import annotations

import codecs
import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fonds.ingestion.formats.bounded_zip import BoundedZip, opened_zip
from fonds.ingestion.formats.html_text import html_markdown
from fonds.ingestion.formats.trouble import FormatTrouble

_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def epub_markdown(content: bytes) -> str:
    """The text of an EPUB; raises FormatTrouble.

    Its XML is read as HTML is: no entity is defined in it and nothing outside it is opened.
    """
    parts = opened_zip(content)
    if "META-INF/rights.xml" in parts:
        raise FormatTrouble("it is protected against copying")
    package = _package_place(parts)
    pages = [html_markdown(_text(parts.read(place))) for place in _spine(parts, package)]
    return "\n\n".join(page for page in pages if page)


def _package_place(parts: BoundedZip) -> str:
    for node in _elements(_text(parts.read("META-INF/container.xml")), "rootfile"):
        if place := node.attributes.get("full-path"):
            return place
    raise FormatTrouble("it names no package")


def _spine(parts: BoundedZip, package: str) -> Iterator[str]:
    text = _text(parts.read(package))
    base = posixpath.dirname(package)
    pages = {
        item.attributes.get("id"): item.attributes.get("href")
        for item in _elements(text, "item")
        if item.attributes.get("media-type") in _PAGES
    }
    seen: set[str] = set()
    for reference in _elements(text, "itemref"):
        page = pages.get(reference.attributes.get("idref"))
        place = posixpath.normpath(posixpath.join(base, unquote(page))) if page else ""
        if place and place not in seen:
            seen.add(place)
            yield place


def _elements(xml: str, name: str) -> Iterator[LexborNode]:
    root = LexborHTMLParser(xml).root
    for node in root.traverse() if root is not None else ():
        if (node.tag or "").rpartition(":")[2] == name:
            yield node


def _text(content: bytes) -> str:
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise FormatTrouble("a page of it is neither UTF-8 nor UTF-16") from None
