"""The policy of a fragment: whether its source is public, and how much of it may travel (R001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, final, get_args

from fonds.contract.failures import IllegalDisclosure
from fonds.contract.sealed import sealed

Raw: TypeAlias = Literal["public", "private"]
Exposure: TypeAlias = Literal["text", "semantic", "locator", "none"]
PrivateExposure: TypeAlias = Literal["semantic", "locator", "none"]
ServedExposure: TypeAlias = Literal["text", "semantic", "locator"]
# Each list once: asking a type for its words costs more than looking one up, and every hit asks.
RAWS: Final[tuple[str, ...]] = get_args(Raw)
EXPOSURES: Final[tuple[str, ...]] = get_args(Exposure)
PRIVATE_EXPOSURES: Final[tuple[str, ...]] = get_args(PrivateExposure)
SERVED_EXPOSURES: Final[tuple[str, ...]] = get_args(ServedExposure)

STRICTNESS: dict[str, int] = {"text": 0, "semantic": 1, "locator": 2, "none": 3}


@final
@sealed
@dataclass(frozen=True, slots=True)
class PublicDisclosure:
    """Published material: quoted, described, located or withheld."""

    exposure: Exposure

    def __post_init__(self) -> None:
        if self.exposure not in EXPOSURES:
            raise IllegalDisclosure("exposure: one of text, semantic, locator, none")

    @property
    def raw(self) -> Literal["public"]:
        return "public"


@final
@sealed
@dataclass(frozen=True, slots=True)
class PrivateDisclosure:
    """Unpublished material: described, located or withheld, never quoted."""

    exposure: PrivateExposure

    def __post_init__(self) -> None:
        if self.exposure not in PRIVATE_EXPOSURES:
            raise IllegalDisclosure("exposure: private material is described, located or withheld")

    @property
    def raw(self) -> Literal["private"]:
        return "private"


Disclosure: TypeAlias = PublicDisclosure | PrivateDisclosure


def disclosure(raw: Raw, exposure: Exposure) -> Disclosure:
    """The legal cell for two words read from a file or a row.

    Raises IllegalDisclosure for an eighth cell, without either word in the message.
    """
    match raw:
        case "public":
            return PublicDisclosure(exposure)
        case "private":
            if exposure == "text":
                raise IllegalDisclosure(
                    "exposure: private material is described, located or withheld"
                )
            return PrivateDisclosure(exposure)
        case _:
            raise IllegalDisclosure("raw: public or private")
