"""`calibration.yaml` -> questions of known kind, strictly; and the bundled bank of them (R168).

What is wrong is named by file, line and place, never by a question's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.contract.calibration import QuestionKind
from fonds.contract.calibration_question import CalibrationQuestion, question_key
from fonds.contract.failures import Misconfigured, QueryRefused
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import AUTHOR_SLOT
from fonds.evaluation.suite_file import opened_document, read_document, refuse_at, refuse_first
from fonds.strict_yaml import ReadYaml, YamlPath

BANK = "question_bank.yaml"
MOST_QUESTIONS = 2_000  # each is a search at every build


def read_calibration(file: Path, *, author: str) -> tuple[CalibrationQuestion, ...]:
    """The questions in the order of the file; no two of them are the same once normalised.

    Raises Misconfigured when the file cannot be read, MisauthoredFile for what stands in it.
    """
    read = opened_document(file, "calibration")
    try:
        written = _CalibrationYaml.model_validate(read.root).questions
    except ValidationError as trouble:
        refuse_first(file.name, read, trouble)
    questions = tuple(
        CalibrationQuestion(one.id, one.question.replace(AUTHOR_SLOT, author), one.kind)
        for one in written
    )
    _check(file.name, read, questions)
    return questions


@cache
def question_bank() -> tuple[CalibrationQuestion, ...]:
    """The bundled questions, which are held to be out of every archive."""
    content = (files("fonds.evaluation") / "data" / BANK).read_bytes()
    written = _BankYaml.model_validate(read_document(content, BANK).root).questions
    return tuple(
        CalibrationQuestion(f"bank-{number:03}", question, "out-of-archive")
        for number, question in enumerate(written, 1)
    )


def check_disjoint(
    questions: Sequence[CalibrationQuestion], others: Iterable[tuple[str, str]], what: str
) -> None:
    """Raises Misconfigured for the first question that is among the `others`, which are (name,
    question) pairs of `what`: both are named, neither is told (R168, R170).
    """
    known = {question_key(question): name for name, question in others}
    for one in questions:
        if one.key in known:
            raise Misconfigured(
                f"calibration question {one.name} is {what} {known[one.key]} as well:"
                " a measurement on what was fitted measures nothing"
            )


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


_Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class _QuestionYaml(_Strict):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    question: Annotated[_Text, Field(repr=False)]
    kind: QuestionKind


class _CalibrationYaml(_Strict):
    questions: Annotated[list[_QuestionYaml], Field(min_length=1, max_length=MOST_QUESTIONS)]


class _BankYaml(_Strict):
    questions: Annotated[list[_Text], Field(repr=False)]


def _check(name: str, read: ReadYaml, questions: Sequence[CalibrationQuestion]) -> None:
    names: dict[str, int] = {}
    keys: dict[str, int] = {}
    for position, one in enumerate(questions):
        place: YamlPath = ("questions", position)
        try:
            SearchRequest(one.question)
        except QueryRefused as refusal:
            refuse_at(name, read, (*place, "question"), refusal.rule)
        if one.name in names:
            refuse_at(name, read, (*place, "id"), f"the id of questions[{names[one.name]}] as well")
        if one.key in keys:
            reason = f"the same question as questions[{keys[one.key]}]"
            refuse_at(name, read, (*place, "question"), reason)
        names[one.name] = keys[one.key] = position
