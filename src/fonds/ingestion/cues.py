"""What was said and when: the one shape that every transcript format is read into (R026)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Turn:
    """Words of one voice. `voice` is its label as the file has it, None where it has none."""

    voice: str | None = field(repr=False)
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Cue:
    """What lies between two times in milliseconds; `end` is None where the file names none.

    Nothing divides a cue: a window holds it whole.
    """

    start: int
    end: int | None
    turns: tuple[Turn, ...] = field(repr=False)


class CueTrouble(Exception):
    """Why a transcript cannot be read, and in which line of it; holds no word of it."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line}: {reason}")


@dataclass(frozen=True, slots=True)
class Window:
    """Cues that begin in the same span of the recording. Bounds are whole seconds, floored."""

    start: int
    end: int
    turns: tuple[Turn, ...] = field(repr=False)


def windows(cues: Sequence[Cue], seconds: int) -> Iterator[Window]:
    """The cues by the span of `seconds` in which they begin, each in one window and whole.

    The spans count from the beginning of the recording, so that an edit in one leaves the places
    of all others, and with them their gists, as they are. Spans without words give no window.
    """
    spoken = sorted((cue for cue in cues if cue.turns), key=lambda cue: cue.start)
    for _, group in groupby(spoken, key=lambda cue: cue.start // (seconds * 1000)):
        inside = list(group)
        last = max(cue.start if cue.end is None else cue.end for cue in inside)
        turns = tuple(turn for cue in inside for turn in cue.turns)
        yield Window(inside[0].start // 1000, last // 1000, turns)
