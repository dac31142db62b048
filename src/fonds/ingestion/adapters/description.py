"""What an adapter makes of one file, and the last checks every kind has in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fonds.contract.disclosure import Exposure, disclosure
from fonds.contract.embed_string import MAX_EMBED_BYTES
from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment
from fonds.contract.locator import locator_key
from fonds.ingestion.fields import Fields
from fonds.ingestion.fragmenting import MAX_FRAGMENTS

MAX_ID_BYTES = 1000  # an index entry of the database ends at 2,704 bytes
_GROUND = 2000  # bytes that title, summary, themes and trail may take of what is embedded


@dataclass(frozen=True, slots=True)
class Description:
    """An entity with its fragments; `remark` tells the author what a reader of it will miss."""

    entity: Entity
    fragments: tuple[Fragment, ...] = field(repr=False)
    remark: str | None = None


def described(
    entity: Entity, fragments: Sequence[Fragment], fields: Fields, *, remedy: str
) -> Description:
    """Applies the file's `exposures` and checks what fragments of any kind have to keep.

    Raises MisauthoredFile for a key that names no fragment, two fragments of one id, and ids that
    are too long (R024, R027).
    """
    overrides = fields.exposures(entity.disclosure.raw)
    if len(fragments) > MAX_FRAGMENTS:
        fields.refuse("body", f"more than {MAX_FRAGMENTS} fragments: split the file")
    finished = tuple(_overridden(fragment, overrides) for fragment in fragments)
    _check_overrides(finished, overrides, fields)
    seen: dict[str, int] = {}
    for position, fragment in enumerate(finished, start=1):
        if len(fragment.fragment_id.encode()) > MAX_ID_BYTES:
            fields.refuse("locator", f"piece {position} has a locator that is too long")
        if (first := seen.setdefault(fragment.fragment_id, position)) != position:
            # The reader sees the scheme alone: a heading is private, and so may a page label be.
            scheme = fragment.place[-1].scheme
            fields.refuse(
                "body",
                f"pieces {first} and {position} of {len(finished)} share a '{scheme}' locator",
            )
    longest = max(len(fragment.text.encode()) for fragment in finished)
    remark = None
    if longest > MAX_EMBED_BYTES - _GROUND:
        remark = f"only the first 24 KiB of a fragment are found by search: {remedy}"
    return Description(entity, finished, remark)


def _overridden(fragment: Fragment, overrides: Mapping[str, Exposure]) -> Fragment:
    exposure = overrides.get(locator_key(fragment.place))
    if exposure is None:
        return fragment
    return replace(fragment, disclosure=disclosure(fragment.disclosure.raw, exposure))


def _check_overrides(
    fragments: Sequence[Fragment], overrides: Mapping[str, Exposure], fields: Fields
) -> None:
    keys = {locator_key(fragment.place) for fragment in fragments}
    for position, name in enumerate(overrides):
        if name not in keys:
            fields.refuse(f"exposures[{position}]", "names no fragment of this file")
