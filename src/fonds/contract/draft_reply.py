"""What a drafter is asked, and every way it can answer, as values (R081)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from fonds.contract.sealed import sealed
from fonds.contract.writer_reply import NotWritten


@sealed
@dataclass(frozen=True, slots=True)
class DraftTask:
    """`instructions` and `prompt` are sent; the id stays here."""

    fragment_id: str
    instructions: str = field(repr=False)
    prompt: str = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class Drafted:
    """Words of the agreed shape, believed only after the gist lint."""

    gist: str = field(repr=False)


DraftReply: TypeAlias = Drafted | NotWritten
