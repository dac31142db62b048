"""What an archive holds and lets travel, a page at a time, as the build role (R191)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fonds.contract.build_store import StoredEntity
from fonds.contract.disclosure import Exposure, Raw
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.fragment_change import Shown
from fonds.store.build_rows import shown_from
from fonds.store.pools import Pool, transaction
from fonds.store.statements import Row, dict_rows
from fonds.store.stored_entities import with_fragments


@dataclass(frozen=True, slots=True)
class EntityLine:
    """An entity as it is listed. `asks` counts its fragments by what they ask for."""

    entity_id: str
    raw: Raw
    title: str = field(repr=False)
    url: str
    asks: Mapping[Exposure, int]


@dataclass(frozen=True, slots=True)
class FragmentLine:
    """A fragment as stored, beside what the live build shows of it. `waits` where that withholds
    more until its owner accepts it; `asks` is what the file asks, or less by the author's hand.
    """

    fragment_id: str
    asks: Exposure
    file_exposure: Exposure
    label: str = field(repr=False)
    live: Shown | None
    waits: bool
    has_vector: bool


@dataclass(frozen=True, slots=True)
class LayerCount:
    """How much of one layer is stored, with its fragments by what they ask for."""

    raw: Raw
    entities: int
    fragments: int
    asks: Mapping[Exposure, int]


@dataclass(frozen=True, slots=True)
class KeptRun:
    """The last run of a job. `report` is what it kept: ids, reasons and counts."""

    job: str
    outcome: str
    finished_at: datetime
    report: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ArchiveCounts:
    """How an archive stands: what is stored, gists by their state, what a build lacks or withholds,
    and the last run of each job.
    """

    layers: tuple[LayerCount, ...]
    gists: Mapping[str, int]
    lacking_vectors: int
    awaiting: int
    runs: tuple[KeptRun, ...]


@dataclass(frozen=True, slots=True)
class PostgresTravelStore:
    """One archive, over a pool of the build role. A method is one transaction, `counts` two."""

    pool: Pool
    archive_id: int

    def counts(self, space: EmbeddingSpace) -> ArchiveCounts:
        """Figures of this moment; raises Unavailable."""
        with transaction(self.pool, self.archive_id) as connection:
            stored = dict_rows(connection, "travel", "archive_counts")
            states = dict_rows(connection, "travel", "gist_states")
            lacking = dict_rows(connection, "build", "lacking_vectors", space_id=space.space_id)
            awaiting = dict_rows(connection, "travel", "awaiting_count")
        return ArchiveCounts(
            layers=tuple(LayerCount(**row) for row in stored),
            gists={row["state"]: row["fragments"] for row in states},
            lacking_vectors=lacking[0]["count"],
            awaiting=awaiting[0]["fragments"],
            runs=self.runs(),
        )

    def runs(self) -> tuple[KeptRun, ...]:
        """The last run of each job, by its name."""
        with transaction(self.pool, self.archive_id) as connection:
            return tuple(
                KeptRun(**row) for row in dict_rows(connection, "travel", "last_of_each_job")
            )

    def entities(self, after: str, words: str, most: int) -> tuple[EntityLine, ...]:
        """At most so many after an id, in id order; those whose id or title holds `words`."""
        asked = {"after": after, "words": words, "most": most}
        with transaction(self.pool, self.archive_id) as connection:
            return tuple(
                _entity_line(row)
                for row in dict_rows(connection, "travel", "entities_page", **asked)
            )

    def entity(self, entity_id: str) -> EntityLine | None:
        """One entity, without counts; None where none has the id."""
        with transaction(self.pool, self.archive_id) as connection:
            found = dict_rows(connection, "travel", "one_entity", entity_id=entity_id)
        return next((_entity_line(row) for row in found), None)

    def checked_part(self, entity_id: str) -> tuple[StoredEntity, ...]:
        """The entity with all its fragments, where a build would check it; else nothing."""
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "travel", "entity_to_check", entity_id=entity_id)
            return tuple(with_fragments(connection, rows))

    def fragments(
        self, entity_id: str, after: str, most: int, space: EmbeddingSpace
    ) -> tuple[FragmentLine, ...]:
        """At most so many fragments of an entity after an id, in id order."""
        asked = {"entity_id": entity_id, "after": after, "most": most, "space_id": space.space_id}
        with transaction(self.pool, self.archive_id) as connection:
            found = dict_rows(connection, "travel", "fragments_page", **asked)
        return tuple(_fragment_line(row) for row in found)


def _entity_line(row: Row) -> EntityLine:
    return EntityLine(
        row["entity_id"], row["raw"], row["title"], row["url"], dict(row["asks"] or {})
    )


def _fragment_line(row: Row) -> FragmentLine:
    return FragmentLine(
        fragment_id=row["fragment_id"],
        asks=row["asks"],
        file_exposure=row["file_exposure"],
        label=row["label"],
        live=shown_from(row["live_raw"], row["live_exposure"]),
        waits=row["waits"],
        has_vector=row["has_vector"],
    )
