"""What a model is sent: versioned instructions, and framed data (R140, R141)."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from fonds.contract.sealed import sealed
from fonds.contract.writer_reply import WriterTask

if TYPE_CHECKING:
    from fonds.contract.answer_evidence import AnswerEvidence, AnswerHint, AnswerRecord

PROMPT_VERSION: Final = "answer.v1"
"""Recorded on every result. A test ties it to the bytes of its file."""
_SLOT: Final = re.compile(r"\{\{(archive|author)\}\}")


@sealed
@dataclass(frozen=True, slots=True)
class AboutArchive:
    """Whose archive answers; the two names come from the owner's own file."""

    name: str
    author: str


@sealed
@dataclass(frozen=True, slots=True)
class _Framed:
    """One piece of data: its marker's words, single-line fields and free text."""

    kind: str
    fields: tuple[tuple[str, str], ...] = field(repr=False)
    text: str = field(default="", repr=False)


def writer_task(question: str, evidence: AnswerEvidence, about: AboutArchive) -> WriterTask:
    """The whole request to a writer; no gist can be among it."""
    return WriterTask(
        instructions=instructions(about),
        prompt=framed_prompt(question, evidence.records, evidence.hints),
        question=question,
        evidence=evidence,
    )


def instructions(about: AboutArchive) -> str:
    """The instructions of PROMPT_VERSION with the two names put in, once each slot."""
    names = {"archive": _one_line(about.name), "author": _one_line(about.author)}
    return _SLOT.sub(lambda slot: names[slot[1]], prompt_text())


def prompt_text() -> str:
    """The file of PROMPT_VERSION as it stands."""
    file = files("fonds.answering") / "prompts" / f"{PROMPT_VERSION}.md"
    return file.read_text(encoding="utf-8")


def framed_prompt(
    question: str, records: tuple[AnswerRecord, ...], hints: tuple[AnswerHint, ...]
) -> str:
    """Question, records and hints, each in a frame that its content cannot end.

    The frames' code is derived from all the data and occurs nowhere in it, so the same request
    gives the same bytes, and a passage that wanted to close its frame would have to hold the hash
    of itself.
    """
    pieces = [
        _Framed("question", (), question),
        *(_framed_record(record) for record in records),
        *(_framed_hint(hint) for hint in hints),
    ]
    bodies = [_body(piece) for piece in pieces]
    code = _frame_code(bodies)
    frames = [
        f"<<<{code} {piece.kind}>>>\n{body}\n<<<{code} end of {piece.kind}>>>"
        for piece, body in zip(pieces, bodies, strict=True)
    ]
    return "\n\n".join(frames) + "\n"


def _framed_record(record: AnswerRecord) -> _Framed:
    optional = (
        ("date", record.date or ""),
        ("themes", ", ".join(record.themes)),
        ("summary", record.summary),
    )
    fields = (
        ("id", record.record_id),
        ("url", record.url),
        ("type", record.type),
        ("title", record.title),
        *((name, content) for name, content in optional if content),
    )
    return _Framed("record", fields, record.body)


def _framed_hint(hint: AnswerHint) -> _Framed:
    return _Framed(
        "hint",
        (("id", hint.hint_id), ("url", hint.url), ("title", hint.label), ("locator", hint.locator)),
    )


def _body(piece: _Framed) -> str:
    lines = [f"{name}: {_quoted(content)}" for name, content in piece.fields]
    if piece.text:
        lines += ["body:" if piece.fields else "text:", piece.text]
    return "\n".join(lines)


def _quoted(content: str) -> str:
    """A JSON string: whatever it holds, it stays on its line."""
    text = json.dumps(content, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def _frame_code(bodies: list[str]) -> str:
    digest = hashlib.sha256(json.dumps(bodies).encode())
    code = digest.hexdigest()[:16]
    while any(code in body.lower() for body in bodies):
        digest.update(b"again")
        code = digest.hexdigest()[:16]
    return code


def _one_line(text: str) -> str:
    return " ".join(text.split())
