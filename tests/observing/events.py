"""One lawful value for each kind of field an event may have, and events made of them."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from fonds.observing.checked import Event, Mark
from fonds.observing.vocabulary import LoggerName, Place, RequestId, Slug, TypeName

SHAPED: dict[object, str] = {
    RequestId: "0123456789abcdef0123456789abcdef",
    Slug: "example",
    TypeName: "ValueError",
    Place: "ask.py:12",
    LoggerName: "psycopg.pool",
}


def annotations_of(kind: type[Event]) -> dict[str, object]:
    """Its fields with what they may hold."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: hints[one.name] for one in fields(kind)}  # pyright: ignore[reportArgumentType]


def lawful(annotation: Any) -> Mark:  # noqa: ANN401 - an annotation is of no one type
    """A value the annotation allows."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    if annotation in (int, float, bool):
        return annotation(1)
    if get_origin(annotation) is Annotated:
        return SHAPED[annotation]
    return lawful(get_args(annotation)[0])


def lawful_event(kind: type[Event], /, **instead: object) -> Event:
    """An event with every field set, but for what is given instead."""
    values = {name: lawful(annotation) for name, annotation in annotations_of(kind).items()}
    return kind(**{**values, **instead})
