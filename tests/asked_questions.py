"""Every question this repository asks, and where a text holds one of them (R185)."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import yaml

from fonds.contract.normalised_text import normalised_text
from fonds.evaluation.gold import AUTHOR_SLOT

ROOT = Path(__file__).parents[1]
AUTHOR = "Marit Ostrevan"  # of the example
RUN_WORDS = 5  # a question is recognised by less than all of it


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
                yield part.replace(AUTHOR_SLOT, AUTHOR)
            else:
                yield from questions_in(part)


def benchmark_questions(folder: Path = ROOT.parent / "shared" / "qa") -> Iterator[str]:
    """Of the question sets that lie beside the checkout, where they do."""
    for file in sorted(folder.glob("*.questions.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            yield json.loads(line)["question"]


def telling_runs(question: str) -> set[str]:
    """Runs of words that no source holds by chance; all of a question that is short or unspaced."""
    words = normalised_text(question).split()
    if len(words) < RUN_WORDS:
        return {" ".join(words)}
    return {" ".join(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)}


class ReadText:
    """Texts to look for questions in. Words are compared without what stands around them: a
    question between quotes or behind a comment mark is found, in whatever case.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        words = [_words(text) for text in texts]
        self._spaced = f" {' '.join(word for part in words for word in part)} "
        self._runs = {
            tuple(part[at : at + RUN_WORDS])
            for part in words
            for at in range(len(part) - RUN_WORDS + 1)
        }
        unspaced = (word for part in words for word in part if not word.isascii())
        self._unspaced = " ".join(unspaced)

    def holds_whole(self, question: str) -> bool:
        """Whether all of the question stands there. One of a word or two without other script
        than ASCII is anybody's and never found.
        """
        words = _words(question)
        if len(words) >= RUN_WORDS:
            # Twelve thousand questions are looked up; few share a run, and those are read on.
            known = tuple(words[:RUN_WORDS]) in self._runs
            return known and f" {' '.join(words)} " in self._spaced
        if all(word.isascii() for word in words):
            return len(words) > 2 and f" {' '.join(words)} " in self._spaced
        return " ".join(words) in self._unspaced

    def runs_of(self, question: str) -> set[str]:
        """The telling runs that stand there: enough for a question of the house's own."""
        runs = {run: tuple(_words(run)) for run in telling_runs(question)}
        return {
            run
            for run, words in runs.items()
            if (words in self._runs if len(words) == RUN_WORDS else self.holds_whole(run))
        }


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", normalised_text(text))
