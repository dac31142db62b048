"""The shape of `archive.toml`: which keys there are and what each may hold (R195).

Strict: an unknown key, a value of another type and an empty text are refused by pydantic, whose
messages `archive_file` reduces to key and rule.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from fonds.contract.allowances import Allowances
from fonds.contract.calibration import ConformalRule
from fonds.contract.disclosure import Exposure
from fonds.contract.entity import (
    DEFAULT_GIST_MAX_CHARS,
    DEFAULT_NGRAM_CHARS,
    DEFAULT_NGRAM_WORDS,
)
from fonds.contract.fragment_change import Widen
from fonds.cron_line import CronLine

Shape: TypeAlias = Literal["whole", "guide"]
EmbeddingProvider: TypeAlias = Literal["local", "openai", "hashing"]
ReasoningEffort: TypeAlias = Literal["minimal", "low", "medium", "high"]
MappedField: TypeAlias = Literal[
    "title", "description", "date", "themes", "creators", "identifiers", "version", "parent", "slug"
]
DateFrom: TypeAlias = Literal["name", "path"]
DateOrder: TypeAlias = Literal["ymd", "dmy", "mdy"]
TitleFrom: TypeAlias = Literal["heading", "name"]
Annotations: TypeAlias = Literal["aozora", "templates", "wikilinks"]
PageFormat: TypeAlias = Literal["md", "mdx", "html"]
AnswerProvider: TypeAlias = Literal["openai", "extractive"]
WhenStale: TypeAlias = Literal["refuse", "floors"]

# What a file of text may be in; others of Python's codecs read anything, or read programs.
_ENCODINGS = frozenset(
    codecs.lookup(name).name
    for name in (
        "utf_8 utf_16_le utf_16_be shift_jis shift_jis_2004 cp932 euc_jp euc_jis_2004 iso2022_jp "
        "gb2312 gbk gb18030 big5 big5hkscs cp950 euc_kr cp949 koi8_r koi8_u mac_roman tis_620 "
        "cp437 cp850 cp852 cp866 cp874 "
        + " ".join(f"cp{number}" for number in range(1250, 1259))
        + "".join(f" iso8859_{number}" for number in (*range(1, 12), *range(13, 17)))
    ).split()
)

TYPE_SHAPE = re.compile(r"[A-Za-z0-9_-]+")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


_LIMITS = Allowances()

_Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
_Count = Annotated[int, Field(ge=1)]
_Figure = Annotated[float, Field(ge=-1, le=1)]


def _known_encoding(written: str) -> str:
    try:
        name = codecs.lookup(written).name
    except LookupError:
        name = ""
    if name not in _ENCODINGS:
        raise ValueError("an encoding of text such as shift_jis, euc_jp, cp1252 or utf-8")
    return name


class _FolderToml(_Strict):
    encoding: Annotated[str, AfterValidator(_known_encoding)] | None = None
    annotations: Annotations | None = None


class _CollectionToml(_FolderToml):
    dir: _Text = Field(repr=False)
    url_prefix: Annotated[str, Field(pattern=r"^/(\S*/)?$")]
    type: Annotated[str, Field(pattern=f"^{TYPE_SHAPE.pattern}$")]
    exposure: Exposure = "text"
    shape: Shape = "whole"
    formats: Annotated[list[PageFormat], Field(min_length=1)] = ["md", "mdx"]
    fields: dict[MappedField, _Text] = Field(default_factory=dict[MappedField, _Text])
    date_from: DateFrom | None = None
    date_order: DateOrder | None = None
    title_from: TitleFrom | None = None


class _EmbeddingToml(_Strict):
    provider: EmbeddingProvider = "local"
    model: _Text | None = None
    dimensions: Annotated[int, Field(ge=1, le=4000)] | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None


class _AnswerToml(_Strict):
    provider: AnswerProvider | None = None
    model: _Text | None = None
    reasoning_effort: ReasoningEffort | None = None


class _FloorsToml(_Strict):
    score: _Figure | None = None
    coverage: Annotated[float, Field(ge=0, le=1)] | None = None


class _LintToml(_Strict):
    ngram_words: _Count = DEFAULT_NGRAM_WORDS
    ngram_chars: _Count = DEFAULT_NGRAM_CHARS
    gist_max_chars: _Count = DEFAULT_GIST_MAX_CHARS


class _EvaluationToml(_Strict):
    gold: _Text | None = None
    canaries: _Text | None = None
    calibration: _Text | None = None
    admit: bool = False


class _RefusalsToml(_Strict):
    keep_questions: bool = False
    keep_days: Annotated[int, Field(ge=1, le=366)] = 30


class _GateToml(_Strict):
    enabled: bool = True
    alpha: Annotated[float, Field(ge=0.001, le=0.5)] = 0.05
    rule: ConformalRule = "plain"
    when_stale: WhenStale = "refuse"


class _GistToml(_Strict):
    model: _Text | None = None
    allowed_names: dict[_Text, list[_Text]] = Field(
        default_factory=dict[str, list[str]], repr=False
    )


class _GistsToml(_Strict):
    file: _Text | None = None


def _cron_line(written: object) -> CronLine:
    if not isinstance(written, str):
        raise ValueError("a cron line, as text")
    return CronLine(written)


_Cron = Annotated[CronLine, BeforeValidator(_cron_line)]


class _ScheduleToml(_Strict):
    widen: Widen = "public"
    ingest: _Cron | None = None
    build: _Cron | None = None


class _AccessToml(_Strict):
    anonymous: bool = False


# The bounds are those of private.access: the database refuses what is outside them as well.
class _LimitsToml(_Strict):
    per_minute: Annotated[int, Field(ge=1, le=10_000)] = _LIMITS.caller_per_minute
    per_day: Annotated[int, Field(ge=1, le=1_000_000)] = _LIMITS.caller_per_day
    archive_per_day: Annotated[int, Field(ge=1, le=100_000_000)] = _LIMITS.archive_per_day
    private_per_day: Annotated[int, Field(ge=1, le=100_000)] | None = _LIMITS.private_per_day


class _RetrievalToml(_Strict):
    theme_cap: _Count | None = None
    boosts: list[_Text] | None = None


class ArchiveToml(_FolderToml):
    name: _Text
    author: _Text
    base_url: _Text
    slug: str | None = None
    default_creators: list[_Text] | None = None
    private_notes_dir: _Text | None = Field(default=None, repr=False)
    private_books_dir: _Text | None = Field(default=None, repr=False)
    transcripts_dir: _Text | None = Field(default=None, repr=False)
    private_notes: _FolderToml = Field(default_factory=_FolderToml)
    private_books: _FolderToml = Field(default_factory=_FolderToml)
    transcripts: _FolderToml = Field(default_factory=_FolderToml)
    sources: list[_Text] = Field(default_factory=list[str])
    collections: list[_CollectionToml] = Field(default_factory=list[_CollectionToml])
    ignore_keys: list[_Text] = Field(default_factory=list[str])
    embedding: _EmbeddingToml = Field(default_factory=_EmbeddingToml)
    answer: _AnswerToml = Field(default_factory=_AnswerToml)
    floors: _FloorsToml = Field(default_factory=_FloorsToml)
    lint: _LintToml = Field(default_factory=_LintToml)
    gate: _GateToml = Field(default_factory=_GateToml)
    evaluation: _EvaluationToml = Field(default_factory=_EvaluationToml)
    gist: _GistToml = Field(default_factory=_GistToml)
    gists: _GistsToml = Field(default_factory=_GistsToml)
    retrieval: _RetrievalToml = Field(default_factory=_RetrievalToml)
    refusals: _RefusalsToml = Field(default_factory=_RefusalsToml)
    access: _AccessToml = Field(default_factory=_AccessToml)
    limits: _LimitsToml = Field(default_factory=_LimitsToml)
    schedule: _ScheduleToml = Field(default_factory=_ScheduleToml)


TABLES: Mapping[str, type[BaseModel]] = {
    name: known.annotation
    for name, known in ArchiveToml.model_fields.items()
    if isinstance(known.annotation, type) and issubclass(known.annotation, _Strict)
} | {"collections": _CollectionToml}
