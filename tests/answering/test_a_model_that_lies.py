"""A real model that makes things up is asked about the example, and the verifier decides (R152)."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from fonds.answering.ask import ask
from fonds.answering.refusal import Answered, Refused
from fonds.contract.citation import Citation
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import read_gold
from tests.answering.asking import SETTINGS
from tests.answering.hits import outcome, text_hit
from tests.answering.lying_model import lying_server, lying_writer

ROOT = Path(__file__).parents[2]
ESSAYS = ROOT / "example_content" / "essays"
MOST_SECONDS = 40.0
MOST_QUESTIONS = 6
LONGEST_PASSAGE = 900


def questions() -> list[tuple[str, str]]:
    """Questions of the example's suite that one essay answers, with the essay's name."""
    cases = read_gold(ROOT / "eval" / "gold.yaml", author="the author").cases
    found = [
        (case.query, source.removeprefix("essay:").removesuffix("#whole"))
        for case in cases
        for source in case.expect_sources
        if source.startswith("essay:") and case.expect_mode == "partial"
    ]
    return found[:MOST_QUESTIONS]


def opening(essay: str) -> str:
    """The first whole sentences of an essay."""
    body = (ESSAYS / f"{essay}.md").read_text(encoding="utf-8").split("---", 2)[2].strip()
    return body[: body.rfind(".", 0, LONGEST_PASSAGE) + 1]


def test_nothing_that_a_lying_model_makes_up_is_shown() -> None:
    """R142, R152, R161: its words reach a reader only where its passage holds them."""
    refused: list[str] = []
    out_of_time = False
    with lying_server() as address:
        until = time.monotonic() + MOST_SECONDS
        for query, essay in questions():
            passage = opening(essay)
            found = outcome(text_hit(essay, passage, title=essay), coverage_floor=0.0)
            cited = Citation("record", f"essay:{essay}#whole", f"https://archive.example/{essay}/")
            writer = lying_writer(address, cited)
            given = ask(
                SearchRequest(query), search=lambda _, o=found: o, writer=writer, settings=SETTINGS
            )
            writer.close()
            match given:
                case Answered():
                    assert {(c.id, c.url) for c in given.citations} == {(cited.id, cited.url)}
                    assert figures_and_names(given.answer) <= words(passage) | words(essay)
                case Refused():
                    assert (given.answer, given.citations) == ("", ())
                    refused.append(given.reason)
            out_of_time = time.monotonic() > until
            if out_of_time:
                break
    if "unsupported_claim" not in refused and (out_of_time or "model_unavailable" in refused):
        pytest.skip(f"the model told no lie within {MOST_SECONDS:.0f} seconds on this machine")
    assert "unsupported_claim" in refused


def figures_and_names(answer: str) -> set[str]:
    """Words with a digit, and capitalised words in mid-sentence."""
    return set(re.findall(r"\b\d[\d,.]*\b|(?<=[a-z,] )[A-Z][a-z]+", answer))


def words(text: str) -> set[str]:
    return set(re.findall(r"\w[\w,.]*\w|\w", text)) | set(re.findall(r"\w+", text))
