"""Projections as the curator role writes them (R084)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection

from fonds.contract.build_store import StoredEntity
from fonds.contract.curator_store import HeldFragment, HeldGist, SeenWrite
from fonds.contract.gist_pile import GistPile
from fonds.contract.imprint import imprint as imprint_of
from fonds.contract.projection import PassedProjection, SemanticProjection
from fonds.store.build_rows import fragment_from, projection_from
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

    def fragment_held(self, fragment_id: str) -> HeldFragment | None:
        with transaction(self.pool, self.archive_id) as connection:
            found = dict_rows(connection, "curator", "fragment_held", fragment_id=fragment_id)
        return HeldFragment(fragment_from(found[0]), found[0]["imprint"]) if found else None

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
            return sum(_noted(connection, one, action) for one in projections)

    def write_seen(self, projection: SemanticProjection, action: str, imprint: str) -> SeenWrite:
        with transaction(self.pool, self.archive_id) as connection:
            named = {"fragment_id": projection.base.fragment_id}
            connection.execute(statements("curator")["hold_gist"], named)
            found = dict_rows(connection, "curator", "gist_as_it_stands", **named)
            stands = [imprint_of(r["text_hash"], r["exposure"], projection_from(r)) for r in found]
            if stands != [imprint]:
                return "moved"
            return "written" if _noted(connection, projection, action) else "unchanged"

    def is_entity_served(self, entity_id: str) -> bool:
        with transaction(self.pool, self.archive_id) as connection:
            return bool(dict_rows(connection, "curator", "entity_served", entity_id=entity_id))

    def gists_after(self, pile: GistPile, fragment_id: str, most: int) -> Sequence[str]:
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("curator")["plan_for_piles"])
            values = {"pile": pile, "after": fragment_id, "most": most}
            found = dict_rows(connection, "curator", "gists_after", **values)
        return [row["fragment_id"] for row in found]

    def gist_before(self, pile: GistPile, fragment_id: str) -> str | None:
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("curator")["plan_for_piles"])
            found = dict_rows(connection, "curator", "gist_before", pile=pile, before=fragment_id)
        return found[0]["fragment_id"] if found else None

    def pile_counts(self, most: int) -> Mapping[GistPile, int | None]:
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("curator")["plan_for_piles"])
            found = dict_rows(connection, "curator", "pile_counts", most=most)
        return {row["pile"]: row["gists"] for row in found}

    def write_drafted(self, projection: SemanticProjection) -> bool:
        with transaction(self.pool, self.archive_id) as connection:
            return _written(connection, projection, drafted=True) > 0


def _noted(connection: Connection[Any], projection: SemanticProjection, action: str) -> bool:
    """Whether the row changed, which the audit then has."""
    changed = _written(connection, projection) > 0
    if changed:
        noted = {"action": action, "subject": projection.base.fragment_id}
        connection.execute(statements("curator")["note_action"], noted)
    return changed


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
