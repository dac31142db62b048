"""A string that a build would serve, as the canary sweep looks at it (R182)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fonds.contract.sealed import sealed

SweptKind: TypeAlias = Literal[
    "gist",
    "title",
    "label",
    "name",
    "theme",
    "version",
    "id",
    "url",
    "type",
    "identifier",
    "locator",
]


@sealed
@dataclass(frozen=True, slots=True)
class SweptString:
    """`owner_id` is the fragment or entity it belongs to.

    Every served gist, and of private entities whatever is shown: titles, labels, names with roles,
    themes, versions, types, identifiers, locators, addresses, and the ids themselves.
    """

    owner_id: str
    entity_id: str
    kind: SweptKind
    text: str = field(repr=False)
