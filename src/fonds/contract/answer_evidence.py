"""What a writer may see: quotable records and hints that only point (R140)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.contract.disclosure import Raw
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """A public passage, quotable. `body` is cut to what is shown; checks run on the same words."""

    record_id: str
    type: str
    slug: str = field(repr=False)
    title: str = field(repr=False)
    url: str
    body: str = field(repr=False)
    summary: str = field(default="", repr=False)
    themes: tuple[str, ...] = field(default=(), repr=False)
    date: str | None = None
    score: float = 0.0


@sealed
@dataclass(frozen=True, slots=True)
class AnswerHint:
    """A place that bears on the question. No field can hold text or a gist."""

    hint_id: str
    label: str = field(repr=False)
    locator: str = field(repr=False)
    url: str
    score: float = 0.0


@sealed
@dataclass(frozen=True, slots=True)
class HintDescription:
    """What the related-material template may say of a hint (R148). Never handed to a writer."""

    title: str = field(repr=False)
    locator: str = field(repr=False)
    creators: tuple[str, ...] = field(default=(), repr=False)
    version: str | None = None
    gist: str | None = field(default=None, repr=False)
    raw: Raw = "private"


@sealed
@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """One request's evidence, best first."""

    records: tuple[AnswerRecord, ...] = ()
    hints: tuple[AnswerHint, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.records and not self.hints
