"""HTML made of parts: whatever is not markup already is escaped, so that no text becomes a tag."""

from __future__ import annotations

from html import escape

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1d22; --quiet: #5c6370; --line: #d8dbe2;
  --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ee; --quiet: #9aa2b1;
  --line: #3a3f4a; --bad: #ff8a80; } body { background: #15171c; } }
body { color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 52rem; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p, li { max-width: 65ch; } .quiet { color: var(--quiet); } .bad { color: var(--bad); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0;
  text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; } svg { height: auto; max-width: 100%; }
"""


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


def whole_page(title: str, *parts: str) -> str:
    """A page that asks for nothing else, for light and dark; empty parts are left out."""
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        element("title", title),
        element("style", Markup(_STYLE)),
    )
    said = (element("h1", title), *parts)
    body = element("body", *(joined(part, "\n") for part in said if part))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"
