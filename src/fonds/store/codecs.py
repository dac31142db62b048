"""JSON columns to contract values and back. The one place that knows their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fonds.contract.attribution import Attribution
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator, Place

Json = Mapping[str, Any]


def identifiers_from(rows: Sequence[Json]) -> tuple[Identifier, ...]:
    return tuple(Identifier(row["scheme"], row["value"]) for row in rows)


def attribution_from(rows: Sequence[Json]) -> tuple[Attribution, ...]:
    return tuple(
        Attribution(
            row["name"],
            row.get("role"),
            identifiers_from(row.get("identifiers", ())),
            row.get("placeholder"),
        )
        for row in rows
    )


def place_from(rows: Sequence[Json]) -> Place:
    return tuple(Locator(row["scheme"], row["value"], row.get("end")) for row in rows)


def identifiers_json(identifiers: Sequence[Identifier]) -> list[dict[str, Any]]:
    return [{"scheme": item.scheme, "value": item.value} for item in identifiers]


def attribution_json(attribution: Sequence[Attribution]) -> list[dict[str, Any]]:
    return [_attribution_row(person) for person in attribution]


def place_json(place: Place) -> list[dict[str, Any]]:
    return [
        {"scheme": step.scheme, "value": step.value}
        | ({} if step.end is None else {"end": step.end})
        for step in place
    ]


def _attribution_row(person: Attribution) -> dict[str, Any]:
    row: dict[str, Any] = {"name": person.name}
    if person.role is not None:
        row["role"] = person.role
    if person.identifiers:
        row["identifiers"] = identifiers_json(person.identifiers)
    if person.placeholder is not None:
        row["placeholder"] = person.placeholder
    return row
