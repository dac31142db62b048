"""The engine does not know what it will be asked (R185)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fonds.contract.normalised_text import normalised_text
from fonds.evaluation.gold import GoldCase, read_gold
from tests.asked_questions import AUTHOR, ROOT, asked_questions, telling_runs

SOURCE_FOLDERS = ("src", "ingest_jobs", "db", "migrations")
SOURCE_SUFFIXES = (".py", ".sql", ".md", ".toml", ".json", ".txt")


def sources() -> Iterator[Path]:
    for folder in SOURCE_FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in SOURCE_SUFFIXES and "__pycache__" not in file.parts:
                yield file


def gold_cases() -> tuple[GoldCase, ...]:
    return read_gold(ROOT / "eval" / "gold.yaml", author=AUTHOR).cases


@pytest.fixture(scope="module")
def code() -> str:
    """Every source of the engine, normalised as a question is."""
    return "\n".join(f" {normalised_text(file.read_text('utf-8'))} " for file in sources())


def test_the_sources_are_really_read(code: str) -> None:
    """The premise of the other tests of this file."""
    assert " the engine does not know " not in code
    assert normalised_text("def run_suite(") in code


def test_no_question_that_is_asked_stands_in_the_source(code: str) -> None:
    """R185: a test greps for gold query text in the source."""
    runs = {run for question in asked_questions() for run in telling_runs(question)}
    assert len(runs) > 100
    assert not [run for run in runs if f" {run} " in code]


def test_every_case_of_the_suite_is_among_what_is_looked_for() -> None:
    """The premise: the walk finds what the strict reader finds."""
    assert {case.query for case in gold_cases()} <= set(asked_questions())


def test_no_id_of_a_case_or_of_its_sources_stands_in_the_source() -> None:
    """R185: neither is an answer looked up by where it stands."""
    raw = "\n".join(file.read_text("utf-8") for file in sources())
    cases = gold_cases()
    named = {case.case_id for case in cases}
    named |= {one for case in cases for one in (*case.expect_sources, *case.forbid_sources)}
    assert not [one for one in named if re.search(rf"\b{re.escape(one)}\b", raw)]


def test_the_check_sees_a_question_that_was_planted() -> None:
    """The check can fail."""
    planted = normalised_text(
        'if "algorithm is recommended for web applications" in question.lower():'
    )
    runs = {run for question in asked_questions() for run in telling_runs(question)}
    assert len([run for run in runs if f" {run} " in f" {planted} "]) == 2
