"""What `calibration.yaml` and the bundled bank may say (R168)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.calibration_question import CalibrationQuestion, question_key
from fonds.contract.failures import MisauthoredFile, Misconfigured
from fonds.evaluation.calibration_file import check_disjoint, question_bank, read_calibration

SECRET = "quillfeather"
SMALLEST = 'questions:\n  - {id: a, kind: near-miss, question: "How is a kite let out?"}\n'


def read(tmp_path: Path, text: str) -> tuple[CalibrationQuestion, ...]:
    file = tmp_path / "calibration.yaml"
    file.write_text(text, encoding="utf-8")
    return read_calibration(file, author="Person A")


def test_questions_are_read_with_their_kind_and_the_author_in_place(tmp_path: Path) -> None:
    text = SMALLEST + '  - {id: b, kind: answerable, question: "What does {{author}} say?"}\n'
    assert read(tmp_path, text) == (
        CalibrationQuestion("a", "How is a kite let out?", "near-miss"),
        CalibrationQuestion("b", "What does Person A say?", "answerable"),
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            f"  - {{id: b, kind: hard, question: {SECRET}}}",
            "calibration.yaml:3: questions[1].kind: input should be 'answerable', 'near-miss' or"
            " 'out-of-archive'",
        ),
        (f"  - {{id: b, kind: near-miss, {SECRET}: x}}", "calibration.yaml:3: questions[1]: unkn"),
        ("  - {id: b, kind: near-miss}", "calibration.yaml:3: questions[1].question: a value"),
        ("  - {id: b c, kind: near-miss, question: x}", "questions[1].id: letters, digits"),
        ("  - {id: b, kind: near-miss, question: ''}", "questions[1].question: not blank"),
        ("  - {id: a, kind: near-miss, question: x}", "questions[1].id: the id of questions[0]"),
        (
            "  - {id: b, kind: answerable, question: '  how is a KITE let out!'}",
            "questions[1].question: the same question as questions[0]",
        ),
        (f"  - {{id: b, kind: near-miss, question: {'x' * 513}}}", "at most 512 characters"),
    ],
)
def test_a_mistake_is_named_by_place_and_never_by_words(
    tmp_path: Path, line: str, said: str
) -> None:
    """R097, R168: two questions that are one after normalisation would count twice."""
    with pytest.raises(MisauthoredFile) as refused:
        read(tmp_path, f"{SMALLEST}{line}\n")
    assert said in str(refused.value)
    assert SECRET not in repr(refused.value)


def test_a_file_that_is_not_there_names_the_key(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"\[evaluation\] calibration"):
        read_calibration(tmp_path / "none.yaml", author="")


def test_an_overlap_is_refused_after_normalisation_and_names_both_ids(tmp_path: Path) -> None:
    """R168, R170."""
    questions = read(tmp_path, SMALLEST)
    with pytest.raises(Misconfigured) as refused:
        check_disjoint(questions, [("gold-1", "How is a  kite let out")], "gold case")
    assert "calibration question a is gold case gold-1 as well" in str(refused.value)
    assert "kite" not in str(refused.value)
    check_disjoint(questions, [("gold-2", "How is a kite folded?")], "gold case")


def test_the_bank_is_large_enough_for_either_rule_and_holds_no_question_twice() -> None:
    """R168: at 5% the plain rule needs 19 questions, the strict one 59."""
    bank = question_bank()
    assert len(bank) >= 100
    assert len({one.key for one in bank}) == len(bank)
    assert {one.kind for one in bank} == {"out-of-archive"}


def test_a_key_is_of_the_normalised_question() -> None:
    assert question_key("Where  is it?") == question_key("where is IT")
    assert question_key("Where is it?") != question_key("Where was it?")
    assert question_key("?!") != question_key("…")
