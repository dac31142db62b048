"""What the whole keyless way made of questions: both ways to be wrong, routes and citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, TypeAlias

from eval.benchmarks.qa_sets import UNANSWERABLE, Kind, QaQuestion
from fonds.answering.extractive import ExtractiveWriter
from fonds.answering.refusal import Answered, Refused
from fonds.contract.writer_reply import WriterReply, WriterTask

Json: TypeAlias = dict[str, Any]
ANSWERED = 0.6
"""The share of answerable questions at which false answers are compared."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One question after search and ask; `reply` is None where only retrieval was asked for.

    `best` is the signal of the best sentence the writer weighed, None where no record reached it.
    """

    question: QaQuestion
    found: tuple[bool, ...]  # of the public hits in order, whether each is a gold passage
    golds: int
    signals: Mapping[str, float]
    reply: Answered | Refused | None = field(default=None, repr=False)
    cited: tuple[bool, ...] = ()
    best: float | None = None

    @property
    def mode(self) -> str:
        return "" if self.reply is None else self.reply.mode

    @property
    def is_answered(self) -> bool:
        return self.mode in ("supported", "partial")


@dataclass(slots=True)
class WatchedWriter:
    """The keyless writer, which remembers the signal of the best sentence of its last question."""

    inner: ExtractiveWriter
    best: float | None = None

    @property
    def name(self) -> str:
        return self.inner.name

    def write(self, task: WriterTask) -> WriterReply:
        if task.evidence.records:
            weighed = self.inner.weighed(task.question, task.evidence.records)
            self.best = max((one.signal for one in weighed), default=0.0)
        return self.inner.write(task)


def asked_figures(by_kind: Mapping[Kind, Sequence[Measured]]) -> Json:
    """Counts over the questions that were asked to the end."""
    replies: dict[Kind, list[Measured]] = {
        kind: [one for one in found if one.reply is not None] for kind, found in by_kind.items()
    }
    held = replies["answerable"]
    answered = [one for one in held if one.is_answered]
    return {
        "falseAnswers": {
            kind: _count(one.is_answered for one in replies[kind]) for kind in UNANSWERABLE
        },
        "falseRefusals": _count(one.mode == "not-found" for one in held),
        "falseRoutes": {
            kind: _count(one.mode == "related-material" for one in replies[kind])
            for kind in UNANSWERABLE
        },
        "routedToPrivate": _count(
            one.mode in ("related-material", "supported") and any(one.cited)
            for one in replies["private"]
        ),
        "citesItsPassage": _count(any(one.cited) for one in answered),
        "citationsRight": _count(right for one in answered for right in one.cited),
        "refusedFor": _reasons(held),
        "atSixtyAnswered": at_share_answered(replies, ANSWERED),
    }


def at_share_answered(replies: Mapping[Kind, Sequence[Measured]], share: float) -> Json | None:
    """The false answers there would be with the writer's floor where just so many answerable
    questions are answered; None where the layers before the writer let fewer through.

    The floor is read off the same questions: it compares writers and promises nothing.
    """
    held = sorted((one.best for one in replies["answerable"] if one.best is not None), reverse=True)
    wanted = ceil(share * len(replies["answerable"]))
    if not wanted or len(held) < wanted:
        return None
    floor = held[wanted - 1]
    reached = {
        kind: _count(one.best is not None and one.best >= floor for one in replies[kind])
        for kind in ("answerable", *UNANSWERABLE)
    }
    return {
        "floor": round(floor, 3),
        "answered": reached.pop("answerable"),
        "falseAnswers": reached,
    }


def _reasons(held: Sequence[Measured]) -> dict[str, int]:
    reasons = [one.reply.reason for one in held if isinstance(one.reply, Refused)]
    return {reason: reasons.count(reason) for reason in sorted(set(reasons))}


def _count(them: Iterable[bool]) -> dict[str, int]:
    given = list(them)
    return {"count": sum(given), "of": len(given)}
