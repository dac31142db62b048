"""Entities with their fragments and projections, read together for whoever lints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from psycopg import Connection

from fonds.contract.build_store import StoredEntity
from fonds.store.build_rows import entity_from, fragment_from
from fonds.store.statements import Row, dict_rows

ENTITIES_AT_ONCE = 50  # texts in memory while they are linted


def with_fragments(connection: Connection[Any], entities: Sequence[Row]) -> Iterator[StoredEntity]:
    """Each entity of these rows with all its fragments in id order, a bounded number at a time."""
    for start in range(0, len(entities), ENTITIES_AT_ONCE):
        some = entities[start : start + ENTITIES_AT_ONCE]
        ids = [row["entity_id"] for row in some]
        found = dict_rows(connection, "build", "fragments_to_check", entity_ids=ids)
        fragments = {
            entity_id: tuple(fragment_from(row) for row in rows)
            for entity_id, rows in groupby(found, key=lambda row: row["entity_id"])
        }
        for row in some:
            yield StoredEntity(entity_from(row), fragments.get(row["entity_id"], ()))
