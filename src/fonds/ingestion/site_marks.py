"""Marks a site generator fills in, and links of a vault of notes -> the words readers see (R021).

Taken out before the Markdown is read, and only where the owner says that a folder holds them: a
page may be about braces and brackets. What stands between backticks stays, and so does a mark with
a slip in it. No mark is longer than a line, so that line numbers stay what they are.
"""

from __future__ import annotations

import re

_CODE = r"`[^`\n]{1,400}`"
# Liquid and Jinja, Handlebars, Hugo.
_TEMPLATE = re.compile(_CODE + r"|\{\{[^{}\n]{0,400}\}\}|\{%[^{}\n]{0,400}%\}")
_WIKILINK = re.compile(
    _CODE + r"|(?P<embedded>!?)\[\[(?P<note>[^\[\]|\n]{1,400})"
    r"(?:\|(?P<shown>[^\[\]\n]{0,400}))?\]\]"
)


def without_templates(text: str) -> str:
    """The text without `{{ … }}`, `{% … %}` and `{{< … >}}`; what they enclose stays."""
    return _TEMPLATE.sub(lambda mark: mark[0] if mark[0].startswith("`") else "", text)


def without_wikilinks(text: str) -> str:
    """`[[note]]` as its name, `[[note|words]]` as the words; `![[file]]` is a picture and goes."""
    return _WIKILINK.sub(_linked_words, text)


def _linked_words(mark: re.Match[str]) -> str:
    if mark["note"] is None:
        return mark[0]
    if mark["embedded"]:
        return ""
    return mark["shown"] or mark["note"].strip("#").replace("#", " > ")
