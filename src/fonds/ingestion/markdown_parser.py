"""The Markdown parser of the house: CommonMark with tables, bounded in what a file may cost.

A block rule looks at a line once for every list and quote around it, and each block costs some
hundred bytes. Both are counted while a file is parsed, so that a hostile one is refused at a
bound of its own and not at the machine's.
"""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination, parseLinkLabel, parseLinkTitle
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from fonds.contract.failures import MisauthoredInput
from fonds.ingestion.markdown_prose import paragraph, prose
from fonds.ingestion.mdx_rules import read_mdx

MAX_NESTING = 50  # of quotes; a list takes two: deeper ones are silently dropped by the parser
MAX_LINES = 400_000  # a novel of 3 MB has 60,000; the parser sets aside 150 bytes for each
MAX_TOKENS = 600_000  # one to a paragraph, three to a cell, 400 bytes each
MAX_MARKS = 1_000_000  # some 15 s; a novel of 3 MB has 20,000
MAX_VISITS = 1_500_000  # some 30 s; a page of lists three deep asks for ten a line

_MARKS = "\\`*_~[<&"
_NOTE_LABEL = r"\[\^[^\s\[\]]{1,100}\]"
_NOTE_MARK = re.compile(rf"({_NOTE_LABEL}):?")
_NOTE_TEXT = re.compile(rf"^[ >]{{0,9}}({_NOTE_LABEL}):", re.MULTILINE)
# An address that a site generator fills in; what it writes in braces may hold blanks and quotes.
_TEMPLATED = re.compile(r"(?:[^\s()<>{}\\]|\{\{[^{}]{0,400}\}\}|\{%[^{}]{0,400}%\})*")


def parsed_blocks(markdown: str, references: dict[str, Any], *, mdx: bool = False) -> list[Token]:
    """The block tokens of a text; `references` takes what its inline texts refer to.

    Raises MisauthoredInput for a text that is nested too deep, or holds too many lines or blocks:
    none of its words is left out silently.
    """
    if markdown.count("\n") > MAX_LINES:
        raise MisauthoredInput(f"body: more than {MAX_LINES} lines: split the file")
    references["notes"] = frozenset(_NOTE_TEXT.findall(markdown)) if "[^" in markdown else ()
    parser = house_parser(mdx=mdx)
    tokens = _Tokens()
    parser.block.parse(markdown.replace("\x00", "\ufffd"), parser, references, tokens)
    return tokens


def parsed_inline(
    content: str, references: dict[str, Any], *, links: bool, mdx: bool = False
) -> list[Token]:
    """The tokens of an inline text; without `links`, brackets stay what they are.

    Raises MisauthoredInput when the texts of one file hold too many marks.
    """
    references["marks"] = references.get("marks", 0) + sum(map(content.count, _MARKS))
    if references["marks"] > MAX_MARKS:
        raise MisauthoredInput("body: holds too many marks: split the file")
    parser = house_parser(links=links, mdx=mdx)
    return parser.inline.parse(content, parser, references, [])


class _Destination(NamedTuple):
    """Where a link leads; `pos` is behind it."""

    ok: bool
    pos: int
    str: str


class _Tokens(list[Token]):
    """Grows to a bound; counts the lines that block rules look at."""

    def __init__(self) -> None:
        super().__init__()
        self._visits = 0

    def append(self, token: Token, /) -> None:
        if len(self) >= MAX_TOKENS:
            raise MisauthoredInput("body: holds too many blocks, cells or items: split the file")
        if token.type in ("blockquote_open", "list_item_open") and token.level + 1 >= MAX_NESTING:
            raise MisauthoredInput(
                f"body: lists and quotes stand deeper than {MAX_NESTING} levels in one another"
            )
        super().append(token)

    def visit(self) -> None:
        self._visits += 1
        if self._visits > MAX_VISITS:
            raise MisauthoredInput("body: lists and quotes hold too many lines: split the file")


@cache
def house_parser(*, links: bool = True, quick: bool = True, mdx: bool = False) -> MarkdownIt:
    """The parser; with `quick` off each rule is asked of each line, and the same is read."""
    # Indented text is text: verse and letters are indented more often than code in prose.
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    everywhere = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("table", "visit", _count_visit, cast("Any", everywhere))
    parser.block.ruler.at("reference", _reference)
    if mdx:
        read_mdx(parser)
    if quick:
        parser.block.ruler.at("paragraph", paragraph)
        parser.block.ruler.before("visit", "prose", prose)
        parser.disable("lheading")  # `paragraph` reads both
    parser.inline.ruler.before("link", "note_mark", _note_mark)
    helpers = SimpleNamespace(
        parseLinkDestination=_link_destination,
        parseLinkLabel=parseLinkLabel,
        parseLinkTitle=parseLinkTitle,
    )
    parser.helpers = cast("Any", helpers)  # typed as the module, used as a bag of functions
    return parser if links else parser.disable(["link", "image"])


def _count_visit(state: StateBlock, _line: int, _end: int, _silent: bool) -> bool:
    cast("_Tokens", state.tokens).visit()
    return False


def _reference(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """A link's address; the text of a footnote looks like one and is read as a paragraph."""
    start = state.bMarks[line] + state.tShift[line]
    return not state.src.startswith("[^", start) and reference(state, line, end, silent)


def _note_mark(state: StateInline, silent: bool) -> bool:
    """Drops the mark of a footnote that the file holds, in the text and before the note."""
    mark = _NOTE_MARK.match(state.src, state.pos)
    if mark is None or mark[1] not in state.env.get("notes", ()):
        return False
    begins_a_line = state.pos == 0 or state.src[state.pos - 1] == "\n"
    state.pos = mark.end() if begins_a_line else mark.end(1)
    return True


def _link_destination(text: str, position: int, end: int) -> _Destination:
    """As CommonMark has it; a templated address may hold blanks between its braces.

    The address itself is dropped: no word of it is read.
    """
    templated = _TEMPLATED.match(text, position, end)
    if templated is not None and "{" in templated[0]:
        return _Destination(True, templated.end(), "")
    plain = parseLinkDestination(text, position, end)
    return _Destination(plain.ok, plain.pos, "")
