"""`calibration.yaml` -> questions of known kind, strictly; and the bundled bank of them (R168).

What is wrong is named by file, line and place, never by a question's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.contract.calibration import QuestionKind
from fonds.contract.calibration_question import CalibrationQuestion, question_key
from fonds.contract.failures import MisauthoredFile, Misconfigured, QueryRefused
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import AUTHOR_SLOT, MAX_CHARS, read_document
from fonds.strict_yaml import ReadYaml, YamlPath

BANK = "question_bank.yaml"
MOST_QUESTIONS = 2_000  # each is a search at every build


def read_calibration(file: Path, *, author: str) -> tuple[CalibrationQuestion, ...]:
    """The questions in the order of the file; no two of them are the same once normalised.

    Raises Misconfigured when the file cannot be read, MisauthoredFile for what stands in it.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(4 * MAX_CHARS + 1)
    except OSError:
        raise Misconfigured(
            f"cannot read {file.name}: check [evaluation] calibration in the archive file"
        ) from None
    read = read_document(content, file.name)
    try:
        written = _CalibrationYaml.model_validate(read.root).questions
    except ValidationError as trouble:
        _refuse_first(file.name, read, trouble)
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
            _refuse(name, read, (*place, "question"), refusal.rule)
        if one.name in names:
            _refuse(name, read, (*place, "id"), f"the id of questions[{names[one.name]}] as well")
        if one.key in keys:
            reason = f"the same question as questions[{keys[one.key]}]"
            _refuse(name, read, (*place, "question"), reason)
        names[one.name] = keys[one.key] = position


def _refuse_first(name: str, read: ReadYaml, trouble: ValidationError) -> NoReturn:
    """The first error; an unknown key before the missing one it was meant to be."""
    errors = sorted(
        trouble.errors(include_url=False, include_input=False, include_context=False),
        key=lambda error: error["type"] != "extra_forbidden",
    )
    first = errors[0]
    place = first["loc"]
    match first["type"]:
        case "extra_forbidden":
            # The key itself may be a question that lost its dash: the line says where it is.
            _refuse(name, read, place[:-1], "unknown key", at=place)
        case "missing":
            _refuse(name, read, place, "a value is needed")
        case "string_pattern_mismatch" if place[-1] == "id":
            _refuse(name, read, place, "letters, digits, '.', '_' and '-', at most 100")
        case "string_pattern_mismatch" | "string_too_short":
            _refuse(name, read, place, "not blank")
        case _:
            _refuse(name, read, place, str(first["msg"]).lower())


def _refuse(
    name: str, read: ReadYaml, place: YamlPath, reason: str, *, at: YamlPath | None = None
) -> NoReturn:
    shown = ""
    for part in place:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else part
    raise MisauthoredFile(name, shown, reason, line=read.line_of(place if at is None else at))
