"""Keeps frozen values legal on the roads around their constructor: copies, pickles (R013)."""

from __future__ import annotations

from dataclasses import fields
from typing import NoReturn, TypeVar

Value = TypeVar("Value")


def sealed(cls: type[Value]) -> type[Value]:
    """Make copies and unpickled instances of a frozen dataclass run its constructor.

    Stands above `@dataclass(frozen=True, slots=True)`. A pickle that was edited by hand to hold an
    illegal value fails like a constructor call with that value.
    """

    def rebuild(self: object) -> tuple[type[Value], tuple[object, ...]]:
        names = (field.name for field in fields(cls))  # pyright: ignore[reportArgumentType]
        return cls, tuple(getattr(self, name) for name in names)

    def refuse_state(self: object, state: object) -> NoReturn:
        raise TypeError(f"{cls.__name__} is rebuilt by its constructor")

    setattr(cls, "__reduce__", rebuild)  # noqa: B010
    setattr(cls, "__setstate__", refuse_state)  # noqa: B010
    return cls
