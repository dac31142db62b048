"""Who asks over the wire, as far as a limit has to tell one caller from another (R187)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fonds.contract.sealed import sealed

CallerKind: TypeAlias = Literal["key", "address", "local"]


@sealed
@dataclass(frozen=True, slots=True)
class Caller:
    """One caller of one archive.

    `identity` tells callers of a kind apart: a key's id, or a client address as text, of IPv6 its
    /64 (`client_address.caller_at`). `network` is the wider net of an address (the /48 of IPv6),
    counted beside it; None where there is none.
    `local` is the owner at the machine itself, whom no limit counts.
    """

    kind: CallerKind
    identity: str = field(repr=False)
    network: str | None = field(default=None, repr=False)
