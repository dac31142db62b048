"""WebVTT and SubRip -> cues, strictly: what cannot be read is refused by its line (R026).

Words that a player would skip, because no time stands over them, are refused as well: they would
be missed by nobody until a question asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from html import unescape

from fonds.ingestion.cues import Cue, CueTrouble, Turn
from fonds.ingestion.plain_text import holds_words

_ARROW = "-->"
_TIMES = re.compile(
    r"\s*(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{3})\s*-->"
    r"\s*(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{3})(?:\s.*)?",
    re.ASCII,
)
_TAG = re.compile(r"<(/?)([a-z]*)((?:\.[^\s.<>]*)*)(?:[ \t\n]([^<>]*))?>|<[0-9:.]+>")
_NOT_SPOKEN = ("NOTE", "STYLE", "REGION")


def vtt_cues(text: str, known: Iterable[str] = ()) -> list[Cue]:
    """The cues of a WebVTT file; raises CueTrouble. `<v Name>` names the voice."""
    lines = text.split("\n")
    if not re.fullmatch(r"WEBVTT(?:[ \t].*)?", lines[0]):
        raise CueTrouble(1, "a .vtt file begins with the line WEBVTT")
    header = next((n for n, line in enumerate(lines) if not line.strip()), len(lines))
    return _cues(lines, header, known, skipped=_NOT_SPOKEN)


def srt_cues(text: str, known: Iterable[str] = ()) -> list[Cue]:
    """The cues of a SubRip file; raises CueTrouble.

    The format names no voice: `Mina:` at the beginning of a line does, for a name of `known`.
    """
    return _cues(text.split("\n"), 0, known, skipped=())


def _cues(
    lines: Sequence[str], start: int, known: Iterable[str], skipped: tuple[str, ...]
) -> list[Cue]:
    names = {" ".join(name.split()): name for name in known}
    cues: list[Cue] = []
    for number, block in _blocks(lines, start):
        if block[0].split(maxsplit=1)[0] in skipped and _ARROW not in block[0]:
            continue
        cues += _cue(number, block, names)
    return cues


def _blocks(lines: Sequence[str], start: int) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines between blank ones, each with the line number it begins at."""
    block: list[str] = []
    for number, line in enumerate([*lines[start:], ""], start=start + 1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _cue(number: int, block: Sequence[str], names: dict[str, str]) -> Iterator[Cue]:
    timed = next((n for n, line in enumerate(block[:2]) if _ARROW in line), None)
    if timed is None:
        if len(block) == 1 and block[0].strip().isdecimal():
            return  # the number of a cue whose words are gone
        raise CueTrouble(number, "words without a time: a cue holds no blank line")
    times = _TIMES.fullmatch(block[timed])
    if times is None:
        raise CueTrouble(number + timed, "the times of a cue cannot be read")
    first, last = _milliseconds(times.groups()[:4]), _milliseconds(times.groups()[4:])
    if last < first:
        raise CueTrouble(number + timed, "a cue ends before it begins")
    spoken = block[timed + 1 :]
    if wrong := next((n for n, line in enumerate(spoken) if _ARROW in line), None):
        raise CueTrouble(number + timed + 1 + wrong, "a blank line is missing between two cues")
    yield Cue(first, last, tuple(_turns(spoken, names)))


def _milliseconds(parts: Sequence[str | None]) -> int:
    hours, minutes, seconds, thousandths = (int(part or 0) for part in parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths


def _turns(lines: Sequence[str], names: dict[str, str]) -> Iterator[Turn]:
    voice: str | None = None
    said: list[str] = []
    for spoken, written in _voiced("\n".join(lines), names):
        if spoken != voice:
            yield from _turn(voice, said)
            voice, said = spoken, []
        said.append(written)
    yield from _turn(voice, said)


def _turn(voice: str | None, said: Sequence[str]) -> Iterator[Turn]:
    text = " ".join(unescape("".join(said)).split())
    if holds_words(text):
        yield Turn(voice, text)


def _voiced(text: str, names: dict[str, str]) -> Iterator[tuple[str | None, str]]:
    """Runs of words, tags taken out, each with the voice that was last named."""
    voice: str | None = None
    position = 0
    for tag in _TAG.finditer(text):
        voice = yield from _labelled(text[position : tag.start()], voice, names)
        position = tag.end()
        if tag[2] == "v":
            voice = None if tag[1] else " ".join(unescape(tag[4] or "").split()) or None
    yield from _labelled(text[position:], voice, names)


def _labelled(
    text: str, voice: str | None, names: dict[str, str]
) -> Generator[tuple[str | None, str], None, str | None]:
    """Lines of one run; one that begins with a known name and a colon changes the voice."""
    for line in text.splitlines(keepends=True):
        label, colon, rest = line.lstrip(" -\u2013>").partition(":")
        if colon and " ".join(label.split()) in names:
            voice = names[" ".join(label.split())]
            yield voice, rest
        else:
            yield voice, line
    return voice
