"""What a centring does to cosines: unrelated text, right passages, questions out of the archive."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.centring.fitting import fitted_centring
from eval.centring.sentences import Language
from eval.questions import rows, spaced
from fonds.providers.centring import Centring
from fonds.providers.local_model import Floats, Side

Embed = Callable[[Sequence[str], Side], Floats]
Report = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Raw vectors of one language: row i of the questions belongs to row i of the passages."""

    passages: Floats
    questions: Floats

    def some(self, start: int) -> Pairs:
        """Every second pair."""
        return Pairs(self.passages[start::2], self.questions[start::2])


def embedded(languages: Sequence[Language], embed: Embed) -> dict[str, Pairs]:
    """All sentences, by language."""
    return {
        each.code: Pairs(embed(each.passages, "passage"), embed(each.questions, "query"))
        for each in languages
    }


def groups(pairs: Mapping[str, Pairs]) -> list[Floats]:
    """Each side of each language."""
    return [side for each in pairs.values() for side in (each.passages, each.questions)]


def held_out(pairs: Mapping[str, Pairs]) -> Report:
    """Per language, by a centring that has seen neither the pairs measured nor, once, the language.

    `covered` is fitted on every second pair of all languages and measured on the others;
    `uncovered` is fitted on the other languages and shows what a language that is not in the data
    gets.
    """
    half = fitted_centring(groups({code: each.some(0) for code, each in pairs.items()}))
    report: Report = {}
    for code, each in pairs.items():
        others = {name: other for name, other in pairs.items() if name != code}
        report[code] = {
            "covered": _of_pairs(half, each.some(1)),
            "uncovered": _of_pairs(fitted_centring(groups(others)), each),
        }
    return report


def _of_pairs(centring: Centring, pairs: Pairs) -> Report:
    cosines = centring.centred(pairs.questions) @ centring.centred(pairs.passages).T
    own = np.eye(len(cosines), dtype=bool)
    return {"unrelated": spread(cosines[~own]), "right": spread(cosines[own])}


def spread(values: NDArray[Any]) -> list[float]:
    """The 5th, 50th and 95th percentile."""
    return [round(float(each), 3) for each in np.percentile(values, [5, 50, 95])]


def measured_qa(folder: Path, centring: Centring, embed: Embed, most: int) -> Report:
    """Per set of passages and questions in `folder`: every second document is the archive.

    Questions about the others are out of it. Nothing is kept.
    """
    report: Report = {}
    for path in sorted(folder.glob("*.docs.jsonl")):
        name = path.name.removesuffix(".docs.jsonl")
        sys.stderr.write(f"measuring {name}\n")  # a passage takes a quarter of a second
        report[name] = _of_set(path, folder / f"{name}.questions.jsonl", centring, embed, most)
    return report


def _of_set(docs: Path, questions: Path, centring: Centring, embed: Embed, most: int) -> Report:
    passages = rows(docs)
    titles = sorted({row["title"] for row in passages})
    inside = set(titles[::2])
    archive = [row for row in passages if row["title"] in inside][:most]
    place = {row["id"]: i for i, row in enumerate(archive)}
    foreign = {row["id"] for row in passages if row["title"] not in inside}
    asked = [row for row in rows(questions) if row["answerable"] and row["gold"]]
    here = spaced([row for row in asked if row["gold"][0] in place], most)
    absent = spaced([row for row in asked if row["gold"][0] in foreign], most)
    body = centring.centred(embed([f"{r['title']}\n\n{r['text']}" for r in archive], "passage"))
    cosines = centring.centred(embed([r["question"] for r in here], "query")) @ body.T
    away = centring.centred(embed([r["question"] for r in absent], "query")) @ body.T
    named = [place[row["gold"][0]] for row in here]
    unrelated = np.array(
        [[archive[i]["title"] != row["title"] for row in archive] for i in named], dtype=bool
    )
    return {
        "passages": len(archive),
        "questions": len(here),
        "unrelated": spread(cosines[unrelated]),
        "right": spread(cosines[np.arange(len(named)), named]),
        "first": round(float((cosines.argmax(axis=1) == np.array(named)).mean()), 3),
        "best_of_absent": spread(away.max(axis=1)),
        "right_below_floor": {
            str(floor): round(float((cosines.max(axis=1) < floor).mean()), 3)
            for floor in (0.15, 0.2, 0.25, 0.3)
        },
        "absent_below_floor": {
            str(floor): round(float((away.max(axis=1) < floor).mean()), 3)
            for floor in (0.15, 0.2, 0.25, 0.3)
        },
    }
