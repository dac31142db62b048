"""What the answerability benchmark counts, on figures and on a set made here (R170)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from eval.benchmarks.answerability import measured_set, table
from eval.benchmarks.asked_figures import Measured, asked_figures
from eval.benchmarks.cached_embedder import CachedEmbedder
from eval.benchmarks.gate_figures import answered_at, auroc, fusion, ndcg, promise_kept
from eval.benchmarks.qa_sets import Kind, QaQuestion, sampled
from fonds.answering.refusal import Answered, CitedSource, RefusalRecord, Refused
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.store.servers import Server
from tests.servers import Database

TRADES = (
    "cooper",
    "farrier",
    "glazier",
    "thatcher",
    "chandler",
    "wheelwright",
    "fletcher",
    "tanner",
)
DOCUMENTS: list[dict[str, object]] = [
    {
        "id": f"d{number}",
        "title": f"The {trade}",
        "text": f"The {trade} of Holm keeps {number + 3} apprentices in the {trade} yard.",
    }
    for number, trade in enumerate(TRADES)
]


def question(text: str, gold: Sequence[str] = (), near: Sequence[str] = ()) -> dict[str, object]:
    return {"question": text, "answerable": bool(gold), "gold": gold, "near_miss": near}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    asked: list[dict[str, object]] = [
        question(f"How many apprentices does the {trade} of Holm keep?", [f"d{number}"])
        for number, trade in enumerate(TRADES)
    ]
    asked += [question("Which river does the cooper of Holm cross?", near=["d0"])]
    asked += [question("Which river does the farrier of Holm cross?", near=["d1"])]
    asked += [question("Which river does the fletcher of Holm cross?", near=["d6"])]
    asked += [question("Unclear?") | {"answerable": None}]
    for name, lines in (("trades.docs", DOCUMENTS), ("trades.questions", asked)):
        text = "\n".join(json.dumps(line) for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_set_without_absent_subjects_has_some_left_out(folder: Path) -> None:
    """By title: every fourth article is not filed, one in eight of the rest is private."""
    sample = sampled(folder, "trades", passages=0, questions=10)
    about = [one for one in sample.questions if "apprentices" in one.text]
    kinds = {one.text.split()[5]: one.kind for one in about}
    titles = sorted(f"The {trade}" for trade in TRADES)
    absent = {title.split()[1] for title in titles[3::4]}
    private = [title for title in titles if title.split()[1] not in absent][1].split()[1]
    assert {trade for trade, kind in kinds.items() if kind == "absent"} == absent
    assert [trade for trade, kind in kinds.items() if kind == "private"] == [private]
    assert sorted(kinds.values()).count("answerable") == len(TRADES) - 3
    rivers = {one.text.split()[4]: one.kind for one in sample.questions if "river" in one.text}
    assert rivers == {"cooper": "near-private", "farrier": "near-miss", "fletcher": "absent"}
    assert len(sample.questions) == len(TRADES) + 3
    assert sample.calibration == ()


def test_a_calibration_shares_no_question_with_what_is_measured(folder: Path) -> None:
    """R168: of both sides, as many as wished or half; the sample names what they need too."""
    sample = sampled(folder, "trades", passages=0, questions=10, calibrated=2)
    measured = {one.text for one in sample.questions}
    spare = [(one.kind, one.text in measured) for one in sample.calibration]
    assert sorted(spare) == [("absent", False)] * 2 + [("answerable", False)] * 2
    assert sum(one.kind == "answerable" for one in sample.questions) == 3
    held = {key for one in sample.calibration for key in one.gold}
    assert held <= sample.passages.keys()


def reply_of(mode: Literal["partial", "related-material", ""]) -> Answered | Refused:
    if not mode:
        return Refused("below_score_floor", RefusalRecord(), "p", "extractive", "1")
    source = CitedSource("record", "essay:a#whole", "https://example.org/a/", "A", "whole record")
    return Answered(mode, "Words.", (source,), "p", "extractive", "1")


def a_measured(
    kind: Kind, mode: Literal["partial", "related-material", ""], best: float | None
) -> Measured:
    return Measured(QaQuestion("?", kind, "en"), (), 1, {}, reply_of(mode), (True,), best)


def test_routes_are_counted_by_kind_and_answers_where_sixty_percent_are_answered() -> None:
    """A route near private material is no mistake of the search: it stands in a row of its own."""
    found: dict[Kind, list[Measured]] = {
        "answerable": [a_measured("answerable", "partial", best) for best in (0.9, 0.8, 0.7)]
        + [a_measured("answerable", "", 0.4), a_measured("answerable", "", None)],
        "near-miss": [a_measured("near-miss", "partial", 0.75), a_measured("near-miss", "", 0.6)],
        "near-private": [a_measured("near-private", "related-material", None)],
        "absent": [a_measured("absent", "", None), a_measured("absent", "related-material", None)],
        "private": [a_measured("private", "related-material", None)],
    }
    asked = asked_figures(found)
    assert asked["falseRoutes"] == {
        "near-miss": {"count": 0, "of": 2},
        "near-private": {"count": 1, "of": 1},
        "absent": {"count": 1, "of": 2},
    }
    assert asked["falseAnswers"]["near-miss"] == {"count": 1, "of": 2}
    assert asked["falseRefusals"] == {"count": 2, "of": 5}
    assert asked["routedToPrivate"] == {"count": 1, "of": 1}
    at = asked["atSixtyAnswered"]
    assert (at["floor"], at["answered"]) == (0.7, {"count": 3, "of": 5})
    assert at["falseAnswers"]["near-miss"] == {"count": 1, "of": 2}
    found["answerable"][0:2] = [a_measured("answerable", "", None)] * 2
    assert asked_figures(found)["atSixtyAnswered"] is None


def test_signals_are_counted_by_pairs() -> None:
    assert auroc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert auroc([], [0.1]) is None
    assert answered_at([0.1, 0.4, 0.9], [0.0, 0.3], 0.05) == pytest.approx(2 / 3)
    assert answered_at([0.1, 0.4, 0.9], [0.0, 0.3], 0.5) == 1.0
    assert ndcg([True, False], 1) == 1.0
    assert ndcg([False, True], 1) == pytest.approx(1 / np.log2(3))
    assert ndcg([], 0) == 0.0


def test_a_promise_is_kept_where_questions_are_alike_and_seen_to_break_where_not() -> None:
    """R168: at most alpha on average; fewer questions than the rule needs promise nothing."""
    random = np.random.default_rng(7)
    high, low = random.normal(2, 1, (300, 2)), random.normal(0, 1, (300, 2))
    kept = promise_kept(high, low, 0.05, splits=100)
    assert kept is not None
    assert kept.mean <= 0.06
    assert 0.5 < kept.answered < 1
    assert kept.low <= kept.mean <= kept.high
    assert promise_kept(high, low[:50], 0.05) is None
    assert promise_kept(high, low, 0.05, splits=20) == promise_kept(high, low, 0.05, splits=20)


def test_a_fusion_weighs_what_tells_and_of_one_signal_is_that_signal() -> None:
    random = np.random.default_rng(7)
    noise = random.normal(0, 1, 400)
    told = np.concatenate([random.normal(2, 1, 200), random.normal(0, 1, 200)])
    both = np.column_stack([noise, told])
    made = fusion(both[:200], both[200:])
    assert made.weights[1] > 5 * abs(made.weights[0])
    alone = fusion(both[:200, 1:], both[200:, 1:])
    assert np.array_equal(np.argsort(alone(both[:, 1:])), np.argsort(told))


class Counting(HashingEmbedder):
    """Counts what it is asked."""

    asked = 0

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        self.asked += len(texts)
        return super().embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        self.asked += 1
        return super().embed_query(text)


def test_a_vector_is_made_once_and_no_text_is_kept(tmp_path: Path) -> None:
    inner = Counting()
    first = CachedEmbedder(inner, tmp_path / "cache")
    one = first.embed_passages(["a heron", "\0", "a heron on the dyke"])
    query = first.embed_query("a heron")
    again = CachedEmbedder(inner, tmp_path / "cache")
    assert isinstance(again.space, EmbeddingSpace)
    asked = inner.asked
    assert again.embed_passages(["a heron on the dyke", "a heron"]).vectors == (
        one.vectors[2],
        one.vectors[0],
    )
    assert again.embed_query("a heron") == query
    assert inner.asked == asked
    assert [position for position, _ in one.refused] == [1]
    assert b"heron" not in (tmp_path / "cache" / "vectors.sqlite3").read_bytes()


def test_a_set_is_served_searched_and_asked_without_a_key(
    folder: Path, tmp_path: Path, database: Database
) -> None:
    """R170: both rates, routes and citations, through ingest, build and ask."""
    options = argparse.Namespace(qa=folder, passages=0, questions=10, asked=10, calibrated=0)
    server = Server(database.url, None, database.key)
    embedder = CachedEmbedder(HashingEmbedder(), None)
    figures = measured_set(options, "trades", tmp_path / "work", server, embedder)
    assert figures["questions"] == {
        "answerable": 5,
        "private": 1,
        "near-miss": 1,
        "near-private": 1,
        "absent": 3,
    }
    assert figures["calibratedOn"]["source"] == "bank"
    assert (figures["passages"], figures["private"], figures["language"]) == (6, 1, "en")
    assert figures["retrieval"]["r@5"] == 1.0
    asked = figures["asked"]
    assert asked["falseRefusals"]["of"] == 5
    assert {kind: of["of"] for kind, of in asked["falseAnswers"].items()} == {
        "absent": 3,
        "near-miss": 1,
        "near-private": 1,
    }
    answered = 5 - asked["falseRefusals"]["count"]
    assert asked["citesItsPassage"] == {"count": answered, "of": answered}
    (line,) = table("trades", figures)
    assert "false answers (near-miss)" in line
    assert "false refusals" in line
    told = json.dumps(figures) + line
    assert not [trade for trade in TRADES if trade in told]
