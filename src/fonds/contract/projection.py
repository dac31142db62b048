"""The stored description of a fragment: proposed by the system, authorised by the author (R008)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from fonds.contract.failures import MisauthoredInput
from fonds.contract.sealed import sealed

GistSource: TypeAlias = Literal["generated", "edited"]
GistReview: TypeAlias = Literal["unreviewed", "reviewed"]


@sealed
@dataclass(frozen=True, slots=True)
class ProjectionBase:
    """What both arms carry. `content_hash` is of the fragment text the gist describes (R042)."""

    fragment_id: str
    source: GistSource
    review: GistReview
    content_hash: str
    vetoed: bool = False
    stale: bool = False
    model: str | None = None
    prompt_version: str | None = None
    generated_at: str | None = None

    def __post_init__(self) -> None:
        if self.source not in get_args(GistSource):
            raise MisauthoredInput("projection.source: generated or edited")
        if self.review not in get_args(GistReview):
            raise MisauthoredInput("projection.review: unreviewed or reviewed")


@sealed
@dataclass(frozen=True, slots=True)
class PassedProjection:
    """The lint passed when this was stored. `gist` is a claim of the row, no verdict (R091 j)."""

    base: ProjectionBase
    gist: str = field(repr=False)

    @property
    def lint(self) -> Literal["passed"]:
        return "passed"


@sealed
@dataclass(frozen=True, slots=True)
class FailedProjection:
    """The lint failed; the last words stay as a draft for the author alone."""

    base: ProjectionBase
    draft: str = field(repr=False)

    @property
    def lint(self) -> Literal["failed"]:
        return "failed"


SemanticProjection: TypeAlias = PassedProjection | FailedProjection
