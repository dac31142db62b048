"""Whether a watched private word stands anywhere a build would serve it (R182).

The lint compares runs of words; this looks for what is too short for a run: names, numbers, pairs
of words. What it reports names positions and ids, never a canary or the string that holds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from fonds.contract.failures import MisauthoredInput
from fonds.contract.normalised_text import (
    contains_phrase,
    has_unspaced_script,
    normalised_text,
    without_marks,
)
from fonds.contract.sealed import sealed
from fonds.contract.swept_string import SweptKind, SweptString


@sealed
@dataclass(frozen=True, slots=True)
class CanaryIssue:
    """Canary number `canary` (from 0) is served. `composition`: no gist alone holds it."""

    canary: int
    owner_id: str
    kind: SweptKind
    composition: bool = False


def canary_sweep(
    canaries: Sequence[str], strings: Iterable[SweptString]
) -> tuple[CanaryIssue, ...]:
    """Every canary against every string, and against each entity's gists read as one.

    Gists are joined in the order of their owners' ids, by a space and by nothing. Compared with
    and without marks; a canary in a script without spaces is found through any punctuation.
    Raises MisauthoredInput, naming the position, for a canary that could never be found.
    """
    watched = [_watched(position, canary) for position, canary in enumerate(canaries)]
    alone: list[CanaryIssue] = []
    known: set[tuple[int, str]] = set()
    gists: defaultdict[str, list[SweptString]] = defaultdict(list)
    for string in strings:
        # An address may spell a word of any script in ASCII.
        read = unquote(string.text) if string.kind == "url" else string.text
        for canary in _found_in_any(watched, (read,)):
            alone.append(CanaryIssue(canary, string.owner_id, string.kind))
            if string.kind == "gist":
                known.add((canary, string.entity_id))
        if string.kind == "gist":
            gists[string.entity_id].append(string)
    composed = (
        CanaryIssue(canary, entity_id, "gist", composition=True)
        for entity_id, parts in sorted(gists.items())
        if len(parts) > 1
        for canary in _found_in_any(watched, _joined(parts))
        if (canary, entity_id) not in known
    )
    return (*alone, *composed)


class _Reading(NamedTuple):
    """A string as it is compared: normalised, and without separators."""

    text: str
    joined: str
    unspaced: bool

    def holds(self, needle: _Reading) -> bool:
        # In a script without spaces a single character is a word, and separators hide nothing.
        if needle.unspaced:
            return needle.joined in self.joined
        return needle.text in self.text and contains_phrase(self.text, needle.text)


_Readings: TypeAlias = tuple[_Reading, _Reading]


def _watched(position: int, canary: str) -> _Readings:
    readings = _readings(canary)
    if not all(reading.text for reading in readings):
        raise MisauthoredInput(f"canaries[{position}]: at least one letter or digit is needed")
    return readings


def _readings(text: str) -> _Readings:
    marked = normalised_text(text)
    return _reading(marked), _reading(without_marks(marked))


def _reading(normalised: str) -> _Reading:
    return _Reading(normalised, normalised.replace(" ", ""), has_unspaced_script(normalised))


def _found_in_any(watched: Sequence[_Readings], texts: Iterable[str]) -> Iterator[int]:
    read = [_readings(text) for text in texts]
    all_joined = "\n".join(side.joined for sides in read for side in sides)
    for canary, (marked, plain) in enumerate(watched):
        # Nearly every pair ends here: what stands in a text stands in it without its spaces.
        if marked.joined not in all_joined and plain.joined not in all_joined:
            continue
        if any(text[0].holds(marked) or text[1].holds(plain) for text in read):
            yield canary


def _joined(parts: Sequence[SweptString]) -> tuple[str, str]:
    texts = [part.text for part in sorted(parts, key=lambda part: part.owner_id)]
    return " ".join(texts), "".join(texts)
