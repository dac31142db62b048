"""Who made an entity, or who speaks in a fragment (R005)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from fonds.contract.failures import MisauthoredInput
from fonds.contract.identifier import Identifier
from fonds.contract.sealed import sealed

Placeholder: TypeAlias = Literal["unnamed", "unverified"]


@sealed
@dataclass(frozen=True, slots=True)
class Attribution:
    """A creator or a speaker. With `placeholder` set it is not a person and matches no name."""

    name: str = field(repr=False)
    role: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    placeholder: Placeholder | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise MisauthoredInput("attribution.name: a non-empty string is needed")
        if self.role is not None and not self.role.strip():
            raise MisauthoredInput("attribution.role: a non-empty string is needed")
        if self.placeholder is not None and self.placeholder not in get_args(Placeholder):
            raise MisauthoredInput("attribution.placeholder: unnamed or unverified")
