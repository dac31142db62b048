"""Markdown transcripts -> cues: two shapes in which people write down what was said (R026).

`turn_cues` reads a time behind each speaker, `marked_cues` speakers with times in brackets here
and there. In both, what follows a time was said from then on, until the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fonds.ingestion.cues import Cue, CueTrouble, Turn
from fonds.ingestion.plain_text import holds_words, plain_text

_CLOCK = r"(?:(\d{1,3}):)?(\d{1,2}):([0-5]\d)(?:[.:](\d{1,3}))?"
_TURN = re.compile(
    r"(?:\*\*(?P<bold>[^*:\[\]]{1,80}) ?:?\*\* ?:?|(?P<plain>[^*:\[\]]{1,80}):) ?"
    r"[\[(]?(?P<time>(?:[0-9]{1,3}:)?[0-9]{1,2}:[0-5][0-9])(?:\.[0-9]{1,3})?[\])]?",
)
_LONGEST_TURN_LINE = 140
_OVERLAP = 10_000  # milliseconds; voices that overlap do so by one or two seconds
_SPEAKER = re.compile(r"\*\*([^*\n]{1,80}?)(?::\*\*|\*\*:)(?:[ \t]+|$)")
_MARK = re.compile(rf"\\?\[{_CLOCK}\\?\]", re.ASCII)
_LAST_SIGNS = frozenset("0123456789])")
_HEADING = re.compile(r"#{1,6}[ \t]")


def page_cues(body: str) -> list[Cue]:
    """The cues of a Markdown transcript in whichever of the two shapes it has.

    Raises CueTrouble for a page of neither shape, and for times that run backwards.
    """
    lines = body.split("\n")
    if any(_turn_line(line) for line in lines):
        return turn_cues(lines)
    if any(_MARK.search(line) for line in lines):
        return marked_cues(lines)
    if not holds_words(plain_text(body)):
        return []
    raise CueTrouble(1, "no time is found: write `Name: 00:12:30` over what Name says")


def turn_cues(lines: Sequence[str]) -> list[Cue]:
    """A line `Name: 00:12:30` over what Name says; the name may be bold."""
    starts: list[tuple[int, int, str | None]] = []
    said: list[list[str]] = [[]]
    for number, line in enumerate(lines, start=1):
        turn = _turn_line(line)
        if turn is None:
            said[-1].append(line)
            continue
        starts.append((number, _written(turn["time"]), (turn["bold"] or turn["plain"]).strip()))
        said.append(_headings_at_the_end(said[-1]))
    blocks = said[1:]
    if holds_words(plain_text("\n".join(said[0]))):
        starts, blocks = [(1, 0, None), *starts], said
    times = _in_order([(number, start) for number, start, _ in starts])
    return [
        Cue(start, end, tuple(_turn(voice, block)))
        for start, end, (_, _, voice), block in zip(
            times, [*times[1:], None], starts, blocks, strict=True
        )
    ]


def marked_cues(lines: Sequence[str]) -> list[Cue]:
    """Paragraphs `**Name:** words`, with times such as `[12:30]` among the words.

    A time is seldom written: a cue then holds the turns of many voices. The one who spoke goes on
    speaking behind a time.
    """
    marks: list[tuple[int, int]] = [(1, 0)]
    turns: list[list[Turn]] = [[]]
    voice: str | None = None
    held: list[str] = []
    for number, line in enumerate(lines, start=1):
        if speaker := _SPEAKER.match(line):
            turns[-1] += _turn(voice, held)
            voice, held = speaker[1].strip(), []
            line = line[speaker.end() :]
        position = 0
        for mark in _MARK.finditer(line):
            turns[-1] += _turn(voice, [*held, line[position : mark.start()]])
            held, position = [], mark.end()
            marks.append((number, _milliseconds(mark.groups()[:3])))
            turns.append([])
        held.append(line[position:])
    turns[-1] += _turn(voice, held)
    times = _in_order(marks)
    return [
        Cue(start, end, tuple(said))
        for start, end, said in zip(times, [*times[1:], None], turns, strict=True)
    ]


def _turn_line(line: str) -> re.Match[str] | None:
    # Most lines are words: the last sign tells them apart before a pattern is tried.
    if len(line) > _LONGEST_TURN_LINE or line.rstrip()[-1:] not in _LAST_SIGNS:
        return None
    return _TURN.fullmatch(" ".join(line.split()))


def _turn(voice: str | None, lines: Sequence[str]) -> Iterator[Turn]:
    text = plain_text("\n".join(lines))
    if holds_words(text):
        yield Turn(voice, text)


def _headings_at_the_end(lines: list[str]) -> list[str]:
    """Takes a heading off the end of a turn: it stands over the next one."""
    at = len(lines)
    while at > 0 and (not lines[at - 1].strip() or _HEADING.match(lines[at - 1])):
        at -= 1
    taken = lines[at:]
    del lines[at:]
    return taken


def _written(time: str) -> int:
    parts = ["0", *time.split(":")][-3:]
    return _milliseconds(parts)


def _milliseconds(parts: Sequence[str | None]) -> int:
    hours, minutes, seconds = (int(part or 0) for part in parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000


def _in_order(starts: Sequence[tuple[int, int]]) -> list[int]:
    """The times, none before the last: people begin to speak while another goes on.

    Raises CueTrouble for one that is earlier by more than that: it is a slip of the pen.
    """
    times: list[int] = []
    for line, start in starts:
        before = times[-1] if times else 0
        if start < before - _OVERLAP:
            raise CueTrouble(line, "a time is earlier than the one before it")
        times.append(max(start, before))
    return times
