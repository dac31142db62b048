"""MDX for the Markdown parser: code is dropped, and the words between tags stay (R020).

What MDX reads as code and is never closed refuses the file, as MDX itself would: words and code
could not be told apart behind it.
"""

from __future__ import annotations

from typing import NoReturn

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from fonds.contract.failures import MisauthoredInput
from fonds.ingestion.mdx_code import behind_code, behind_statement

MAX_CODE_LINES = 1000  # of one tag, expression or statement
_BEGINNINGS = ("import ", "import{", "import'", 'import"', "export ", "export{", "export*")


def read_mdx(parser: MarkdownIt) -> MarkdownIt:
    """The parser with HTML and indented code, which MDX lacks, replaced by MDX's code."""
    parser.disable(["code", "html_block", "html_inline"])
    parser.block.ruler.before("visit", "mdx_statement", _statement)
    parser.block.ruler.before("table", "mdx_flow", _flow, {"alt": ["paragraph", "blockquote"]})
    parser.inline.ruler.before("link", "mdx_code", _inline_code)
    return parser


def refuse_unclosed(line: int) -> NoReturn:
    """Refuses a text whose code at a line, counted from 0, is never closed."""
    raise MisauthoredInput(
        f"body: line {line + 1} of the text: a tag, brace or statement of MDX is never closed: "
        "write \\< or \\{ for the sign itself"
    )


def _statement(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Drops an import or an export that stands outside of everything."""
    begins = state.bMarks[line]
    if silent or state.level or state.blkIndent or not state.src.startswith(_BEGINNINGS, begins):
        return False
    last = min(end, line + MAX_CODE_LINES)
    behind = behind_statement(state.src[begins : state.eMarks[last - 1]])
    if behind is None:
        refuse_unclosed(line)
    state.line = _line_behind(state, line, last, begins + behind)
    return behind > 0


def _line_behind(state: StateBlock, line: int, last: int, place: int) -> int:
    while line < last and state.bMarks[line] < place:
        line += 1
    return line


def _flow(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Drops lines of nothing but code, and code that runs over the end of its line."""
    start = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith(("<", "{"), start):
        return False
    written = state.src[start : state.eMarks[line]]
    behind = _behind_all(written)
    if behind is not None:
        if behind < len(written.rstrip()) or silent:
            return False  # words follow it, or precede it in a paragraph
        state.line = line + 1
        return True
    last = min(_end_of_container(state, line, end), line + MAX_CODE_LINES)
    block = state.getLines(line, last, state.blkIndent, False).lstrip()
    behind = _behind_all(block)
    if behind is None:
        refuse_unclosed(line)
    if not silent:
        ends = block.find("\n", behind)
        rest = block[behind:] if ends == -1 else block[behind:ends]
        state.line = line + block.count("\n", 0, behind) + 1
        _push_words(state, rest.strip(), line)
    return True


def _behind_all(text: str) -> int | None:
    """Behind the tags and expressions that a text begins with, one after the other."""
    at = 0
    while at < len(text):
        behind = behind_code(text, at) if text[at] in "<{" else at
        if behind is None:
            return None
        if behind == at:
            return at
        at = behind
        while at < len(text) and text[at] in " \t":
            at += 1
    return at


def _end_of_container(state: StateBlock, line: int, end: int) -> int:
    following = line + 1
    while following < end and (
        state.isEmpty(following) or state.sCount[following] >= state.blkIndent
    ):
        following += 1
    return following


def _push_words(state: StateBlock, words: str, line: int) -> None:
    if not words:
        return
    state.level += 1
    inline = state.push("inline", "", 0)
    inline.content = words
    inline.map = [line, state.line]
    inline.children = []
    state.level -= 1


def _inline_code(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "<{":
        return False
    behind = behind_code(state.src, state.pos)
    if behind is None:
        refuse_unclosed(int(state.env.get("line", 0)))
    found = behind > state.pos
    state.pos = behind
    return found
