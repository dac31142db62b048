"""What makes an event an event: every field is checked against its annotation when it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from fonds.observing.vocabulary import Shape

Mark: TypeAlias = str | int | float | bool | None
"""What a field may hold at all."""
Check: TypeAlias = Callable[[object], bool]
LARGEST = 2**63


class Event:
    """The base of every event; its subclasses are frozen dataclasses.

    Types erase: what a type checker let through, or never saw, is refused when the event is made,
    by the names of event and field. Raises ValueError.
    """

    __slots__ = ()
    name: ClassVar[str]

    def __post_init__(self) -> None:
        for field, check in _checks(type(self)).items():
            if not check(getattr(self, field)):
                raise ValueError(f"{type(self).__name__}.{field}: not of its vocabulary")

    def marks(self) -> dict[str, Mark]:
        """Its fields by name, in their order."""
        return {name: getattr(self, name) for name in _checks(type(self))}


@cache
def _checks(cls: type[Event]) -> dict[str, Check]:
    hints = get_type_hints(cls, include_extras=True)
    return {field.name: check_of(hints[field.name]) for field in fields(cls)}  # pyright: ignore[reportArgumentType]


def check_of(annotation: Any) -> Check:  # noqa: ANN401 - an annotation is of no one type
    """The check an annotation stands for; TypeError for one that would let text in."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _one_of(frozenset(parts))
    if origin in (Union, UnionType):
        return _any_of([check_of(part) for part in parts])
    shapes = [part for part in getattr(annotation, "__metadata__", ()) if isinstance(part, Shape)]
    if len(shapes) == 1:
        return _of_shape(shapes[0])
    if annotation in (int, float, bool, NoneType):
        return _PLAIN[annotation]
    raise TypeError(f"{annotation}: an event holds numbers, closed words and shaped ids")


def _one_of(words: frozenset[object]) -> Check:
    return lambda value: isinstance(value, str) and value in words


def _any_of(checks: list[Check]) -> Check:
    first, *others = checks
    if not others:
        return first
    other = _any_of(others)
    return lambda value: first(value) or other(value)


def _of_shape(shape: Shape) -> Check:
    return lambda value: isinstance(value, str) and shape.fits(value)


def _is_count(value: object) -> bool:
    return type(value) is int and -LARGEST <= value < LARGEST


def _is_measure(value: object) -> bool:
    return (type(value) is float and isfinite(value)) or _is_count(value)


_PLAIN: dict[Any, Check] = {
    int: _is_count,
    float: _is_measure,
    bool: lambda value: type(value) is bool,
    NoneType: lambda value: value is None,
}
