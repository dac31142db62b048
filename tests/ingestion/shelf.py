"""Gists of one book in memory, for what decides over them; the database keeps its own tests."""

from __future__ import annotations

from dataclasses import replace

from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.disclosure import Exposure
from fonds.contract.embed_string import content_hash
from fonds.contract.entity import LintWindow, Policy
from fonds.contract.projection import SemanticProjection
from tests.factories import PRIVATE_TEXT, a_fragment, an_entity, chapter

LAMP = "A lamp that nobody ever lit stood in the window."


def a_part(
    projection: SemanticProjection | None = None,
    *,
    text: str = PRIVATE_TEXT,
    number: int = 1,
    exposure: Exposure = "semantic",
) -> StoredFragment:
    """A chapter; its projection is given the chapter's id."""
    fragment = a_fragment(place=chapter(number), text=text, exposure=exposure)
    if projection is not None:
        base = replace(projection.base, fragment_id=fragment.fragment_id)
        projection = replace(projection, base=base)
    return StoredFragment(fragment.fragment_id, fragment, content_hash(text), projection)


def a_book(*parts: StoredFragment, window: LintWindow | None = None) -> StoredEntity:
    policy = Policy(lint=window or LintWindow())
    return StoredEntity(an_entity(policy=policy), parts or (a_part(),))
