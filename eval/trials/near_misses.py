"""What the keyless writer's floor trades: questions answered against near-misses answered.

    python -m eval.trials.near_misses --qa DIR [--set squad2] [--passages 80] [--most 10]

DIR holds NAME.docs.jsonl and NAME.questions.jsonl. Each question is put to the writer with the one
passage it belongs to: an answerable one with the passage that answers it, a near-miss with the one
that does not. Retrieval and the passage floors are left out, so that the writer alone decides.

Passages are dealt in two halves by their title: a floor is read off `tuned` and its two rates are
given on `held`. Prints figures, no words.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eval.questions import Row, rows, spaced
from eval.trials.answering import hit_of
from eval.trials.claim_mutations import chosen
from eval.trials.claims import rate
from fonds.answering.evidence import gathered_evidence
from fonds.answering.extractive import SENTENCE_FLOOR, ExtractiveWriter
from fonds.providers.local_embedder import LocalEmbedder

ANSWERED: Final = 0.6
"""The share of answerable questions at which false answers are compared."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A question's best signal, and which half and kind it is of."""

    half: str
    answerable: bool
    signal: float


def main() -> None:
    """One JSON object."""
    options = _options()
    writer = ExtractiveWriter("", LocalEmbedder())
    found = {
        name: measured(list(decided(options.qa, name, options.passages, options.most, writer)))
        for name in options.set or ["squad2"]
    }
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


def decided(
    folder: Path, name: str, passages: int, most: int, writer: ExtractiveWriter
) -> Iterator[Decided]:
    """Every question of the chosen passages, with the signal of its best sentence."""
    asked: dict[str, list[Row]] = {}
    for row in rows(folder / f"{name}.questions.jsonl"):
        for passage_id in (row["gold"] or row["near_miss"])[:1]:
            asked.setdefault(passage_id, []).append(row)
    held = [row for row in rows(folder / f"{name}.docs.jsonl") if row["id"] in asked]
    for passage in spaced(held, passages):
        records = gathered_evidence((hit_of(passage, 1.0),)).evidence.records
        half = "held" if chosen(str(passage["title"])) % 2 else "tuned"
        for row in asked[passage["id"]][:most]:
            weighed = writer.weighed(row["question"], records)
            best = max((one.signal for one in weighed), default=0.0)
            yield Decided(half, bool(row["answerable"]), best)


def measured(found: Sequence[Decided]) -> Row:
    """Area, the rates at the default floor, and at the floor where enough is answered."""
    tuned = [one for one in found if one.half == "tuned"]
    signals = sorted((one.signal for one in tuned if one.answerable), reverse=True)
    floor = signals[max(0, round(ANSWERED * len(signals)) - 1)] if signals else 0.0
    return {
        half: {
            "area": round(area(of_half), 3),
            "atDefaultFloor": at_floor(of_half, SENTENCE_FLOOR),
            "atFloorForSixtyPercent": at_floor(of_half, floor),
            "curve": [at_floor(of_half, step / 20) for step in range(8, 20)],
        }
        for half in ("tuned", "held")
        if (of_half := [one for one in found if one.half == half])
    }


def at_floor(found: Sequence[Decided], floor: float) -> Row:
    """How many of each kind reach a floor."""
    kinds = {"answered": True, "falseAnswers": False}
    return {"floor": round(floor, 3)} | {
        name: rate([one.signal >= floor for one in found if one.answerable == kind])
        for name, kind in kinds.items()
    }


def area(found: Sequence[Decided]) -> float:
    """The chance that an answerable question stands above a near-miss."""
    right = [one.signal for one in found if one.answerable]
    wrong = [one.signal for one in found if not one.answerable]
    wins = sum((a > b) + (a == b) / 2 for a in right for b in wrong)
    return wins / (len(right) * len(wrong)) if right and wrong else 0.0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--set", action="append", help="name of a set; may repeat")
    parser.add_argument("--passages", type=int, default=80)
    parser.add_argument("--most", type=int, default=10, help="questions of each passage")
    return parser.parse_args()


if __name__ == "__main__":
    main()
