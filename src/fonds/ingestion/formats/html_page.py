"""A published page -> its text, and what it says of itself (R021).

The text is that of `main`, else of the only `article`, else of `body`, without what surrounds it:
navigation, headers, footers, controls, and what a visitor does not see.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fonds.ingestion.formats.html_text import (
    children_of,
    node_markdown,
    parsed_html,
    words_of,
)

_AROUND = frozenset({"nav", "header", "footer", "dialog", "menu"})
_CONTROLS = frozenset(
    {"button", "input", "select", "option", "textarea", "datalist", "iframe", "object"}
    | {"audio", "video", "canvas", "map", "area", "progress", "meter"}
)
_AROUND_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "dialog", "menu"})
_NOTE_ROLES = frozenset({"doc-noteref", "doc-backlink"})
# In the order in which one is believed.
_DATE_NAMES = (
    "article:published_time",
    "date",
    "dc.date",
    "dcterms.date",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
)
_DESCRIPTION_NAMES = ("description", "og:description", "dc.description", "dcterms.description")


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """`fields` has those of `title`, `heading`, `description`, `date`, `keywords`, `creators` and
    `canonical` that the page gives.
    """

    markdown: str = field(repr=False)
    fields: dict[str, str | list[str]] = field(repr=False)


def html_page(page: str) -> HtmlPage:
    """Raises FormatTrouble for elements nested too deep."""
    tree = parsed_html(page)
    body = tree.body
    if body is None:
        return HtmlPage("", {})
    root = _main(body)
    inside = root.tag != "body"

    def silent(node: LexborNode) -> bool:
        return node is not root and _is_around(node, inside_main=inside)

    fields = dict(_fields(tree, body, root))
    return HtmlPage(node_markdown(root, silent), fields)


def _main(body: LexborNode) -> LexborNode:
    for found in (body.css("main"), body.css('[role="main"]'), body.css("article")):
        if len(found) == 1:
            return found[0]
    return body


def _is_around(node: LexborNode, *, inside_main: bool) -> bool:
    tag = node.tag or ""
    if tag == "-text":
        return False
    if tag in _CONTROLS or tag in _AROUND:
        return not (tag == "footer" and _is_in_a_quote(node))
    if tag == "aside" and not inside_main:
        return True
    return _is_hidden(node) or _is_listing(node) or _is_note_mark(node)


def _is_in_a_quote(node: LexborNode) -> bool:
    return node.parent is not None and node.parent.tag == "blockquote"


def _is_hidden(node: LexborNode) -> bool:
    said = node.attributes
    if "hidden" in said or said.get("aria-hidden") == "true":
        return True
    if said.get("role") in _AROUND_ROLES:
        return True
    style = "".join((said.get("style") or "").lower().split())
    return "display:none" in style or "visibility:hidden" in style


def _is_listing(node: LexborNode) -> bool:
    """Code that stands apart, which is no text in Markdown either; verse in `pre` is."""
    return node.tag == "pre" and any(child.tag == "code" for child in children_of(node))


def _is_note_mark(node: LexborNode) -> bool:
    if node.attributes.get("role") in _NOTE_ROLES:
        return True
    inner = list(children_of(node)) if node.tag == "sup" else []
    return len(inner) == 1 and (inner[0].attributes.get("href") or "").startswith("#")


def _fields(
    tree: LexborHTMLParser, body: LexborNode, root: LexborNode
) -> Iterator[tuple[str, str | list[str]]]:
    metas = _metas(tree)
    title = tree.css_first("head title")
    heading = root.css_first("h1") or body.css_first("h1")
    link = tree.css_first('head link[rel="canonical"]')
    found: dict[str, str] = {
        "title": words_of(title) if title is not None else "",
        "heading": words_of(heading) if heading is not None else "",
        "description": next(filter(None, map(metas.get, _DESCRIPTION_NAMES)), ""),
        "date": next(filter(None, map(metas.get, _DATE_NAMES)), "") or _written_date(root),
        "canonical": _attribute(link, "href") if link is not None else "",
    }
    yield from ((name, words) for name, words in found.items() if words)
    keywords = [" ".join(word.split()) for word in metas.get("keywords", "").split(",")]
    if any(keywords):
        yield "keywords", [word for word in keywords if word]
    if author := metas.get("author"):
        yield "creators", [author]


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    """What `meta` elements of the head say, the first of a name."""
    found: dict[str, str] = {}
    for meta in tree.css("head meta"):
        name = (_attribute(meta, "name") or _attribute(meta, "property")).lower()
        words = _attribute(meta, "content")
        if name and words:
            found.setdefault(name, words)
    return found


def _written_date(root: LexborNode) -> str:
    """The date that the page calls its own; a day its text speaks of is another matter (R012)."""
    for time in root.css("time[datetime]"):
        said = time.attributes
        classes = (said.get("class") or "").split()
        if (
            "pubdate" in said
            or said.get("itemprop") == "datePublished"
            or "dt-published" in classes
        ):
            return _attribute(time, "datetime")
    return ""


def _attribute(node: LexborNode, name: str) -> str:
    return " ".join((node.attributes.get(name) or "").split())
