"""The engine does not know what it will be asked (R185)."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml

from fonds.contract.normalised_text import normalised_text
from fonds.evaluation.gold import AUTHOR_SLOT, GoldCase, read_gold

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
    """What the suite, the calibration questions and the demonstration ask."""
    for file in sorted((ROOT / "eval").glob("*.yaml")):
        yield from questions_in(yaml.safe_load(file.read_text("utf-8")))
    demo = tomllib.loads((ROOT / "example_content" / "demo.toml").read_text("utf-8"))
    yield from (one["question"] for one in demo["questions"])


def questions_in(read: object) -> Iterator[str]:
    """Whatever stands under `query` or `question`, however deep."""
    if isinstance(read, list):
        for part in cast("list[object]", read):
            yield from questions_in(part)
    elif isinstance(read, dict):
        for key, part in cast("dict[str, object]", read).items():
            if key in ("query", "question") and isinstance(part, str):
                yield part.replace(AUTHOR_SLOT, "Marit Ostrevan")
            else:
                yield from questions_in(part)


def benchmark_questions() -> Iterator[str]:
    """Of the question sets that lie beside the checkout, where they do."""
    for file in sorted((ROOT.parent / "shared" / "qa").glob("*.questions.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            yield json.loads(line)["question"]


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


def test_every_case_of_the_suite_is_among_what_is_looked_for() -> None:
    """The premise: the walk finds what the strict reader finds."""
    assert {case.query for case in gold_cases()} <= set(asked_questions())


def test_no_question_of_a_benchmark_stands_in_the_source(code: str) -> None:
    """R185: whole ones; five words of twelve thousand questions are in any English text."""
    lines = {line.strip() for line in code.splitlines()}
    assert not [one for one in benchmark_questions() if normalised_text(one) in lines]
    long = [normalised_text(one) for one in benchmark_questions() if len(one.split()) > RUN_WORDS]
    assert not [one for one in long if f" {one} " in code]


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
