"""HTML -> Markdown with every sign of its own escaped: headings, and paragraphs of plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_SILENT = frozenset({"head", "script", "style", "template", "noscript", "rt", "rp", "svg", "math"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data"}
    | {"del", "dfn", "em", "font", "i", "ins", "kbd", "label", "mark"}
    | {"q", "ruby", "rb", "s", "samp", "small", "span", "strike", "strong"}
    | {"sub", "sup", "time", "tt", "u", "var", "wbr", "br", "img", "-text"}
)
_HEADINGS = {"h1": "#", "h2": "##", "h3": "###", "h4": "####", "h5": "#####", "h6": "######"}
_MARKS = re.compile(r"([!-/:-@\[-`{-~])")
# XHTML may close these at once; read as HTML they would swallow all that follows.
_CLOSED = re.compile(r"<(title|script|style|textarea|iframe|noscript)([^<>]*)/>", re.IGNORECASE)


def escaped(text: str) -> str:
    """The words of a text as Markdown that says the same: no sign of it is a mark."""
    return _MARKS.sub(r"\\\1", text)


def html_markdown(page: str) -> str:
    """The text of a page below `body`; scripts, styles and ruby readings are left out."""
    body = LexborHTMLParser(_CLOSED.sub(r"<\1\2></\1>", page)).body
    if body is None:
        return ""
    paragraphs: list[str] = []
    held: list[str] = []
    heading = ""
    for step in _steps(body):
        if isinstance(step, str):
            held.append(step)
            continue
        words = " ".join("".join(held).split())
        if words:
            paragraphs.append(f"{heading} {escaped(words)}".strip())
        held = []
        heading = step[0]
    return "\n\n".join(paragraphs)


def _steps(body: LexborNode) -> Iterator[str | tuple[str]]:
    """Words, and between them the borders of blocks with the mark of the one that begins."""
    yield ("",)
    waiting: list[LexborNode | tuple[str]] = [("",), body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            yield node
            continue
        tag = node.tag or ""
        if tag in _SILENT:
            continue
        if tag == "-text":
            yield node.text_content or ""
        elif tag in ("br", "img"):
            yield " "
        if tag not in _INLINE:
            yield (_HEADINGS.get(tag, ""),)
            waiting.append(("",))
        waiting += reversed(list(_children(node)))


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next
