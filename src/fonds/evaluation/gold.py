"""`gold.yaml` -> gold cases and canaries, strictly (R180).

What is wrong is named by file, line and place, such as `queries[3].forbidAnswerPatterns[0]`; never
a pattern, a question or a canary.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from fonds.boundary.canaries import canary_sweep
from fonds.contract.citation import AnswerMode
from fonds.contract.failures import MisauthoredInput, QueryRefused
from fonds.contract.sealed import sealed
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.patterns import pattern_trouble
from fonds.evaluation.suite_file import read_document, refuse_at, refuse_first, suite_bytes
from fonds.strict_yaml import ReadYaml, YamlPath

AUTHOR_SLOT = "{{author}}"


@sealed
@dataclass(frozen=True, slots=True)
class GoldCase:
    """One question and what has to come of it. `query` holds the author's name in its slot."""

    case_id: str
    query: str = field(repr=False)
    expect_mode: AnswerMode
    expect_sources: tuple[str, ...] = ()
    forbid_sources: tuple[str, ...] = ()
    forbid_record_citations: bool = False
    expect_patterns: tuple[str, ...] = field(default=(), repr=False)
    forbid_patterns: tuple[str, ...] = field(default=(), repr=False)
    note: str | None = field(default=None, repr=False)
    requires_model: bool = False

    @property
    def request(self) -> SearchRequest:
        """The question as a caller without filters asks it."""
        return SearchRequest(self.query)

    @property
    def names_sources(self) -> bool:
        return bool(self.expect_sources or self.forbid_sources)

    def as_json(self) -> dict[str, object]:
        """What `fonds eval --list` shows of it; no pattern is among it."""
        return {
            "id": self.case_id,
            "query": self.query,
            "expectAnswerMode": self.expect_mode,
            "requiresModel": self.requires_model,
            "note": self.note,
        }


@sealed
@dataclass(frozen=True, slots=True)
class GoldSuite:
    """The cases in the order of the file, and the private wording that is watched for."""

    cases: tuple[GoldCase, ...]
    canaries: tuple[str, ...] = field(default=(), repr=False)


def read_gold(file: Path, *, author: str) -> GoldSuite:
    """The suite of one archive; every pattern compiles and every canary can be found.

    Raises Misconfigured when the file cannot be read, MisauthoredFile for what stands in it.
    """
    return gold_suite(suite_bytes(file, "gold"), file.name, author=author)


def gold_suite(content: bytes, name: str, *, author: str) -> GoldSuite:
    """The suite in the bytes of a file, which `name` stands for; raises MisauthoredFile."""
    read = read_document(content, name)
    try:
        written = _GoldYaml.model_validate(read.root)
    except ValidationError as trouble:
        refuse_first(name, read, trouble, nearest=_nearest_key)
    _check(name, read, written)
    cases = tuple(_case(case, author) for case in written.queries)
    for position, case in enumerate(cases):
        _check_case(name, read, position, case)
    return GoldSuite(cases, tuple(written.canaries))


def check_sources_exist(suite: GoldSuite, known_ids: Collection[str]) -> None:
    """Raises MisauthoredInput for the first source that is no entity or fragment of the archive.

    `known_ids` are all of the private schema's: a case may forbid what is withheld.
    """
    for case in suite.cases:
        for key, ids in _sources(case):
            for at, one in enumerate(ids):
                if one not in known_ids:
                    raise MisauthoredInput(
                        f"gold case {case.case_id}: {key}[{at}]: the archive holds no such id"
                    )


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        alias_generator=to_camel,
    )


_Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
_Texts = Annotated[list[_Text], Field(min_length=1, repr=False)]
_YesNo = Literal["true", "false"]


class _CaseYaml(_Strict):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    query: Annotated[_Text, Field(repr=False)]
    expect_answer_mode: AnswerMode
    expect_sources: _Texts = []
    forbid_sources: _Texts = []
    forbid_record_citations: _YesNo = "false"
    expect_answer_patterns: _Texts = []
    forbid_answer_patterns: _Texts = []
    note: Annotated[_Text | None, Field(repr=False)] = None
    requires_model: _YesNo = "false"


class _GoldYaml(_Strict):
    queries: Annotated[list[_CaseYaml], Field(min_length=1)]
    canaries: _Texts = []


def _case(written: _CaseYaml, author: str) -> GoldCase:
    return GoldCase(
        case_id=written.id,
        query=written.query.replace(AUTHOR_SLOT, author),
        expect_mode=written.expect_answer_mode,
        expect_sources=tuple(written.expect_sources),
        forbid_sources=tuple(written.forbid_sources),
        forbid_record_citations=written.forbid_record_citations == "true",
        expect_patterns=tuple(written.expect_answer_patterns),
        forbid_patterns=tuple(written.forbid_answer_patterns),
        note=written.note,
        requires_model=written.requires_model == "true",
    )


def _check(name: str, read: ReadYaml, written: _GoldYaml) -> None:
    times = Counter(case.id for case in written.queries)
    for position, case in enumerate(written.queries):
        if times[case.id] > 1:
            refuse_at(name, read, ("queries", position, "id"), "another case has the same id")
    for position, canary in enumerate(written.canaries):
        try:
            canary_sweep([canary], ())
        except MisauthoredInput:
            reason = "at least one letter or digit is needed"
            refuse_at(name, read, ("canaries", position), reason)


def _check_case(name: str, read: ReadYaml, position: int, case: GoldCase) -> None:
    def refuse(reason: str, *place: str | int) -> NoReturn:
        refuse_at(name, read, ("queries", position, *place), reason)

    try:
        SearchRequest(case.query)
    except QueryRefused as refusal:
        refuse(refusal.rule, "query")
    for key, patterns in (
        ("expectAnswerPatterns", case.expect_patterns),
        ("forbidAnswerPatterns", case.forbid_patterns),
    ):
        for at, pattern in enumerate(patterns):
            if trouble := pattern_trouble(pattern):
                refuse(trouble, key, at)
    # Cases that nothing could pass.
    if case.expect_mode == "not-found" and case.expect_patterns:
        refuse("a question that is not answered has no answer to match", "expectAnswerPatterns")
    if case.expect_mode in ("supported", "partial") and case.forbid_record_citations:
        refuse("this mode cites a record", "forbidRecordCitations")
    if set(case.expect_sources) & set(case.forbid_sources):
        refuse("a source that is expected too", "forbidSources")


def _sources(case: GoldCase) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ("expectSources", case.expect_sources), ("forbidSources", case.forbid_sources)


def _nearest_key(written: str, around: YamlPath) -> str | None:
    model = _CaseYaml if around else _GoldYaml
    keys = [info.alias or key for key, info in model.model_fields.items()]
    return next(iter(difflib.get_close_matches(written, keys, n=1)), None)
