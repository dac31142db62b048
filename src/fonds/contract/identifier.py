"""A catalogue number on an entity or a person (R003)."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.contract.failures import MisauthoredInput
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class Identifier:
    """`scheme` is open (isbn, isrc, doi, orcid, url, ...); both parts are non-empty."""

    scheme: str
    value: str

    def __post_init__(self) -> None:
        for field, content in (("scheme", self.scheme), ("value", self.value)):
            if not isinstance(content, str) or not content.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
                raise MisauthoredInput(f"identifiers.{field}: a non-empty string is needed")
