"""A served build with an index over it, admitted without a check, for tests of what it shows."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fonds.contract.near_index import IndexShape
from fonds.contract.ports import Vector
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.retrieve import Retrieved, retrieve
from fonds.store.index_store import PostgresIndexStore
from fonds.store.served_store import PostgresServedStore
from tests.database.retrieval_bed import Bed, at_day
from tests.database.served_corpus import CorpusRow

SMALL = IndexShape(links=8, width=64, breadth=20, least=1)


def indexes_of(bed: Bed) -> PostgresIndexStore:
    return PostgresIndexStore(bed.build_pool, bed.archive_id)


def admitted(bed: Bed, shape: IndexShape = SMALL) -> int:
    """Makes and admits the index of the live build; its id."""
    indexes = indexes_of(bed)
    build_id = indexes.live_build_id() or 0
    indexes.make(build_id, shape)
    indexes.note_check(build_id, questions=1, by_index=1, recall=1.0, admitted=True)
    return build_id


def both_ways(
    bed: Bed,
    request: SearchRequest,
    vector: Vector,
    settings: RetrievalSettings | None = None,
) -> tuple[Retrieved, Retrieved]:
    """What a reader is shown, and what comparing every row shows."""
    found: list[Retrieved] = []
    for exactly in (False, True):
        store = PostgresServedStore(bed.reader_pool, bed.archive_id, exactly=exactly)
        with store.reading() as reader:
            found.append(retrieve(reader, request, vector, settings or at_day()))
    return found[0], found[1]


def around(count: int, dimensions: int = 8, seed: int = 7) -> list[Vector]:
    """Directions that are all different, the same for a seed."""
    made = random.Random(seed)  # noqa: S311 - a test's own numbers
    return [tuple(made.gauss(0, 1) for _ in range(dimensions)) for _ in range(count)]


def spread_rows(count: int, *, private_every: int = 10, seed: int = 7) -> Sequence[CorpusRow]:
    """Public texts with a private location among every so many."""
    return [
        CorpusRow(f"note:{at}", vector, raw="private", exposure="locator")
        if at % private_every == 3
        else CorpusRow(f"essay:{at}", vector, text=f"Passage {at} of the harbour, word{at % 7}.")
        for at, vector in enumerate(around(count, seed=seed))
    ]
