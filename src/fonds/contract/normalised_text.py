"""Text reduced to what a comparison may rely on, identical on both sides (R060, R107)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

# Deleted before anything is compared: invisible on a page, able to split a word. Category Cf is
# deleted as well; these are the default-ignorable code points outside it, unassigned ones included.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
_ASCII_SEPARATORS = re.compile("[^a-z0-9]+")
# Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar (R062).
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029"
    "\u3038-\u303b\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af]"
)


class _Table(dict[int, int | str | None]):
    """A `str.translate` table filled as code points are met: a book is read at C speed."""

    def __init__(self, decide: Callable[[str], int | str | None]) -> None:
        super().__init__()
        self._decide = decide

    def __missing__(self, point: int) -> int | str | None:
        kept = self[point] = self._decide(chr(point))
        return kept


def _visible(character: str) -> int | None:
    hidden = unicodedata.category(character) == "Cf" or _IGNORABLE.match(character)
    return None if hidden else ord(character)


def _word_part(character: str) -> int | str:
    return ord(character) if unicodedata.category(character)[0] in "LNM" else " "


def _unmarked(character: str) -> int | None:
    # Me (an enclosing circle) hides a letter as well as Mn does; Mc is part of Indic spelling.
    return None if unicodedata.category(character) in ("Mn", "Me") else ord(character)


_VISIBLE = _Table(_visible)
_WORD_PARTS = _Table(_word_part)
_UNMARKED = _Table(_unmarked)


def normalised_text(text: str) -> str:
    """NFKC, lower case, runs of other than letters, numbers and marks become one space; trimmed.

    Format characters and default-ignorable code points are deleted first, so that a soft hyphen
    or a zero-width space splits no word.
    """
    composed = unicodedata.normalize("NFKC", _without_invisible(text)).lower()
    composed = unicodedata.normalize("NFKC", _without_invisible(composed))
    if composed.isascii():
        return _ASCII_SEPARATORS.sub(" ", composed).strip(" ")
    return " ".join(composed.translate(_WORD_PARTS).split())


def without_marks(normalised: str) -> str:
    """The second reading of a lint: every non-spacing or enclosing mark removed (R060)."""
    if normalised.isascii():
        return normalised
    kept = unicodedata.normalize("NFD", normalised).translate(_UNMARKED)
    return unicodedata.normalize("NFC", " ".join(kept.split()))


def has_unspaced_script(text: str) -> bool:
    """Whether any character belongs to a script written without spaces between words."""
    return _UNSPACED.search(text) is not None


def contains_phrase(text: str, needle: str) -> bool:
    """Whether `needle` stands in `text`, both already normalised (R107).

    Whole words where words are spaced; plain containment of at least two characters where either
    side has a script without spaces. An empty needle stands nowhere.
    """
    if not needle:
        return False
    if has_unspaced_script(needle) or has_unspaced_script(text):
        return len(needle) >= 2 and needle in text
    return f" {needle} " in f" {text} "


def _without_invisible(text: str) -> str:
    return text if text.isascii() else text.translate(_VISIBLE)
