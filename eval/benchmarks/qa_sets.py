"""Samples of question sets: passages, questions, and which of them the passages can answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from eval.questions import Row, rows, spaced
from fonds.contract.search_request import MAX_QUERY_CHARS, MAX_QUERY_WORDS

Kind: TypeAlias = Literal["answerable", "private", "near-miss", "absent"]
KINDS: tuple[Kind, ...] = ("answerable", "private", "near-miss", "absent")
LEFT_OUT = 4  # one article in so many is not filed, so that its questions are out of the archive
KEPT_PRIVATE = 8  # one in so many is filed as private notes, which are found and never quoted
LANGUAGES = {"jaquad": "ja"}  # of a set whose questions do not say theirs


@dataclass(frozen=True, slots=True)
class QaQuestion:
    """`gold` are the ids of filed passages that answer it.

    `private`: they are all private. `near-miss`: a passage on the topic is filed, and does not
    answer. `absent`: nothing on the topic is.
    """

    text: str = field(repr=False)
    kind: Kind
    language: str
    gold: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class QaSample:
    """Passages by id with those that are private, and questions about them."""

    name: str
    passages: Mapping[str, Row] = field(repr=False)
    private: frozenset[str]
    questions: tuple[QaQuestion, ...]


def sampled(folder: Path, name: str, *, passages: int, questions: int) -> QaSample:
    """At most `questions` of each kind and language, with every filed passage they name.

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
    chosen = _chosen(asked, filed, private, LANGUAGES.get(name, "en"), questions)
    named = {key for row, _ in chosen for key in (*row["gold"], *row["near_miss"]) if key in filed}
    others = spaced([row for key, row in filed.items() if key not in named], max(1, passages))
    filler = [row["id"] for row in others[: max(0, passages - len(named))]]
    kept = {key: row for key, row in filed.items() if key in named or key in filler}
    return QaSample(name, kept, private & kept.keys(), tuple(one for _, one in chosen))


def _chosen(
    asked: Sequence[Row],
    filed: Mapping[str, Row],
    private: frozenset[str],
    language: str,
    most: int,
) -> list[tuple[Row, QaQuestion]]:
    groups: dict[tuple[str, Kind], list[tuple[Row, QaQuestion]]] = {}
    for row in asked:
        gold = frozenset(key for key in row["gold"] if key in filed)
        kind = _kind(row, gold, filed, private)
        one = QaQuestion(row["question"], kind, row.get("lang") or language, gold)
        groups.setdefault((one.language, kind), []).append((row, one))
    step = {key: max(1, len(found) // most) for key, found in groups.items()}
    return [one for key, found in sorted(groups.items()) for one in found[:: step[key]][:most]]


def _kind(
    row: Row, gold: frozenset[str], filed: Mapping[str, Row], private: frozenset[str]
) -> Kind:
    if gold:
        return "private" if gold <= private else "answerable"
    return "near-miss" if any(key in filed for key in row["near_miss"]) else "absent"
