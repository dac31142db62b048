"""Keeps frozen values legal on the roads around their constructor: copies, pickles (R013)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import NoReturn, TypeVar

Value = TypeVar("Value")


def sealed(cls: type[Value]) -> type[Value]:
    """Make copies and unpickled instances of a frozen dataclass run its constructor.

    Stands above `@dataclass(frozen=True, slots=True)`. A pickle that was edited by hand to hold an
    illegal value fails like a constructor call with that value.
    """

    values = field_values(cls)

    def rebuild(self: object) -> tuple[type[Value], tuple[object, ...]]:
        return cls, values(self)

    def refuse_state(self: object, state: object) -> NoReturn:
        raise TypeError(f"{cls.__name__} is rebuilt by its constructor")

    setattr(cls, "__reduce__", rebuild)  # noqa: B010
    setattr(cls, "__setstate__", refuse_state)  # noqa: B010
    return cls


def field_values(cls: type) -> Callable[[object], tuple[object, ...]]:
    """What gives the values of all fields of an instance of this dataclass, in their order."""
    names = [field.name for field in fields(cls)]
    if len(names) > 1:
        return attrgetter(*names)  # in C: a reply of ten hits has some fifty values
    return lambda value: tuple(getattr(value, name) for name in names)
