"""A private book -> its chapters or pages; their words stand in `text` alone (R023-R025)."""

from __future__ import annotations

from itertools import islice

from fonds.archive_config import ArchiveConfig
from fonds.contract.disclosure import disclosure
from fonds.contract.entity import Entity, Policy
from fonds.contract.failures import MisauthoredInput
from fonds.contract.fragment import Fragment
from fonds.ingestion.adapters.description import Description, described
from fonds.ingestion.corpus import FoundFile
from fonds.ingestion.fields import Fields
from fonds.ingestion.fragmenting import (
    MAX_FRAGMENTS,
    Piece,
    heading_pieces,
    page_pieces,
    split_long,
)
from fonds.ingestion.front_matter import ReadText
from fonds.ingestion.identity import entity_id, entity_type
from fonds.ingestion.plain_text import plain_blocks

DEFAULT_FRAGMENT_CHARS = 6000
BOOK_KEYS = frozenset(
    {"title", "about", "authors", "creators", "identifiers", "date", "version", "themes"}
    | {"exposure", "exposures", "publicTitle", "requireReview", "lint", "type", "slug", "draft"}
    | {"fragmentBy", "maxFragmentChars", "firstPage"}
)


def read_book(file: FoundFile, text: ReadText, config: ArchiveConfig) -> Description:
    """The book a file holds. An empty one is refused: a book is never a placeholder (R023)."""
    fields = Fields(file.key, text.front)
    fields.refuse_unknown(BOOK_KEYS, config.ignore_keys)
    entity = _entity(file, fields, config)
    limit = fields.count("maxFragmentChars", DEFAULT_FRAGMENT_CHARS)
    usual = "pages" if file.path.lower().endswith(".pdf") else "headings"
    pieces = _pieces(fields, text.body, entity.title, usual)
    if not pieces:
        fields.refuse("body", "the book holds no text")
    _check_places(pieces, fields)
    fragments = (
        Fragment(
            entity.entity_id,
            place,
            entity.disclosure,
            f"{piece.heading}\n\n{part}" if piece.heading else part,
        )
        for piece in pieces
        for place, part in split_long(piece.place, piece.text, limit)
    )
    some = list(islice(fragments, MAX_FRAGMENTS + 1))
    return described(entity, some, fields, remedy="lower maxFragmentChars")


def _entity(file: FoundFile, fields: Fields, config: ArchiveConfig) -> Entity:
    exposure = fields.exposure("private", "locator")
    policy = Policy(
        require_review=fields.flag("requireReview"),
        public_title=fields.flag("publicTitle"),
        lint=fields.lint(config.lint),
    )
    fields.need("title", "about")
    return Entity(
        entity_id=entity_id(file, fields),
        type=entity_type(file, fields),
        title=fields.required("title", "the public title is needed"),
        url=fields.address("about"),
        disclosure=disclosure("private", exposure),
        attribution=fields.creators(config.default_creators),
        date=fields.date(),
        version=fields.text("version"),
        identifiers=fields.identifiers(),
        themes=fields.strict_themes(),
        policy=policy,
    )


def _pieces(fields: Fields, body: str, title: str, usual: str) -> list[Piece]:
    cutting = fields.text("fragmentBy") or usual
    first_page = fields.count("firstPage", 1)
    match cutting:
        case "headings":
            return heading_pieces(plain_blocks(body), title)
        case "pages":
            try:
                return page_pieces(body, first_page)
            except MisauthoredInput as refusal:
                fields.refuse("body", str(refusal).removeprefix("body: "))
        case _:
            return fields.refuse("fragmentBy", "headings or pages")


def _check_places(pieces: list[Piece], fields: Fields) -> None:
    """Two pieces at one place are refused by position, count and scheme, never by value (R024)."""
    seen: dict[object, int] = {}
    for position, piece in enumerate(pieces, start=1):
        if (first := seen.setdefault(piece.place, position)) != position:
            scheme = piece.place[-1].scheme
            fields.refuse(
                "body", f"pieces {first} and {position} of {len(pieces)} share a '{scheme}' locator"
            )
