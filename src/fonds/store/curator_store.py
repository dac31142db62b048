"""Projections as the curator role writes them (R084)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection

from fonds.contract.build_store import StoredEntity
from fonds.contract.curator_store import HeldGist
from fonds.contract.projection import PassedProjection, SemanticProjection
from fonds.store.build_rows import projection_from
from fonds.store.pools import Pool, transaction
from fonds.store.statements import dict_rows, statements
from fonds.store.stored_entities import with_fragments


@dataclass(frozen=True, slots=True)
class PostgresCuratorStore:
    """One archive's projections, over a pool of the curator role."""

    pool: Pool
    archive_id: int

    def entities_of(self, fragment_ids: Sequence[str]) -> Iterator[StoredEntity]:
        with transaction(self.pool, self.archive_id) as connection:
            entities = dict_rows(
                connection, "curator", "entities_of", fragment_ids=list(fragment_ids)
            )
            yield from with_fragments(connection, entities)

    def entities_to_lint(self) -> Iterator[StoredEntity]:
        with transaction(self.pool, self.archive_id) as connection:
            entities = dict_rows(connection, "build", "entities_to_check")
            yield from with_fragments(connection, entities)

    def held_gists(self, fragment_ids: Sequence[str] | None = None) -> Sequence[HeldGist]:
        wanted = None if fragment_ids is None else list(fragment_ids)
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("curator")["plan_for_listing"])
            found = dict_rows(connection, "curator", "held_gists", fragment_ids=wanted)
        return tuple(
            HeldGist(
                row["fragment_id"], row["exposure"], row["require_review"], projection_from(row)
            )
            for row in found
        )

    def write_projections(self, projections: Sequence[SemanticProjection]) -> int:
        with transaction(self.pool, self.archive_id) as connection:
            return sum(_written(connection, one) for one in projections)

    def write_noted(self, projections: Sequence[SemanticProjection], action: str) -> int:
        with transaction(self.pool, self.archive_id) as connection:
            changed = [one for one in projections if _written(connection, one)]
            for one in changed:
                noted = {"action": action, "subject": one.base.fragment_id}
                connection.execute(statements("curator")["note_action"], noted)
            return len(changed)

    def write_drafted(self, projection: SemanticProjection) -> bool:
        with transaction(self.pool, self.archive_id) as connection:
            return _written(connection, projection, drafted=True) > 0


def _written(
    connection: Connection[Any], projection: SemanticProjection, *, drafted: bool = False
) -> int:
    values = _values(projection) | {"drafted": drafted}
    return connection.execute(statements("curator")["write_projection"], values).rowcount


def _values(projection: SemanticProjection) -> dict[str, object]:
    base = projection.base
    passed = isinstance(projection, PassedProjection)
    return {
        "fragment_id": base.fragment_id,
        "source": base.source,
        "review": base.review,
        "vetoed": base.vetoed,
        "stale": base.stale,
        "lint": projection.lint,
        "gist": projection.gist if passed else None,
        "draft": None if passed else projection.draft,
        "content_hash": base.content_hash,
        "model": base.model,
        "prompt_version": base.prompt_version,
        "generated_at": base.generated_at,
    }
