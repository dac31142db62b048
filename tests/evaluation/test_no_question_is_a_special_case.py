"""The engine does not know what it will be asked (R185)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fonds.contract.normalised_text import normalised_text
from fonds.evaluation.gold import GoldCase, read_gold

ROOT = Path(__file__).parents[2]
SOURCE_FOLDERS = ("src", "ingest_jobs", "db", "migrations")
SOURCE_SUFFIXES = (".py", ".sql", ".md", ".toml", ".json", ".txt")
RUN_WORDS = 5  # a question is recognised by less than all of it


def sources() -> Iterator[Path]:
    for folder in SOURCE_FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in SOURCE_SUFFIXES and "__pycache__" not in file.parts:
                yield file


def gold_cases() -> tuple[GoldCase, ...]:
    return read_gold(ROOT / "eval" / "gold.yaml", author="Marit Ostrevan").cases


def asked_questions() -> Iterator[str]:
    """What the suite and the demonstration ask."""
    yield from (case.query for case in gold_cases())
    demo = tomllib.loads((ROOT / "example_content" / "demo.toml").read_text("utf-8"))
    yield from (one["question"] for one in demo["questions"])


def telling_runs(question: str) -> set[str]:
    """Runs of words that no source holds by chance; all of a question that is short or unspaced."""
    words = normalised_text(question).split()
    if len(words) < RUN_WORDS:
        return {" ".join(words)}
    return {" ".join(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)}


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
