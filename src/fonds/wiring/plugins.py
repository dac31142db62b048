"""What other packages bring, by entry point: sources of material and boosts (R113, R120)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from typing import TypeAlias, cast

from fonds.archive_config import ArchiveConfig
from fonds.contract.entity import Entity
from fonds.contract.failures import Misconfigured
from fonds.contract.fragment import Fragment
from fonds.retrieval.boosts import Boost

SOURCES_GROUP = "fonds.sources"
BOOSTS_GROUP = "fonds.boosts"

Pair: TypeAlias = tuple[Entity, Fragment]
PairsOf: TypeAlias = Callable[[ArchiveConfig], Iterable[Pair]]
"""A source: called with the archive's file, gives every pair it stands for, each time anew."""


def consumer_source(name: str) -> PairsOf:
    """The source an archive file names under `sources`; raises Misconfigured when none is
    installed.
    """
    return cast("PairsOf", _loaded(SOURCES_GROUP, name, "sources"))


def consumer_boost(name: str, built_in: Iterable[str]) -> Boost:
    """The boost an archive file names under `[retrieval] boosts`, made by its entry point.

    Raises Misconfigured with the names that are known when none is installed, and for one that
    cannot be made.
    """
    field = "retrieval.boosts"
    make = cast("Callable[[], Boost]", _loaded(BOOSTS_GROUP, name, field, built_in))
    try:
        return make()
    except Exception as trouble:  # another package's code, whose words are not ours to repeat
        raise _unusable(field, name, trouble) from None


def _loaded(group: str, name: str, field: str, built_in: Iterable[str] = ()) -> object:
    found = next(iter(entry_points(group=group, name=name)), None)
    if found is None:
        offered = sorted(point.name for point in entry_points(group=group))
        known = ", ".join((*built_in, *offered)) or "none"
        raise Misconfigured(f"{field}: no installed package offers '{name}' (offered: {known})")
    try:
        return found.load()
    except Exception as trouble:
        raise _unusable(field, name, trouble) from None


def _unusable(field: str, name: str, trouble: Exception) -> Misconfigured:
    kind = type(trouble).__name__
    return Misconfigured(f"{field}: '{name}' is installed and fails ({kind}): mend its package")
