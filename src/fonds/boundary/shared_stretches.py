"""Where two texts share what the lint would refuse, in the characters as they were written.

For the author's eyes alone: what is marked here is private text. The verdict is the lint's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeAlias

from fonds.contract.entity import LintWindow
from fonds.contract.normalised_text import has_unspaced_script, normalised_text, without_marks

_SOUND_MARKS: Final = "\uff9e\uff9f"  # letters by category, and parts of the letter before them
_WRITTEN: Final = re.compile(r"\S+")
_ASCII_WORD: Final = re.compile("[A-Za-z0-9]+")

Unit: TypeAlias = tuple[str, int, int]
"""A word or a character as it is compared, and where what it was made from begins and ends."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some characters of a text, marked where they are shared."""

    text: str = field(repr=False)
    shared: bool = False


def shared_stretches(
    tested: str, text: str, window: LintWindow
) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """Both texts whole and in order, cut where a shared run of the window begins or ends.

    Read as the lint reads: with marks and without, by words, and by characters where either side
    has a script without spaces. A text whose spelling cannot be followed is left unmarked.
    """
    both = (tested, text)
    characters = any(has_unspaced_script(normalised_text(one)) for one in both)
    marked: tuple[set[int], set[int]] = (set(), set())
    loose = any(_read(one, unmarked=True) != normalised_text(one) for one in both)
    for unmarked in (False, True) if loose else (False,):
        readings = [
            (tuple(tuple(_words(one, unmarked=unmarked)) for one in both), window.ngram_words)
        ]
        if characters:
            read = tuple(tuple(_characters(one, unmarked=unmarked)) for one in both)
            readings.append((read, window.ngram_chars))
        for units, size in readings:
            for place, found in enumerate(_shared(units[0], units[1], size)):
                for first, last in found:
                    begin, end = units[place][first][1], units[place][last][2]
                    marked[place].update(range(begin, end))
    return _cut(tested, marked[0]), _cut(text, marked[1])


def _shared(
    one: Sequence[Unit], other: Sequence[Unit], size: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """First and last unit of each window of `size` that stands in both."""
    windows = [_windows(units, size) for units in (one, other)]
    both = windows[0].keys() & windows[1].keys()
    first, second = (
        [(at, at + size - 1) for key in both for at in found[key]] for found in windows
    )
    return first, second


def _windows(units: Sequence[Unit], size: int) -> dict[tuple[str, ...], list[int]]:
    found: dict[tuple[str, ...], list[int]] = {}
    for at in range(len(units) - size + 1):
        found.setdefault(tuple(unit[0] for unit in units[at : at + size]), []).append(at)
    return found


def _words(text: str, *, unmarked: bool) -> Iterator[Unit]:
    """The words of each stretch between spaces; one stretch may hold several, as `well-known`."""
    for stretch in _WRITTEN.finditer(text):
        if stretch.group().isascii():
            for word in _ASCII_WORD.finditer(text, *stretch.span()):
                yield word.group().lower(), *word.span()
            continue
        yield from _words_within(stretch.group(), stretch.start(), unmarked=unmarked)


def _words_within(written: str, start: int, *, unmarked: bool) -> Iterator[Unit]:
    """Each word with the characters it was made from, or with all where they cannot be told."""
    clusters = list(_clusters(written))
    whole = _read(written, unmarked=unmarked).split()
    word, begin = "", 0
    apart: list[Unit] = []
    for left, right in clusters:
        read = _read(written[left:right], unmarked=unmarked)
        if read and " " not in read:
            begin = begin if word else left
            word += read
        elif not read and normalised_text(f"a{written[left:right]}a") != "a a":
            continue  # a character nobody sees splits no word
        elif word:
            apart.append((word, start + begin, start + left))
            word = ""
    if word:
        apart.append((word, start + begin, start + len(written)))
    if [unit[0] for unit in apart] == whole:
        yield from apart
    else:
        yield from ((one, start, start + len(written)) for one in whole)


def _characters(text: str, *, unmarked: bool) -> Iterator[Unit]:
    """Every character that is compared, with the cluster it was made from."""
    for left, right in _clusters(text):
        for character in _read(text[left:right], unmarked=unmarked).replace(" ", ""):
            yield character, left, right


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Where each character begins and ends with the marks that belong to it."""
    starts = [at for at, one in enumerate(text) if at == 0 or not _joins(one)]
    yield from pairwise([*starts, len(text)])


def _joins(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in _SOUND_MARKS


def _read(text: str, *, unmarked: bool) -> str:
    normalised = normalised_text(text)
    return without_marks(normalised) if unmarked else normalised


def _cut(text: str, marked: set[int]) -> tuple[Stretch, ...]:
    edges = [at for at in range(len(text)) if at == 0 or (at in marked) != (at - 1 in marked)]
    return tuple(
        Stretch(text[left:right], left in marked) for left, right in pairwise([*edges, len(text)])
    )
