"""What a writer is asked, and every way it can answer, as values (R142, R161, R162)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fonds.contract.answer_evidence import AnswerEvidence
from fonds.contract.citation import AnswerMode, Citation
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class WriterTask:
    """`instructions` and `prompt` are sent; they are made of `question` and `evidence`."""

    instructions: str = field(repr=False)
    prompt: str = field(repr=False)
    question: str = field(repr=False)
    evidence: AnswerEvidence = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence and what it says it rests on."""

    text: str = field(repr=False)
    citations: tuple[Citation, ...]


@sealed
@dataclass(frozen=True, slots=True)
class Written:
    """A reply of the agreed shape, believed only after repair, grounding and checks."""

    mode: AnswerMode
    sentences: tuple[WrittenSentence, ...] = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class NotWritten:
    """No usable reply. `detail` is a type or status name, never content."""

    reason: Literal["model_declined", "unparseable_response", "model_unavailable"]
    detail: str = ""


WriterReply: TypeAlias = Written | NotWritten
