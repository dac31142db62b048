"""Where a call costs, a run of the suite makes one for all its questions (R183)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fonds.contract.failures import ProviderUnavailable
from fonds.contract.ports import Vector
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.wiring.evaluating import EvalWishes, evaluate, scores
from tests.archives import essay, house_of, published, written
from tests.servers import Database

GOLD = """\
queries:
- id: kites
  query: Who flies kites at Norden?
  expectAnswerMode: partial
  expectSources: ["essay:on-kites"]
- id: tides
  query: Who counts the tides at the harbour?
  expectAnswerMode: partial
  expectSources: ["essay:tides"]
- id: absent
  query: Which compiler flags does the telescope need?
  expectAnswerMode: not-found
"""


class Batching(HashingEmbedder):
    """Takes questions together; each call is kept, or fails."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.fails = fails
        self.together: list[int] = []
        self.alone = 0

    def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        self.together.append(len(texts))
        if self.fails:
            raise ProviderUnavailable("the embedder is away")
        return tuple(super(Batching, self).embed_query(text) for text in texts)

    def embed_query(self, text: str) -> Vector:
        self.alone += 1
        return super().embed_query(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "essays/on-kites.md": essay("On Kites", "My aunt flies kites at Norden on the dyke."),
        "essays/tides.md": essay("Tides", "The pilot counts the tides at the harbour."),
    }
    made = written(tmp_path, files)
    (made / "gold.yaml").write_text(GOLD, encoding="utf-8")
    with (made / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[evaluation]\ngold = "gold.yaml"\n')
    return made


def test_a_run_makes_one_call_for_what_it_is_going_to_ask(folder: Path, database: Database) -> None:
    embedder = Batching()
    with house_of(folder, database, embedder) as house:
        published(house)
        report = evaluate(house, EvalWishes(), warn=lambda said: None)
        assert (report.passed, report.skipped) == (2, 1)
        assert (embedder.together, embedder.alone) == ([2], 0)
        assert len(scores(house).answerable) == 2
        assert (embedder.together, embedder.alone) == ([2, 3], 0)
        assert house.embedder is embedder


def test_a_call_that_fails_is_made_again_for_each_case(folder: Path, database: Database) -> None:
    """R185: what cannot be asked is that case's failure; here the provider is back by then."""
    embedder = Batching(fails=True)
    with house_of(folder, database, embedder) as house:
        published(house)
        report = evaluate(house, EvalWishes(), warn=lambda said: None)
        assert (report.passed, embedder.together, embedder.alone) == (2, [2], 2)
