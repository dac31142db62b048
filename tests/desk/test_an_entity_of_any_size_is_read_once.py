"""R063, R084: who goes through the gists of a long book has its texts read and prepared once, and
again as soon as one of them is another.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final, cast

import psycopg
import pytest

from fonds.contract.build_store import StoredEntity
from fonds.ingestion import projections
from fonds.ingestion.projections import GistJudge
from fonds.store.statements import statements
from fonds.wiring import known_entity
from fonds.wiring.gists import GistDesk
from fonds.wiring.house import House
from fonds.wiring.known_entity import KnownEntity
from tests.archives import house_of, ingested, written
from tests.servers import Database

PARTS: Final = (
    "Grandmother pawned the brass sextant to pay the harbour pilot in winter.",
    "The miller buried his ledger under the third sycamore beside the weir.",
)
LIFTED: Final = "He buried his ledger under the third sycamore, they say."
GIST: Final = "A loan against an instrument."
BOOK: Final = """\
---
title: Low Tide
about: https://example.org/books/low-tide/
exposure: semantic
---
# Chapter 1

{}

# Chapter 2

{}
"""
FIRST: Final = "book:low-tide#ch1"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that read texts whole, in order, and each preparation of an entity."""
    seen: list[str] = []
    named = {str(statements("build")["fragments_to_check"]): "texts"}
    plain = cast("Callable[..., object]", psycopg.Cursor.execute)

    def watched(cursor: object, query: object, *terms: object, **more: object) -> object:
        seen.extend(named[str(query)] for _ in range(str(query) in named))
        return plain(cursor, query, *terms, **more)

    def prepared(stored: StoredEntity) -> GistJudge:
        seen.append("prepared")
        return projections.GistJudge(stored)

    monkeypatch.setattr(psycopg.Cursor, "execute", watched)
    monkeypatch.setattr(known_entity, "GistJudge", prepared)
    return seen


@pytest.fixture
def house(database: Database, tmp_path: Path) -> Generator[House]:
    """One private book of two chapters that ask to be described."""
    folder = written(tmp_path, {"books/low-tide.md": BOOK.format(*PARTS)})
    with house_of(folder, database) as made:
        ingested(made)
        yield made


def test_typing_and_leafing_read_the_texts_of_a_book_once(house: House, read: list[str]) -> None:
    """Every look is of the gist as it stands all the same."""
    known = KnownEntity()
    for words in ("A loan.", "A loan against", GIST):
        view = GistDesk(house, known).view(FIRST, words)
        assert view is not None
        assert (view.rule, view.stored_words) == ("", "")
    assert read == ["texts", "prepared"]
    GistDesk(house).edit(FIRST, GIST, reviewed=True)
    read.clear()
    view = GistDesk(house, known).view(FIRST)
    assert view is not None
    assert (view.stored_words, view.words, view.waits) == (GIST, GIST, "")
    view = GistDesk(house, known).view("book:low-tide#ch2", LIFTED)
    assert view is not None
    assert view.rule == "quotes private text at words 2-6"
    assert read == []


def test_another_text_of_the_book_is_read_before_it_is_judged_by(
    house: House, database: Database, read: list[str]
) -> None:
    """Whatever the hashes beside it say."""
    known = KnownEntity()
    before = GistDesk(house, known).view(FIRST, LIFTED)
    assert before is not None
    assert before.rule == "quotes the entity's text at words 2-6"
    assert any(one.shared for one in before.marked_words)
    changed = "UPDATE private.fragment SET text = 'Nobody came.' WHERE fragment_id LIKE '%ch2'"
    with psycopg.connect(database.admin_url) as session:
        session.execute(changed)
    read.clear()
    after = GistDesk(house, known).view(FIRST, LIFTED)
    assert after is not None
    assert after.rule == ""
    assert read == ["texts", "prepared"]


def test_of_another_fragment_there_is_nothing_to_know(house: House) -> None:
    assert GistDesk(house).view("book:low-tide#ch9", GIST) is None
