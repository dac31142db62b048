"""Ruby and annotations of Aozora Bunko's files -> the words as they are read (C19).

A line is a paragraph in these files, and a heading is a remark about a line: both become Markdown.
Readings, remarks and the legend go; the colophon stays. Letters outside the encoding are put in by
their number of JIS X 0213 or Unicode, and by the printer's mark 〓 where none is given.
"""

from __future__ import annotations

import re

_MISSING = "\u3013"
_RUBY = re.compile(r"｜([^《》｜\n]*)《[^《》\n]*》|《[^《》\n]*》")
_LETTER = re.compile(r"※［＃([^［］\n]*)］")
_REMARK = re.compile(r"［＃([^［］\n]*)］")
_HEADING = re.compile(r"(?:同行|窓)?(大|中|小)見出し")
_LEVELS = {"大": "#", "中": "##", "小": "###"}
_JIS = re.compile(r"(?:^|[、級準])([12])-([0-9]{1,2})-([0-9]{1,2})(?![0-9])")
_UNICODE = re.compile(r"U\+([0-9A-Fa-f]{4,6})")
_LEGEND = re.compile(
    r"^-{10,}\n【テキスト中に現れる記号について】\n.*?\n-{10,}$", re.MULTILINE | re.DOTALL
)


def without_annotations(text: str) -> str:
    """The text as Markdown, a paragraph a line, without its readings and remarks."""
    text = _LEGEND.sub("", text, count=1)
    return "\n\n".join(_paragraph(line) for line in text.split("\n") if line.strip())


def _paragraph(line: str) -> str:
    # Readings first: a letter put in by number may itself be one of their brackets.
    plain = _LETTER.sub(_letter, _RUBY.sub(lambda ruby: ruby[1] or "", line))
    levels = [
        found[1] for remark in _REMARK.finditer(plain) if (found := _HEADING.search(remark[1]))
    ]
    words = _REMARK.sub("", plain).strip()
    return f"{_LEVELS[levels[0]]} {words}" if levels and words else words


def _letter(remark: re.Match[str]) -> str:
    if jis := _JIS.search(remark[1]):
        plane, row, cell = (int(part) for part in jis.groups())
        if 1 <= row <= 94 and 1 <= cell <= 94:
            written = bytes([0xA0 + row, 0xA0 + cell])
            wide = b"\x8f" + written if plane == 2 else written
            return wide.decode("euc_jis_2004", "ignore") or _MISSING
    if point := _UNICODE.search(remark[1]):
        letter = chr(min(int(point[1], 16), 0x10FFFF))
        return letter if letter.isprintable() else _MISSING
    return _MISSING
