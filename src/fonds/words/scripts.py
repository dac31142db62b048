"""Text as it is compared: readable characters, and pieces of one script each."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, NamedTuple, TypeAlias

Script: TypeAlias = Literal["spaced", "han", "hiragana", "katakana", "other"]

HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af"
)
HIRAGANA: Final = "\u3041-\u3096\u309d-\u309f"
KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
# Thai, Lao, Khmer, Myanmar.
UNSPACED_ELSEWHERE: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"
)


def _ranges_of_marks() -> str:
    """Combining marks of the basic plane as a character class; `\\w` leaves them out."""
    ranges: list[list[int]] = []
    for code in range(0x0300, 0xFE30):
        if unicodedata.category(chr(code)).startswith("M"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_MARKS = _ranges_of_marks()
WORD: Final = re.compile(rf"(?:[^\W_]|[{_MARKS}])+(?:['’](?:[^\W_]|[{_MARKS}])+)*")
_PIECE = re.compile(
    rf"(?P<han>[{HAN}]+)|(?P<hiragana>[{HIRAGANA}]+)|(?P<katakana>[{KATAKANA}]+)"
    rf"|(?P<other>[{UNSPACED_ELSEWHERE}]+)"
    rf"|(?P<spaced>[^{HAN}{HIRAGANA}{KATAKANA}{UNSPACED_ELSEWHERE}]+)"
)
_INVISIBLE = dict.fromkeys(
    code
    for code in (*range(0x10000), *range(0xE0000, 0xE0080))
    if unicodedata.category(chr(code)) == "Cf"
)
KANA: Final = re.compile(f"[{HIRAGANA}{KATAKANA}]")


class Piece(NamedTuple):
    """A run of one script: a word where words are spaced. The offsets are of its text.

    A named tuple: a question makes tens of thousands, at a quarter of a dataclass's cost.
    """

    surface: str
    script: Script
    start: int
    end: int


def readable_text(text: str) -> str:
    """NFKC without format characters; letter case and punctuation stay."""
    return unicodedata.normalize("NFKC", text.translate(_INVISIBLE))


def pieces(text: str) -> tuple[Piece, ...]:
    """The words of a readable text, cut where the script changes between spaced and unspaced."""
    found: list[Piece] = []
    for word in WORD.finditer(text):
        if word.group().isascii():
            found.append(Piece(word.group(), "spaced", word.start(), word.end()))
        else:
            found.extend(_by_script(word.group(), word.start()))
    return tuple(found)


def _by_script(word: str, offset: int) -> list[Piece]:
    found: list[Piece] = []
    for match in _PIECE.finditer(word):
        script: Script = match.lastgroup  # pyright: ignore[reportAssignmentType]
        found.append(Piece(match.group(), script, offset + match.start(), offset + match.end()))
    return found
