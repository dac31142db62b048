"""What makes Markdown quick to read changes nothing of what is read (R021)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.ingestion import plain_text as reader
from fonds.ingestion.markdown_parser import house_parser
from fonds.ingestion.plain_text import Block, plain_blocks
from tests.house.tree import ROOT

# Lines that begin, end, or nearly begin blocks of every kind, at each depth a rule asks for.
LINE = st.sampled_from(
    [
        *("a", "b c", "", "", "---", "===", "- ", "= a", "# a", "#a", "> a", ">", "- a", "* a"),
        *("+", "1. a", "2. a", "1) a", "| a | b |", "|-|-|", "a | b", "-|-", ":-:", ": a", "```"),
        *("~~~ x", "``` `", "<div>", "</div>", "<a>", "<!-- a", "-->", "<script>", "[a]: b"),
        *("[a]:", "'t'", "[^1]: n", "***", "_ _ _", "- - -", "(a)", '"a"', "`a`", "*a*", "\\"),
        *("&amp;", "{a}", "\u00a0", "\u3000a"),
    ]
)
INDENT = st.sampled_from(["", "", "", " ", "  ", "   ", "    ", "\t", "> ", "- ", "  > ", "1. "])
LINES = st.lists(st.tuples(INDENT, LINE).map("".join), max_size=9).map("\n".join)
SPAN = st.sampled_from(
    [
        *(
            "a",
            "b",
            " ",
            "  ",
            "\n",
            "  \n",
            "\\\n",
            "*",
            "**",
            "_",
            "~~",
            "`",
            "``",
            "[",
            "]",
            "(",
        ),
        *(")", "![", "<", ">", "<b>", "</b>", "<br>", "<!--", "-->", "&", ";", "&amp;", "&#65;"),
        *("!", "\\", "[^1]", "[^1]:", "](c)", "](<c d>)", '](c "t")', "][d]", "{{ x }}", "{"),
        *("({{ x }})", "http://x", "'", '"', "。", "\u00a0", "x@y.z", "<http://e>", "_a_", "*。*"),
    ]
)
SPANS = st.lists(SPAN, max_size=14).map("".join)


def tokens(markdown: str, *, quick: bool) -> list[tuple[str, str, int, str, str]]:
    parser = house_parser(quick=quick)
    counted = Uncounted()
    parser.block.parse(markdown, parser, {"notes": ()}, counted)
    return [
        (one.type, one.tag, one.level, one.markup if one.nesting >= 0 else "", one.content)
        for one in counted
        if one.tag != "p"  # around each paragraph; nobody reads them
    ]


class Uncounted(list[Any]):
    """Tokens without a bound."""

    def visit(self) -> None:
        pass


@settings(max_examples=400, deadline=None)
@given(LINES)
def test_blocks_are_the_same_when_prose_asks_no_other_rule(markdown: str) -> None:
    assert tokens(markdown, quick=True) == tokens(markdown, quick=False)


@settings(max_examples=400, deadline=None)
@given(SPANS)
def test_words_are_the_same_when_only_marks_are_parsed(spans: str) -> None:
    markdown = f"x{spans}\n\n[^1]: n\n\n[d]: e"
    assert plain_blocks(markdown) == whole_way(markdown)


@pytest.mark.parametrize("file", sorted((ROOT / "docs").glob("*.md")), ids=lambda file: file.name)
def test_pages_people_wrote_are_read_the_same(file: Path) -> None:
    markdown = file.read_text(encoding="utf-8")
    assert tokens(markdown, quick=True) == tokens(markdown, quick=False)
    assert plain_blocks(markdown) == whole_way(markdown)


def whole_way(markdown: str) -> list[Block]:
    """The blocks with every character of a line given to the parser."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_FIRST_MARK", re.compile(""))
        patch.setattr(reader, "_LAST_MARKS", [""])
        patch.setattr(reader, "_LINES_MATTER", re.compile(""))
        return plain_blocks(markdown)
