"""HTML made of parts: whatever is not markup already is escaped, so that no text becomes a tag."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is HTML. Only `element`, `joined` and `drawn` make it."""

    __slots__ = ()


def element(name: str, *parts: str, **attributes: str) -> Markup:
    """A tag with its content; `class_` spells the attribute `class`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value, quote=True)}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{written}>{joined(*parts)}</{name}>")


def joined(*parts: str) -> Markup:
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def drawn(svg: str) -> Markup:
    """A drawing of `plots`, which holds figures and names of reasons alone."""
    return Markup(svg)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Markup:
    """Scrolls by itself where the page is narrower."""
    lines = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    heading = element("thead", element("tr", *(element("th", cell, scope="col") for cell in head)))
    return element("div", element("table", heading, element("tbody", *lines)), class_="wide")
