"""Prose, the bulk of any text, through the Markdown parser by its first letters.

CommonMark's block rules each begin with a sign of their own, and its parser asks all of them of
every line, and twice in a paragraph. A line that begins with none of these signs can neither begin
a block of another kind nor end a paragraph; it is not asked. What is read is the same: a test
compares both ways.
"""

from __future__ import annotations

from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock

# What a fence, quote, rule, list, heading, HTML or MDX begins with.
_SIGNS = frozenset("`~>*-_+<#{0123456789")
_BEGINS_NO_PROSE = _SIGNS | frozenset("[|=:")  # a reference, a table
_TABLE_RULE = frozenset("|-:")  # the second line of a table


def prose(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """A paragraph whose first line no other rule could take."""
    if silent or state.sCount[line] - state.blkIndent > 3:
        return False
    if _sign(state, line) in _BEGINS_NO_PROSE or _sign(state, line + 1) in _TABLE_RULE:
        return False
    return paragraph(state, line, end, silent)


def paragraph(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """A paragraph, or the heading that a rule of `=` or `-` below makes of it."""
    enclosing, state.parentType = state.parentType, "paragraph"
    following, level = _end_of_paragraph(state, line, end)
    state.parentType = enclosing
    content = mdTrim(state.getLines(line, following, state.blkIndent, False))
    state.line = following + (1 if level else 0)
    if level:
        opened = state.push("heading_open", f"h{level}", 1)
        opened.markup = "-="[level == 1]
    else:
        state.level += 1  # as within the two tokens around a paragraph, which nobody reads
    inline = state.push("inline", "", 0)
    inline.content = content
    inline.children = []
    inline.map = [line, following]
    if level:
        state.push("heading_close", f"h{level}", -1)
    else:
        state.level -= 1
    return True


def _end_of_paragraph(state: StateBlock, line: int, end: int) -> tuple[int, int]:
    """The line behind the text, and the level of the heading it is, or 0."""
    rules = state.md.block.ruler.getRules("paragraph")
    last = state.lineMax
    following = line + 1
    sign = _sign(state, following) if following < last else ""
    while following < last and sign:
        further = _sign(state, following + 1) if following + 1 < last else ""
        indent = state.sCount[following]
        # Indented further it is never a block of its own, and below 0 a quote has asked already.
        if indent - state.blkIndent <= 3:
            if sign in "-=" and following < end and indent >= state.blkIndent:
                level = _underline(state, following, sign)
                if level:
                    return following, level
            asked = sign in _SIGNS or further in _TABLE_RULE
            if asked and indent >= 0 and any(rule(state, following, last, True) for rule in rules):
                break
        following += 1
        sign = further
    return following, 0


def _underline(state: StateBlock, line: int, sign: str) -> int:
    written = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    if written.rstrip(" \t").strip(sign):
        return 0
    return 1 if sign == "=" else 2


def _sign(state: StateBlock, line: int) -> str:
    """The first character of a line that is no blank, or nothing."""
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start] if start < state.eMarks[line] else ""
