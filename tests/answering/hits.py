"""Hits as the crossing hands them over, and doubles of a writer that do as they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fonds.answering.ask import SearchOutcome
from fonds.contract.attribution import Attribution
from fonds.contract.evidence_hit import (
    EvidenceHit,
    HitEntity,
    LocatorHit,
    Provenance,
    SemanticHit,
    TextHit,
)
from fonds.contract.locator import Locator, Place
from fonds.contract.writer_reply import WriterReply, WriterTask

WHOLE: Place = (Locator("whole", ""),)
KITES = (
    "The kite school met on Thursdays above the bakery. Osric Pell asked for 30 metres of line."
    " The pupils did not fly in fog."
)
GIST = "Two sisters sell the family piano and quarrel about the money."


def entity(slug: str, kind: str, /, **changes: object) -> HitEntity:
    fields: dict[str, object] = {
        "id": f"{kind}:{slug}",
        "type": kind,
        "title": f"On {slug}",
        "url": f"https://archive.example/{slug}/",
    }
    return HitEntity(**(fields | changes))  # pyright: ignore[reportArgumentType]


def text_hit(
    slug: str = "kites",
    text: str = KITES,
    *,
    score: float = 0.6,
    key: str = "whole",
    place: Place = WHOLE,
    summary: str = "",
    breakdown: Mapping[str, float] | None = None,
    **changes: object,
) -> TextHit:
    about = entity(slug, "essay", **changes)
    at = Provenance(
        fragment_id=f"{about.id}#{key}",
        entity=about,
        raw="public",
        place=place,
        locator_label="whole record",
        score=score,
        breakdown=breakdown,
    )
    return TextHit(at, text, summary)


def private_place(
    slug: str = "piano", *, score: float = 0.6, key: str = "p4", url: str | None = None
) -> Provenance:
    about = entity(
        slug,
        "note",
        attribution=(Attribution("R. Adeyemi"), Attribution("Voice", placeholder="unnamed")),
        version="manuscript",
        url=url or f"https://archive.example/notes/{slug}/",
    )
    return Provenance(
        fragment_id=f"{about.id}#{key}",
        entity=about,
        raw="private",
        place=(Locator("page", "4"),),
        locator_label="p. 4",
        score=score,
    )


def semantic_hit(slug: str = "piano", *, score: float = 0.6, gist: str = GIST) -> SemanticHit:
    return SemanticHit(private_place(slug, score=score), gist, "generated", "unreviewed")


def locator_hit(slug: str = "piano", *, score: float = 0.6, url: str | None = None) -> LocatorHit:
    return LocatorHit(private_place(slug, score=score, url=url))


def outcome(*hits: EvidenceHit, **changes: object) -> SearchOutcome:
    best = max(hits, key=lambda hit: hit.provenance.score, default=None)
    fields: dict[str, object] = {
        "hits": hits,
        "score_floor": 0.2,
        "coverage_floor": 0.5,
        "build_id": "build-7",
        "best_cosine": best.provenance.score if best else None,
        "best_score": best.provenance.score if best else None,
        "best_raw": best.provenance.raw if best else None,
    }
    return SearchOutcome(**(fields | changes))  # pyright: ignore[reportArgumentType]


class SayingWriter:
    """Gives one reply, made from the task, and keeps every task."""

    name = "saying"

    def __init__(self, reply: WriterReply | Callable[[WriterTask], WriterReply]) -> None:
        self.reply = reply
        self.tasks: list[WriterTask] = []

    def write(self, task: WriterTask) -> WriterReply:
        self.tasks.append(task)
        return self.reply(task) if callable(self.reply) else self.reply


class RaisingWriter:
    """Raises what it was given."""

    name = "raising"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def write(self, task: WriterTask) -> WriterReply:
        raise self.error


class UntouchableWriter:
    """Fails the test when a model would have been called (R144, R160)."""

    name = "untouchable"

    def write(self, task: WriterTask) -> WriterReply:
        raise AssertionError("the writer was called")


class KeptRefusals:
    """A refusal log in memory."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, Mapping[str, object]]] = []

    def note_refusal(self, reason: str, record: Mapping[str, object]) -> None:
        self.kept.append((reason, record))
