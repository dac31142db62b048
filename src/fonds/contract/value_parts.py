"""A value taken apart for a digest. A repr is none to make one of: it leaves words out (R013)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Final, cast

from fonds.contract.sealed import field_values


def value_parts(value: object) -> object:
    """Every field of a value and of what it holds, those a repr leaves out as well."""
    if value is None or isinstance(value, (str, int)):
        return value
    if is_dataclass(value):
        cls = type(value)
        return (cls.__name__, *map(value_parts, _values_of(cls)(value)))
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return sorted((repr(name), repr(value_parts(held))) for name, held in pairs)
    if isinstance(value, (list, tuple)):
        return tuple(value_parts(one) for one in cast("list[object]", value))
    return value


_values_of: Final = cache(field_values)
