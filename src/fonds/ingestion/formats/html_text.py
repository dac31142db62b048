"""HTML -> Markdown with every sign of its own escaped: headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fonds.ingestion.formats.trouble import FormatTrouble

MAX_DEPTH = 512  # of elements; a page made by a program has some 60

_SILENT = frozenset({"head", "script", "style", "template", "noscript", "rt", "rp", "svg", "math"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data"}
    | {"del", "dfn", "em", "font", "i", "ins", "kbd", "label", "mark"}
    | {"q", "ruby", "rb", "s", "samp", "small", "span", "strike", "strong"}
    | {"sub", "sup", "time", "tt", "u", "var", "wbr", "br", "img", "-text"}
)
_HEADINGS = {"h1": "#", "h2": "##", "h3": "###", "h4": "####", "h5": "#####", "h6": "######"}
# In a cell these say that the table lays a page out and holds no data.
_LAYOUT = frozenset({*_HEADINGS, "table", "ul", "ol", "dl", "blockquote", "hr", "pre"})
_MARKS = re.compile(r"([!-/:-@\[-`{-~])")
# XHTML may close these at once; read as HTML they would swallow all that follows.
_CLOSED = re.compile(r"<(title|script|style|textarea|iframe|noscript)([^<>]*)/>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Border:
    """Between two blocks: what the one that begins is marked with."""

    mark: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of data, its cells as words."""

    rows: tuple[tuple[str, ...], ...] = field(repr=False)


def escaped(text: str) -> str:
    """The words of a text as Markdown that says the same: no sign of it is a mark."""
    return _MARKS.sub(r"\\\1", text)


def parsed_html(page: str) -> LexborHTMLParser:
    """The tree of a page, XHTML's way of closing an element at once included."""
    return LexborHTMLParser(_CLOSED.sub(r"<\1\2></\1>", page))


def html_markdown(page: str) -> str:
    """The text of a page below `body`; scripts, styles and ruby readings are left out.

    Raises FormatTrouble for elements deeper in one another than 512 levels.
    """
    body = parsed_html(page).body
    return "" if body is None else node_markdown(body)


def node_markdown(root: LexborNode, silent: Callable[[LexborNode], bool] | None = None) -> str:
    """The text below one node; a node that `silent` holds for is left out with all in it."""
    parts: list[str] = []
    held: list[str] = []
    mark, before = "", ""
    for step in _steps(root, silent or _never):
        if isinstance(step, str):
            held.append(step)
            continue
        if words := _words(held):
            # Items of one list stand on lines of their own, everything else apart.
            parts.append("\n" if mark == before == "-" else "\n\n")
            parts.append(f"{mark} {escaped(words)}".strip())
            before = mark
        held = []
        if isinstance(step, _Table):
            parts += ["\n\n", *_table_lines(step.rows)]
            mark = before = ""
        else:
            mark = step.mark
    return "".join(parts).strip("\n")


def words_of(node: LexborNode) -> str:
    """The words below a node on one line."""
    return _words(step if isinstance(step, str) else " " for step in _steps(node, _never))


def children_of(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _never(_node: LexborNode) -> bool:
    return False


def _words(held: Iterator[str] | list[str]) -> str:
    return " ".join("".join(held).split())


def _steps(
    root: LexborNode, silent: Callable[[LexborNode], bool]
) -> Iterator[str | _Border | _Table]:
    """Words, and between them the borders of blocks, or a table whole."""
    yield _Border()
    waiting: list[tuple[LexborNode, int, str] | _Border] = [_Border(), (root, 0, "")]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, _Border):
            yield entry
            continue
        node, depth, around = entry
        tag = node.tag or ""
        if depth > MAX_DEPTH:
            raise FormatTrouble("its elements stand deeper than 512 levels in one another")
        if tag in _SILENT or silent(node):
            continue
        if tag == "-text":
            yield node.text_content or ""
        elif tag in ("br", "img"):
            yield " "
        elif tag == "table" and (rows := _data(node, silent)):
            yield _Table(rows)
            yield _Border(around)
            continue
        if tag not in _INLINE:
            around = "-" if tag == "li" else around
            yield _Border(_HEADINGS.get(tag, around))
            waiting.append(_Border(around if depth else ""))
        waiting += reversed([(child, depth + 1, around) for child in children_of(node)])


def _data(
    table: LexborNode, silent: Callable[[LexborNode], bool]
) -> tuple[tuple[str, ...], ...] | None:
    """The rows of a table of data that hold words; None where it lays a page out."""
    rows: list[tuple[str, ...]] = []
    waiting = list(reversed(list(children_of(table))))
    while waiting:
        node = waiting.pop()
        if node.tag in ("thead", "tbody", "tfoot"):
            waiting += reversed(list(children_of(node)))
        elif node.tag == "tr":
            cells = [cell for cell in children_of(node) if cell.tag in ("td", "th")]
            if any(_lays_out(cell) for cell in cells):
                return None
            row = tuple(_words(_cell(cell, silent)) for cell in cells)
            rows += [row] if any(row) else []
        elif node.tag == "caption" and (words := words_of(node)):
            rows.append((words,))
    return tuple(rows)


def _cell(cell: LexborNode, silent: Callable[[LexborNode], bool]) -> Iterator[str]:
    return (step if isinstance(step, str) else " " for step in _steps(cell, silent))


def _lays_out(cell: LexborNode) -> bool:
    paragraphs = 0
    waiting = list(children_of(cell))
    while waiting:
        node = waiting.pop()
        paragraphs += node.tag == "p"
        if node.tag in _LAYOUT or paragraphs > 1:
            return True
        waiting += children_of(node)
    return False


def _table_lines(rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """A Markdown table; one with fewer columns in its first row would lose cells of others."""
    width = max(map(len, rows))
    for number, row in enumerate(rows):
        cells = [escaped(cell) for cell in (*row, *[""] * (width - len(row)))]
        yield f"| {' | '.join(cells)} |\n"
        if number == 0:
            yield f"|{'---|' * width}\n"
