"""An identifiable thing in the archive (R006)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.contract.attribution import Attribution
from fonds.contract.date_interval import date_interval
from fonds.contract.disclosure import Disclosure
from fonds.contract.failures import MisauthoredInput
from fonds.contract.identifier import Identifier
from fonds.contract.sealed import sealed

DEFAULT_NGRAM_WORDS = 5  # R061: four trips on function words, three is unusable
DEFAULT_NGRAM_CHARS = 12  # R062: about five words of a script without spaces
DEFAULT_GIST_MAX_CHARS = 400  # R063


@sealed
@dataclass(frozen=True, slots=True)
class LintWindow:
    """How long a shared run may not be, for both lints of one entity (R068)."""

    ngram_words: int = DEFAULT_NGRAM_WORDS
    ngram_chars: int = DEFAULT_NGRAM_CHARS
    gist_max_chars: int = DEFAULT_GIST_MAX_CHARS

    def __post_init__(self) -> None:
        for name, value in (
            ("ngramWords", self.ngram_words),
            ("ngramChars", self.ngram_chars),
            ("gistMaxChars", self.gist_max_chars),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise MisauthoredInput(f"policy.lint.{name}: a positive integer is needed")


@sealed
@dataclass(frozen=True, slots=True)
class Policy:
    """The owner's terms for one entity. Never served (R092)."""

    require_review: bool = False
    public_title: bool = False
    lint: LintWindow = field(default_factory=LintWindow)


@sealed
@dataclass(frozen=True, slots=True)
class Entity:
    """A described thing; `disclosure` is its fragments' default, `url` its accountable surface."""

    entity_id: str
    type: str
    title: str = field(repr=False)
    url: str
    disclosure: Disclosure
    attribution: tuple[Attribution, ...] = ()
    date: str | None = None
    version: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    parent: str | None = None
    themes: tuple[str, ...] = field(default=(), repr=False)
    policy: Policy = field(default_factory=Policy)

    def __post_init__(self) -> None:
        for name, content in (
            ("id", self.entity_id),
            ("type", self.type),
            ("title", self.title),
            ("url", self.url),
        ):
            if not isinstance(content, str) or not content.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
                raise MisauthoredInput(f"{name}: a non-empty string is needed")
        if self.date is not None:
            date_interval(self.date)

    @property
    def slug(self) -> str:
        return slug_of(self.entity_id)


def slug_of(entity_id: str) -> str:
    """Everything after the first colon; an id without one is its own slug (R006)."""
    return entity_id.partition(":")[2] if ":" in entity_id else entity_id
