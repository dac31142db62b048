"""An answer as a reader sees it: paragraphs, descriptions marked as such, and the cards of what was
cited in the end (R148, R149).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from fonds.answering.refusal import Answered, CitedSource
from fonds.answering.related_material import description_in

_RESTS_ON: Final = {
    "supported": (
        "Answer",
        "Made of what is published; what is only pointed at below is not quoted.",
    ),
    "partial": ("Answer", "Made of what is published, and of nothing else."),
    "related-material": (
        "Where it lies",
        "Not made of published passages: the archive says where something that bears on your"
        " question is, and quotes none of it.",
    ),
}


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words of the answer; with `describes`, a gist and the place it is a description of."""

    words: str = field(repr=False)
    describes: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Card:
    """One source. `address` is empty where it is none a browser may follow."""

    quoted: bool
    title: str = field(repr=False)
    place: str = field(repr=False)
    address: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """Everything a page shows of an answer."""

    heading: str
    rests_on: str
    paragraphs: tuple[Paragraph, ...]
    cards: tuple[Card, ...]


def reader_answer(given: Answered) -> ReaderAnswer:
    """The page's view of an answer; a card a citation, none for what was only retrieved."""
    heading, rests_on = _RESTS_ON[given.mode]
    points = given.mode == "related-material"
    return ReaderAnswer(
        heading,
        rests_on,
        tuple(_paragraph(one, points=points) for one in given.answer.split("\n\n") if one.strip()),
        tuple(_card(one) for one in given.citations),
    )


def _paragraph(words: str, *, points: bool) -> Paragraph:
    described = description_in(words) if points else None
    return Paragraph(words) if described is None else Paragraph(described[1], described[0])


def _card(cited: CitedSource) -> Card:
    followed = cited.url.lower().startswith(("https://", "http://"))
    return Card(
        quoted=cited.kind == "record",
        title=cited.title,
        place=cited.locator_label,
        address=cited.url if followed else "",
    )
