"""A comparison of precisions that could not find a difference would be no evidence."""

from __future__ import annotations

import json
from pathlib import Path

from eval.trials.halfvec import question_set
from eval.trials.halfvec_ranking import ranked
from fonds.providers.hashing_embedder import HashingEmbedder

FAR = [(1.0, -1.0 - place / 8) for place in range(10)]
TINY = 1e-5  # less than half precision keeps beside 1


def test_vectors_that_half_precision_keeps_are_ranked_alike() -> None:
    found = ranked([(1.0, 0.5), *FAR], [(1.0, 0.25)], gold=[{0}], floor=0.5)
    assert (found["overlap"], found["sameFirst"]) == (1.0, 1.0)
    assert (found["hit"], found["hitsDiffer"]) == ([1, 1], 0)
    assert (found["atFloor"], found["floorDiffers"]) == ([1, 1], 0)


def test_what_half_precision_cannot_tell_apart_is_counted() -> None:
    """Eleven passages that differ by less than it keeps: the right one, the last, is nearest by
    what was made and beyond the ten by half precision.
    """
    passages = [(1.0, 0.5 - TINY * (11 - place)) for place in range(11)]
    found = ranked(passages, [(1.0, 0.75)], gold=[{10}], floor=0.0)
    assert found["sameFirst"] == 0
    assert (found["hit"], found["hitsDiffer"]) == ([1, 0], 1)
    assert found["leastOverlap"] == 0.9


def test_a_set_of_questions_is_asked_of_all_its_passages(tmp_path: Path) -> None:
    """Those with a known answer, at most so many; no word of either is in the figures."""
    words = [f"harbour{number} lamp{number}" for number in range(12)]
    documents = [
        {"id": f"d{number}", "title": f"Title {number}", "text": text}
        for number, text in enumerate(words)
    ]
    asked = [{"question": text, "gold": [f"d{number}"]} for number, text in enumerate(words)]
    asked.append({"question": "unanswerable", "gold": []})
    for name, lines in (("trades.docs", documents), ("trades.questions", asked)):
        text = "\n".join(json.dumps(line) for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    found = question_set(tmp_path, "trades", 6, HashingEmbedder())
    assert (found["passages"], found["questions"]) == (12, 6)
    assert (found["hit"], found["hitsDiffer"]) == ([6, 6], 0)
    assert "harbour" not in json.dumps(found)
