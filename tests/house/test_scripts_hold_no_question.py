"""No script knows what it will be asked: not the engine, nor what measures, checks or deploys it
(R185). The test files of the house ask questions of their own, and are left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.evaluation.calibration_file import question_bank
from tests.asked_questions import ReadText, asked_questions, benchmark_questions, telling_runs
from tests.house.tree import ROOT

FOLDERS = ("src", "ingest_jobs", "db", "migrations", "eval", ".ci", "deploy")
OTHER_LETTERS = str.maketrans({"o": "u", "O": "U", "Ä": "E", "数": "見", "ي": "ن"})
QUESTIONS_BELONG = (".yaml", ".yml")  # suites, calibrations and the bank, which are data


def scripts() -> list[Path]:
    """Every file of those folders that is run, loaded or read into something that is."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(
        path
        for path in found
        if "__pycache__" not in path.parts
        and "reports" not in path.parts
        and path.suffix not in (*QUESTIONS_BELONG, ".npz", ".npy")
    )


@pytest.fixture(scope="module")
def read() -> ReadText:
    return ReadText(path.read_text("utf-8", errors="ignore") for path in scripts())


def test_every_kind_of_script_is_looked_at() -> None:
    """The premise: benchmarks and trials, shell scripts without a suffix, SQL and prompts."""
    names = {path.relative_to(ROOT).as_posix() for path in scripts()}
    assert {
        "eval/benchmarks/answerability.py",
        "eval/trials/near_misses.py",
        ".ci/run",
        "deploy/backup.sh",
        "db/api.sql",
        "src/fonds/answering/prompts/answer.v1.md",
    } <= names
    assert "eval/gold.yaml" not in names


def test_no_script_holds_a_question_of_suite_calibration_or_demonstration(read: ReadText) -> None:
    found = {run for question in asked_questions() for run in read.runs_of(question)}
    assert not found


def test_no_script_holds_a_question_of_a_benchmark(read: ReadText) -> None:
    """Whole ones, where the sets lie beside the checkout."""
    assert not [one for one in benchmark_questions() if read.holds_whole(one)]


def test_the_bundled_questions_are_those_of_no_set_and_no_suite() -> None:
    """A bank that asks what a set is measured with would have seen the measurement."""
    bank = ReadText(one.question for one in question_bank())
    assert not [
        one for one in (*asked_questions(), *benchmark_questions()) if bank.holds_whole(one)
    ]


def test_a_question_of_the_suite_is_found_wherever_it_was_planted(read: ReadText) -> None:
    """The scan can fail: each question that is asked, in code, alone in a file."""
    for question in asked_questions():
        planted = ReadText([f'ANSWERS = {{"{question.upper()}": "yes"}}  # special'])
        assert planted.runs_of(question) == telling_runs(question)
        assert not read.runs_of(question)


@pytest.mark.parametrize(
    ("question", "script"),
    [
        (
            "Which grey heron counts the old stakes?",
            'if q == "which grey heron counts the old stakes":',
        ),
        (
            "Which grey heron counts the old stakes?",
            '"Which grey heron "\n    "counts the old stakes?"',
        ),
        ("Who counts stakes?", "# Who counts stakes?"),
        ("杭を数えるのは誰ですか？", 'KNOWN = ["杭を数えるのは誰ですか"]'),
        ("من يعد الأوتاد القديمة هنا؟", "'من يعد الأوتاد القديمة هنا؟'"),
        ("Wer zählt die alten Pfähle?", "-- WER ZÄHLT DIE ALTEN PFÄHLE?"),
    ],
)
def test_a_question_of_a_set_is_found_in_any_script_it_was_planted_in(
    question: str, script: str
) -> None:
    planted = ReadText(["unrelated words of another file", script, "and more of them"])
    assert planted.holds_whole(question)
    assert not planted.holds_whole(question + " Truly, and since which year?")
    other = script.translate(OTHER_LETTERS)
    assert not ReadText([other]).holds_whole(question)


def test_words_of_two_files_make_no_question() -> None:
    """What is found stands in one text."""
    parts = ReadText(["which grey heron counts", "the old stakes"])
    assert not parts.runs_of("counts the old stakes away")
