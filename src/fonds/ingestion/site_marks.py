"""Marks a site generator fills in, and links of a vault of notes -> the words readers see (R021).

Taken out before the Markdown is read, and only where the owner says that a folder holds them: a
page may be about braces and brackets. What stands between backticks stays, and so does a mark with
a slip in it. A mark ends within its paragraph; its line ends stay, so that line numbers do.
"""

from __future__ import annotations

import re

_CODE = r"`[^`\n]{1,400}`"
# Liquid and Jinja, Handlebars, Hugo.
_INSIDE = r"(?:[^{}\n]|\n(?![ \t]*\n)){0,2000}"
_TEMPLATE = re.compile(rf"{_CODE}|\{{\{{{_INSIDE}\}}\}}|\{{%{_INSIDE}%\}}")
_WIKILINK = re.compile(
    _CODE + r"|(?P<embedded>!?)\[\[(?P<note>[^\[\]|\n]{1,400})"
    r"(?:\|(?P<shown>[^\[\]\n]{0,400}))?\]\]"
)


def without_templates(text: str) -> str:
    """The text without `{{ … }}`, `{% … %}` and `{{< … >}}`; what they enclose stays."""
    return _TEMPLATE.sub(_line_ends, text)


def without_wikilinks(text: str) -> str:
    """`[[note]]` as its name, `[[note|words]]` as the words; `![[file]]` is a picture and goes."""
    return _WIKILINK.sub(_linked_words, text)


def _line_ends(mark: re.Match[str]) -> str:
    return mark[0] if mark[0].startswith("`") else "\n" * mark[0].count("\n")


def _linked_words(mark: re.Match[str]) -> str:
    if mark["note"] is None:
        return mark[0]
    if mark["embedded"]:
        return ""
    return mark["shown"] or mark["note"].strip("#").replace("#", " > ")
