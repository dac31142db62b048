"""Markdown -> plain text, by a parser: what is read, embedded and quoted (R021).

Fenced code, images, comments and scripts are dropped; link text and inline code stay; markers go.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Literal, TypeAlias

from markdown_it.token import Token

from fonds.contract.failures import MisauthoredInput
from fonds.ingestion.markdown_parser import parsed_blocks, parsed_inline

BlockKind: TypeAlias = Literal["heading", "text", "item", "row"]
_SILENT_TAGS = ("script", "style", "template", "noscript")
_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)  # keeps every position
_SLICE_CHARS = 16 * 1024
# A picture written into the text is longer than a slice and would be cut.
_EMBEDDED_DATA = re.compile(r"(data:[a-z]+/[a-z0-9.+-]+;base64,)[A-Za-z0-9+/=]{256,}")
# What begins a mark within a line, and what may end one.
_FIRST_MARK = re.compile(r"[\\`*_~\[<&]")
_FIRST_MDX = re.compile(r"[\\`*_~\[<&{]")
_LAST_MARKS = "\\`*_~[](){}<>&;"
_LINES_MATTER = re.compile(r"[\\<{]|\[\^")  # to a hard break, a tag, code, a footnote
_MAX_BRACKETS = 1000  # in a slice: 20,000 of them take 3.6 s, 1,000 take 10 ms


@dataclass(frozen=True, slots=True)
class Block:
    """A block of plain text. `level` is a heading's; `top` says that nothing encloses it.

    `items` and rows of one list or table share a `group`: they belong together on lines of their
    own. `underlined` marks a heading that is a paragraph over a rule, which prose may hold.
    """

    kind: BlockKind
    text: str = field(repr=False)
    level: int = 0
    top: bool = True
    group: int = 0
    underlined: bool = False


def plain_text(markdown: str, *, mdx: bool = False) -> str:
    """The words of a Markdown text, white space collapsed, blocks apart by a blank line."""
    return joined_blocks(plain_blocks(markdown, mdx=mdx))


def joined_blocks(blocks: Sequence[Block]) -> str:
    """Blocks as one text: rows and items of a group on lines of their own, others apart."""
    if not blocks:
        return ""
    parts = [blocks[0].text]
    for before, block in pairwise(blocks):
        parts.append("\n" if block.group and block.group == before.group else "\n\n")
        parts.append(block.text)
    return "".join(parts)


def plain_blocks(markdown: str, *, mdx: bool = False) -> list[Block]:
    """The blocks of a text that hold words; `mdx` also drops what MDX reads as code.

    Raises MisauthoredInput for a text nested deeper, or cut finer, than the parser goes, and for
    code of MDX that is never closed.
    """
    references: dict[str, Any] = {}
    tokens = parsed_blocks(markdown, references, mdx=mdx)
    reader = _BlockReader(references, mdx=mdx)
    for token in tokens:
        reader.take(token)
    return reader.blocks


def holds_words(text: str) -> bool:
    """Whether anything of it can be seen; white space and format characters cannot (C10)."""
    return any(unicodedata.category(c)[0] not in "CZ" for c in text)


class _BlockReader:
    """Turns block tokens into blocks of plain text."""

    def __init__(self, references: dict[str, Any], *, mdx: bool) -> None:
        self.blocks: list[Block] = []
        self._references = references
        self._mdx = mdx
        self._kind: BlockKind = "text"
        self._level = 0
        self._underlined = False
        self._cells: list[str] | None = None
        self._lists: list[int] = []
        self._groups = 0
        self._steps: dict[str, Callable[[Token], None]] = {
            "heading_open": self._open_heading,
            "heading_close": self._close_heading,
            "bullet_list_open": self._open_group,
            "ordered_list_open": self._open_group,
            "table_open": self._open_group,
            "bullet_list_close": self._close_group,
            "ordered_list_close": self._close_group,
            "table_close": self._close_group,
            "tr_open": self._open_row,
            "tr_close": self._close_row,
            "inline": self._words,
            "code_block": self._indented,
            "html_block": self._html,
        }

    def take(self, token: Token) -> None:
        step = self._steps.get(token.type)
        if step is not None:
            step(token)

    def _open_heading(self, token: Token) -> None:
        self._kind, self._level = "heading", int(token.tag[1:])
        self._underlined = token.markup in ("-", "=")

    def _close_heading(self, _token: Token) -> None:
        self._kind, self._level, self._underlined = "text", 0, False

    def _open_group(self, _token: Token) -> None:
        self._groups += 1
        self._lists.append(self._groups)

    def _close_group(self, _token: Token) -> None:
        self._lists.pop()

    def _open_row(self, _token: Token) -> None:
        self._cells = []

    def _close_row(self, token: Token) -> None:
        cells, self._cells = self._cells or [], None
        self._add("row", " | ".join(cells), token.level)

    def _words(self, token: Token) -> None:
        content = token.content
        if self._kind == "heading":
            content = _without_attributes(content)
        self._references["line"] = token.map[0] if token.map else 0
        text = _inline_text(content, self._references, mdx=self._mdx)
        if self._cells is not None:
            self._cells.append(_collapsed(text))
            return
        level = token.level - 1  # an inline stands inside its paragraph or heading
        self._add(self._kind if self._kind == "heading" or not self._lists else "item", text, level)

    def _indented(self, token: Token) -> None:
        self._add("item" if self._lists else "text", token.content, token.level)

    def _html(self, token: Token) -> None:
        self._add("item" if self._lists else "text", _html_text(token.content), token.level)

    def _add(self, kind: BlockKind, text: str, level: int) -> None:
        words = _collapsed(text)
        if not (words[:1].isalnum() or holds_words(words)):
            return
        group = self._lists[-1] if self._lists and kind in ("item", "row") else 0
        self.blocks.append(
            Block(kind, words, self._level, level == 0, group, underlined=self._underlined)
        )


def _inline_text(content: str, references: dict[str, Any], *, mdx: bool) -> str:
    """The words of one block. Read in slices: nested brackets cost the square of their number."""
    if "base64," in content:
        content = _EMBEDDED_DATA.sub(r"\1", content)
    first = (_FIRST_MDX if mdx else _FIRST_MARK).search(content)
    if first is None:
        return content
    # What stands before the first mark and behind the last is as it is written. A mark depends on
    # the characters beside it, which stay with it.
    start = max(first.start() - 1, 0)
    end = max(map(content.rfind, _LAST_MARKS)) + 2
    marked = content[start:end]
    if mdx and len(marked) > _SLICE_CHARS:
        raise MisauthoredInput(f"body: a paragraph of MDX is longer than {_SLICE_CHARS} characters")
    if _LINES_MATTER.search(marked) is None:
        marked = marked.replace("\n", " ")  # a token for each line is what a parser spends on
    parts = [content[:start]]
    for piece in _slices(marked):
        links = piece.count("[") <= _MAX_BRACKETS
        parts += map(_inline_words, parsed_inline(piece, references, links=links, mdx=mdx))
    parts.append(content[end:])
    return "".join(parts)


def _without_attributes(heading: str) -> str:
    """The heading without the id or class that site generators let follow it in braces."""
    written = heading.rstrip()
    opened = written.rfind("{")
    if opened > 0 and written.endswith("}") and written[opened + 1] in "#.:/":
        return written[:opened]
    return heading


def _inline_words(token: Token) -> str:
    if token.type in ("text", "code_inline", "text_special"):
        return token.content
    is_break = token.type in ("softbreak", "hardbreak")
    return " " if is_break or token.content.lower().startswith("<br") else ""


def _slices(content: str) -> Iterator[str]:
    start = 0
    while len(content) - start > _SLICE_CHARS:
        end = content.rfind("\n", start, start + _SLICE_CHARS)
        if end <= start:
            end = content.rfind(" ", start, start + _SLICE_CHARS)
        if end <= start:
            end = start + _SLICE_CHARS
        yield content[start:end]
        if content[end].isspace():
            yield "\n"
            end += 1
        start = end
    yield content[start:]


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _html_text(fragment: str) -> str:
    """The words between tags, without comments and scripts. One pass: `<!--` may repeat."""
    words: list[str] = []
    lowered = fragment.translate(_ASCII_LOWER)
    position = 0
    while (opened := fragment.find("<", position)) != -1:
        words.append(fragment[position:opened])
        position = _after_tag(lowered, opened)
        # A sign that opens no tag is a word of the text.
        words.append(fragment[opened:position] if position == opened + 1 else " ")
    words.append(fragment[position:])
    return unescape("".join(words))


def _after_tag(lowered: str, opened: int) -> int:
    """Where the text goes on after what `<` opens; right behind the sign when it opens nothing."""
    if lowered.startswith("<!--", opened):
        return _behind(lowered, "-->", opened)
    for tag in _SILENT_TAGS:
        if lowered.startswith(f"<{tag}", opened):
            return _behind(lowered, ">", _behind(lowered, f"</{tag}", opened) - 1)
    following = lowered[opened + 1 : opened + 2]
    return (
        _behind(lowered, ">", opened) if following.isalpha() or following in "/!?" else opened + 1
    )


def _behind(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return len(text) if found == -1 else found + len(mark)
