"""Samples of question sets: passages, questions, and which of them the passages can answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from eval.questions import Row, rows, spaced
from fonds.contract.normalised_text import normalised_text
from fonds.contract.search_request import MAX_QUERY_CHARS, MAX_QUERY_WORDS

Kind: TypeAlias = Literal["answerable", "private", "near-miss", "near-private", "absent"]
KINDS: tuple[Kind, ...] = ("answerable", "private", "near-miss", "near-private", "absent")
UNANSWERABLE: tuple[Kind, ...] = ("near-miss", "near-private", "absent")
LEFT_OUT = 4  # one article in so many is not filed, so that its questions are out of the archive
KEPT_PRIVATE = 8  # one in so many is filed as private notes, which are found and never quoted
CALIBRATES: tuple[Kind, ...] = ("answerable", "absent")
"""A near-miss looks like an answer to a gate: calibrated on many it refuses what is answerable."""
LANGUAGES = {"jaquad": "ja"}  # of a set whose questions do not say theirs


@dataclass(frozen=True, slots=True)
class QaQuestion:
    """`gold` are the ids of filed passages that answer it.

    `private`: they are all private. `near-miss`: a passage on the topic is filed, and does not
    answer. `near-private`: the same, and every such passage is private, so that a route to it is
    no mistake of the search. `absent`: nothing on the topic is filed.
    """

    text: str = field(repr=False)
    kind: Kind
    language: str
    gold: frozenset[str] = frozenset()


_Groups: TypeAlias = dict[tuple[str, Kind], list[tuple[Row, QaQuestion]]]


@dataclass(frozen=True, slots=True)
class QaSample:
    """Passages by id with those that are private, and questions about them.

    `calibration` are questions of the same kinds that are not among those to measure with.
    """

    name: str
    passages: Mapping[str, Row] = field(repr=False)
    private: frozenset[str]
    questions: tuple[QaQuestion, ...]
    calibration: tuple[QaQuestion, ...] = ()


def sampled(
    folder: Path, name: str, *, passages: int, questions: int, calibrated: int = 0
) -> QaSample:
    """At most `questions` of each kind and language, with every filed passage they name; and at
    most `calibrated` others of what is answerable and of what is absent.

    Filled up with others to `passages`. Articles are left out only of sets whose every question
    names a passage.
    """
    documents = rows(folder / f"{name}.docs.jsonl")
    asked = [
        row
        for row in rows(folder / f"{name}.questions.jsonl")
        if row["answerable"] is not None
        and len(row["question"]) <= MAX_QUERY_CHARS
        and len(row["question"].split()) <= MAX_QUERY_WORDS
    ]
    titles = sorted({row["title"] for row in documents})
    names_all = all(row["gold"] or row["near_miss"] for row in asked)
    left_out = set(titles[LEFT_OUT - 1 :: LEFT_OUT]) if names_all else set[str]()
    filed = {row["id"]: row for row in documents if row["title"] not in left_out}
    hidden = set([title for title in titles if title not in left_out][1::KEPT_PRIVATE])
    private = frozenset(key for key, row in filed.items() if row["title"] in hidden)
    groups = _grouped(asked, filed, private, LANGUAGES.get(name, "en"))
    chosen, spare = _chosen(groups, questions, calibrated)
    used = [row for row, _ in (*chosen, *spare)]
    named = {key for row in used for key in (*row["gold"], *row["near_miss"]) if key in filed}
    others = spaced([row for key, row in filed.items() if key not in named], max(1, passages))
    filler = [row["id"] for row in others[: max(0, passages - len(named))]]
    kept = {key: row for key, row in filed.items() if key in named or key in filler}
    measured, others = (tuple(one for _, one in part) for part in (chosen, spare))
    return QaSample(name, kept, private & kept.keys(), measured, others)


def _grouped(
    asked: Sequence[Row], filed: Mapping[str, Row], private: frozenset[str], language: str
) -> _Groups:
    groups: _Groups = {}
    for row in asked:
        gold = frozenset(key for key in row["gold"] if key in filed)
        kind = _kind(row, gold, filed, private)
        one = QaQuestion(row["question"], kind, row.get("lang") or language, gold)
        groups.setdefault((one.language, kind), []).append((row, one))
    return groups


def _chosen(
    groups: _Groups, most: int, calibrated: int
) -> tuple[list[tuple[Row, QaQuestion]], list[tuple[Row, QaQuestion]]]:
    """What is measured, from all over the file; and what is left for a calibration, likewise."""
    chosen: list[tuple[Row, QaQuestion]] = []
    spare: list[tuple[Row, QaQuestion]] = []
    for (_, kind), found in sorted(groups.items()):
        wanted = calibrated if kind in CALIBRATES else 0
        # Where a set has too few for both, measuring and calibrating share what there is.
        keep = min(most, max(len(found) - wanted, len(found) // 2))
        taken = found[:: max(1, len(found) // keep)][:keep] if keep else []
        asked = {normalised_text(one.text) for _, one in taken}
        rest = [pair for pair in found if normalised_text(pair[1].text) not in asked]
        chosen += taken
        spare += rest[:: max(1, len(rest) // wanted)][:wanted] if wanted else []
    return chosen, spare


def _kind(
    row: Row, gold: frozenset[str], filed: Mapping[str, Row], private: frozenset[str]
) -> Kind:
    if gold:
        return "private" if gold <= private else "answerable"
    near = {key for key in row["near_miss"] if key in filed}
    if not near:
        return "absent"
    return "near-private" if near <= private else "near-miss"
