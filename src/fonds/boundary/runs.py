"""Whether a string shares a run of words or characters with a text (R060-R062)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fonds.contract.entity import LintWindow
from fonds.contract.normalised_text import has_unspaced_script, normalised_text, without_marks

Unit: TypeAlias = Literal["words", "characters"]
_BITS_A_WINDOW = 24  # three of at least 24 set: at most 1 foreign window in 500 looks known


@dataclass(frozen=True, slots=True)
class Run:
    """Where a shared run stands in the tested string, normalised: 1-based, inclusive."""

    unit: Unit
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.unit} {self.first}-{self.last}"


class PrivateRuns:
    """Every run of one text, prepared once so that many strings are tested in time of their own.

    Holds the text normalised and, for each reading, a bit table of its windows (3 to 6 bytes a
    window), made when it is first asked for. What the table knows is looked up in the text
    itself: a hash collision costs time and never a verdict.
    """

    __slots__ = ("_plain", "_unspaced", "_window", "_with_marks")

    def __init__(self, text: str, window: LintWindow) -> None:
        normalised = normalised_text(text)
        unmarked = without_marks(normalised)
        self._window = window
        self._unspaced = has_unspaced_script(normalised)
        self._with_marks = _Reading(normalised, window, unspaced=self._unspaced)
        # Most texts hold no loose marks and read the same twice: one table serves both.
        same = unmarked == normalised
        self._plain = (
            self._with_marks if same else _Reading(unmarked, window, unspaced=self._unspaced)
        )

    def __repr__(self) -> str:
        return "PrivateRuns(...)"

    def shared_run(self, tested: str) -> Run | None:
        """The first run `tested` shares with the text, or None.

        Both sides are read with their marks and without; words are always compared, characters
        where either side has a script without spaces between words.
        """
        normalised = normalised_text(tested)
        characters_too = self._unspaced or has_unspaced_script(normalised)
        for reading, words in (
            (self._with_marks, normalised),
            (self._plain, without_marks(normalised)),
        ):
            found = reading.shared_words(words)
            if found is None and characters_too:
                found = reading.shared_characters(words)
            if found is not None:
                return found
        return None


class _Reading:
    """One reading of a text, by words and by characters."""

    __slots__ = ("_characters", "_text", "_unspaced", "_window", "_words")

    def __init__(self, normalised: str, window: LintWindow, *, unspaced: bool) -> None:
        self._text = normalised
        self._unspaced = unspaced
        self._window = window
        self._words: _Windows | None = None
        self._characters: _Windows | None = None

    def shared_words(self, tested: str) -> Run | None:
        size = self._window.ngram_words
        if self._words is None:
            count = self._text.count(" ") + 1
            self._words = _Windows(f" {self._text} ", _word_windows(self._text, size), count)
        return _first_run("words", _word_windows(tested, size), self._words, size)

    def shared_characters(self, tested: str) -> Run | None:
        size = self._window.ngram_chars
        windows = tuple(_character_windows(tested.replace(" ", ""), size))
        # A text in spaced scripts shares no window that holds a character of the others: most
        # labels in those never cost a table of every character of a book.
        if not self._unspaced and all(has_unspaced_script(window) for window in windows):
            return None
        if self._characters is None:
            joined = self._text.replace(" ", "")
            self._characters = _Windows(joined, _character_windows(joined, size), len(joined))
        return _first_run("characters", windows, self._characters, size)


def _first_run(unit: Unit, tested: Iterable[str], known: _Windows, size: int) -> Run | None:
    for position, window in enumerate(tested, start=1):
        if window in known:
            return Run(unit, position, position + size - 1)
    return None


class _Windows:
    """The windows of a text as a bit table; membership is settled by the text."""

    __slots__ = ("_bits", "_mask", "_text")

    def __init__(self, text: str, windows: Iterator[str], count: int) -> None:
        size = max(10, (count * _BITS_A_WINDOW).bit_length())
        self._text = text
        self._mask = mask = (1 << size) - 1
        self._bits = bits = bytearray(1 << (size - 3))
        for window in windows:
            mixed = hash(window)
            one, two, three = mixed & mask, (mixed >> 18) & mask, (mixed >> 36) & mask
            bits[one >> 3] |= 1 << (one & 7)
            bits[two >> 3] |= 1 << (two & 7)
            bits[three >> 3] |= 1 << (three & 7)

    def __contains__(self, window: str) -> bool:
        mixed = hash(window)
        for place in (mixed & self._mask, (mixed >> 18) & self._mask, (mixed >> 36) & self._mask):
            if not self._bits[place >> 3] & (1 << (place & 7)):
                return False
        return window in self._text


def _word_windows(normalised: str, size: int) -> Iterator[str]:
    """Each run of `size` words with a space on either side, so that it is found as whole words."""
    if not normalised:
        return
    padded = f" {normalised} "
    spaces: deque[int] = deque((0,), maxlen=size + 1)
    space = padded.find(" ", 1)
    while space != -1:
        spaces.append(space)
        if len(spaces) > size:
            yield padded[spaces[0] : space + 1]
        space = padded.find(" ", space + 1)


def _character_windows(joined: str, size: int) -> Iterator[str]:
    return (joined[start : start + size] for start in range(len(joined) - size + 1))
