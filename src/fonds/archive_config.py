"""One archive as its owner describes it: what `archive_file` reads (R195)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fonds.archive_toml import (
    Annotations,
    AnswerProvider,
    DateFrom,
    DateOrder,
    EmbeddingProvider,
    MappedField,
    PageFormat,
    ReasoningEffort,
    Shape,
    TitleFrom,
    WhenStale,
)
from fonds.contract.allowances import Allowances
from fonds.contract.calibration import ConformalRule
from fonds.contract.disclosure import Exposure
from fonds.contract.entity import LintWindow
from fonds.contract.fragment_change import Widen
from fonds.cron_line import CronLine


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder of public records. `dir` is as written, `path` is where it is."""

    dir: str = field(repr=False)
    path: Path = field(repr=False)
    url_prefix: str
    type: str
    exposure: Exposure = "text"
    shape: Shape = "whole"
    formats: tuple[PageFormat, ...] = ("md", "mdx")
    fields: tuple[tuple[MappedField, str], ...] = ()
    date_from: DateFrom | None = None
    date_order: DateOrder | None = None
    title_from: TitleFrom | None = None
    encoding: str | None = None
    annotations: Annotations | None = None


@dataclass(frozen=True, slots=True)
class PrivateFolder:
    """A folder of private material. `dir` is as written, `path` is where it is."""

    dir: str = field(repr=False)
    path: Path = field(repr=False)
    encoding: str | None = None
    annotations: Annotations | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingChoice:
    """The space asked for; None leaves a part to the provider's default."""

    provider: EmbeddingProvider = "local"
    model: str | None = None
    dimensions: int | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """The writer asked for; with no provider named, a key decides."""

    provider: AnswerProvider | None = None
    model: str | None = None
    reasoning_effort: ReasoningEffort | None = None


@dataclass(frozen=True, slots=True)
class FloorChoice:
    """Floors that stand above the space's own (R102)."""

    score: float | None = None
    coverage: float | None = None


@dataclass(frozen=True, slots=True)
class GateChoice:
    """The gate asked for (R168); a stale calibration refuses unless the owner says otherwise."""

    enabled: bool = True
    alpha: float = 0.05
    rule: ConformalRule = "plain"
    when_stale: WhenStale = "refuse"


@dataclass(frozen=True, slots=True)
class GistChoice:
    """Who drafts gists, and which proper names those of an entity may use; without any, none."""

    model: str | None = None
    allowed_names: Mapping[str, tuple[str, ...]] = field(
        repr=False, default_factory=dict[str, tuple[str, ...]]
    )


@dataclass(frozen=True, slots=True)
class RetrievalChoice:
    """How retrieval is tuned; None leaves the default."""

    theme_cap: int | None = None
    boosts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ArchiveConfig:
    """One archive as its owner describes it. Paths are absolute; folders need not exist yet."""

    file: Path
    name: str
    author: str
    base_url: str
    slug: str
    collections: tuple[Collection, ...] = ()
    private_notes: PrivateFolder | None = None
    private_books: PrivateFolder | None = None
    transcripts: PrivateFolder | None = None
    default_creators: tuple[str, ...] = field(default=(), repr=False)
    ignore_keys: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    embedding: EmbeddingChoice = field(default_factory=EmbeddingChoice)
    answer: AnswerChoice = field(default_factory=AnswerChoice)
    floors: FloorChoice = field(default_factory=FloorChoice)
    lint: LintWindow = field(default_factory=LintWindow)
    retrieval: RetrievalChoice = field(default_factory=RetrievalChoice)
    gist: GistChoice = field(default_factory=GistChoice)
    gate: GateChoice = field(default_factory=GateChoice)
    gold: Path | None = None
    canaries: Path | None = None
    calibration: Path | None = None
    admit: bool = False
    gists: Path | None = None
    question_days: int | None = None  # how long a refused question is kept; None: never
    widen: Widen = "public"
    schedule: tuple[tuple[str, CronLine], ...] = ()  # job and when, for a worker
    confined: bool = False  # hosted: a folder that leads out of the file's own is refused
    allowances: Allowances = field(default_factory=Allowances)

    @property
    def has_folders(self) -> bool:
        """Whether any folder is named: an archive may live from the sources of other packages."""
        return bool(
            self.collections or self.private_notes or self.private_books or self.transcripts
        )
