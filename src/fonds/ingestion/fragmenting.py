"""Where a private book is cut: headings, page marks, and the longest piece allowed (R030-R032)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TypeVar

from fonds.contract.failures import MisauthoredInput
from fonds.contract.locator import Locator, Place
from fonds.ingestion.plain_text import Block, holds_words, joined_blocks, plain_text

MAX_FRAGMENTS = 20_000  # of one file: the Bible has 1,189 chapters
_Part = TypeVar("_Part")
_FRONT: Place = (Locator("section", "front"),)
_NUMBERED = re.compile(
    r"(?P<word>chapter|chap|ch|part|book)\.?\s+(?P<number>[0-9]{1,6}|[ivxlcdm]+)"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
# Read as text, a mark with a slip in it would put its page's words on the page before.
_MEANT_AS_MARK = re.compile(r"<{2,}\s*page\b|.*<<<page\b", re.IGNORECASE)
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a book. No word of `heading` stands in `place`."""

    place: Place
    heading: str = field(repr=False)
    text: str = field(repr=False)


def heading_pieces(blocks: Sequence[Block], title: str) -> list[Piece]:
    """Pieces between headings of level 1 and 2; one without text makes none (R030).

    A leading heading that is the title is the title page: dropped and not counted (R023).
    """
    pieces: list[Piece] = []
    part: tuple[Locator, ...] = ()
    ordinal = 0
    for number, (heading, inside) in enumerate(_sections(blocks)):
        if heading is None:
            place = _FRONT
        elif number == 0 and heading.casefold() == " ".join(title.split()).casefold():
            heading, place = None, _FRONT
        else:
            ordinal += 1
            step = _numbered(heading)
            if step is not None and step.scheme == "part":
                part = place = (step,)
            elif step is not None:
                place = (*part, step)
            else:
                place = (Locator("section", str(ordinal)),)
        if inside:
            pieces.append(Piece(place, heading or "", joined_blocks(inside)))
    return pieces


def page_pieces(body: str, first_page: int) -> list[Piece]:
    """Pieces between form feeds, or between `<<<page N>>>` lines where there are none (R031).

    Raises MisauthoredInput for a page mark that is no label, by its position (R025).
    """
    if "\f" in body:
        pages: Iterable[tuple[Place, str]] = (
            ((Locator("page", str(number)),), page)
            for number, page in enumerate(body.split("\f"), start=first_page)
        )
    else:
        pages = _marked_pages(body)
    read = ((place, plain_text(page)) for place, page in pages if page and not page.isspace())
    return _counted(Piece(place, "", text) for place, text in read if holds_words(text))


def split_long(place: Place, text: str, limit: int) -> list[tuple[Place, str]]:
    """The text in parts of at most `limit` code points, each at a place of its own (R032).

    What fits stays as it is. Cuts fall between paragraphs, else at the last white space within the
    limit, else at the limit: no word is cut where a space allows it, and none is lost. Raises
    MisauthoredInput for more than 20,000 parts.
    """
    if len(text) <= limit:
        return [(place, text)]
    scheme = "paragraph" if place[-1].scheme == "section" else "section"
    return [
        ((*place, Locator(scheme, str(number))), part)
        for number, part in enumerate(_counted(_packed(text, limit)), start=1)
    ]


def _counted(parts: Iterable[_Part]) -> list[_Part]:
    some = list(islice(parts, MAX_FRAGMENTS + 1))
    if len(some) > MAX_FRAGMENTS:
        raise MisauthoredInput(f"body: more than {MAX_FRAGMENTS} fragments: split the file")
    return some


def _sections(blocks: Iterable[Block]) -> Iterator[tuple[str | None, list[Block]]]:
    heading: str | None = None
    inside: list[Block] = []
    for block in blocks:
        # A paragraph over a rule is a scene break in prose more often than a heading.
        if block.kind == "heading" and block.top and block.level <= 2 and not block.underlined:
            if heading is not None or inside:
                yield heading, inside
            heading, inside = block.text, []
        else:
            inside.append(block)
    if heading is not None or inside:
        yield heading, inside


def _numbered(heading: str) -> Locator | None:
    match = _NUMBERED.fullmatch(heading)
    if match is None:
        return None
    word, written, rest = match["word"].lower(), match["number"], match["rest"]
    if rest and rest[0].isalnum():
        return None  # the number is the beginning of a word
    if written.isdecimal():
        number = int(written)
    elif _is_numeral(written, word, rest):
        number = _arabic(written)
    else:
        return None
    return Locator("part" if word in ("part", "book") else "chapter", str(number))


def _is_numeral(written: str, word: str, rest: str) -> bool:
    """Whether the letters are a roman numeral here, and not a word or a pronoun.

    What goes on without punctuation is believed in capitals only, and a lone "I" after "Chapter".
    """
    if not _ROMAN.fullmatch(written):
        return False
    if not rest[:1].isspace() or not rest.strip()[:1].isalnum():
        return True
    return written.isupper() and (len(written) > 1 or word.startswith("ch"))


def _arabic(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral.upper()]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _marked_pages(body: str) -> Iterator[tuple[Place, str]]:
    place = _FRONT
    lines: list[str] = []
    marks = 0
    for line in body.split("\n"):
        mark = line.strip()
        if _MEANT_AS_MARK.match(mark):
            marks += 1
            if not (mark.startswith("<<<page") and mark.endswith(">>>")):
                raise MisauthoredInput(
                    f"page mark {marks} is out of shape: write <<<page N>>> on a line of its own"
                )
            yield place, "\n".join(lines)
            place, lines = (_page(mark[7:-3], marks),), []
        else:
            lines.append(line)
    yield place, "\n".join(lines)


def _page(written: str, position: int) -> Locator:
    token = written.strip()
    is_label = 1 <= len(token) <= 32 and all(c in ".-" or _is_label_part(c) for c in token)
    if not is_label or not written[:1].isspace():
        raise MisauthoredInput(
            f"page mark {position} is no label: 1 to 32 letters, digits, dots and hyphens"
        )
    return Locator("page", token)


@cache
def _is_label_part(character: str) -> bool:
    return character.isalpha() or character.isnumeric()


def _packed(text: str, limit: int) -> Iterator[str]:
    held = ""
    for paragraph in text.split("\n\n"):
        for unit in _cut(paragraph, limit):
            joined = f"{held}\n\n{unit}" if held else unit
            if len(joined) <= limit:
                held = joined
            else:
                yield held
                held = unit
    if held:
        yield held


def _cut(paragraph: str, limit: int) -> Iterator[str]:
    text = paragraph.strip()
    start = 0
    while len(text) - start > limit:
        end = start + limit
        at = max(text.rfind(" ", start, end + 1), text.rfind("\n", start, end + 1))
        at = at if at > start else end
        yield text[start:at].rstrip()
        start = at
        while text[start].isspace():
            start += 1
    if text:
        yield text[start:]
