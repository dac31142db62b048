"""Answers written by a model over the Responses API, which stores nothing (R142, R161)."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import httpx2
import openai

from fonds.contract.writer_reply import NotWritten, WriterReply, WriterTask
from fonds.providers.openai_calls import CallLimits, OpenAIAccess, OpenAICalls
from fonds.providers.openai_trouble import CallFailed
from fonds.providers.responses_reply import OutputText, output_text
from fonds.providers.writer_schema import ANSWER_SCHEMA, SCHEMA_NAME, written_of

DEFAULT_ANSWER_MODEL = "gpt-4o-mini"
WRITER_LIMITS = CallLimits(request_seconds=30.0, total_seconds=30.0, attempts=2)
LONGEST_REPLY = 2**20
MAX_OUTPUT_TOKENS = 4000  # a dozen sentences take 800; the rest is room for reasoning
_REASONING = re.compile(r"(?:ft:)?(?:gpt-5|o[0-9])")  # these refuse a temperature

Effort = Literal["minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class OpenAIAnswers:
    """The model and how it is asked. `safety_subject` names who asks, an archive or a key: sent
    hashed.
    """

    model: str = DEFAULT_ANSWER_MODEL
    effort: Effort = "low"
    safety_subject: str | None = None
    limits: CallLimits = WRITER_LIMITS


class OpenAIWriter:
    """Needs no key until it writes. Safe to share between threads."""

    def __init__(
        self,
        access: OpenAIAccess,
        answers: OpenAIAnswers | None = None,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._answers = answers or OpenAIAnswers()
        self._calls = OpenAICalls(
            "the answer model", access, LONGEST_REPLY, transport=transport, sleep=sleep, clock=clock
        )

    @property
    def name(self) -> str:
        return f"openai:{self._answers.model}"

    def write(self, task: WriterTask) -> WriterReply:
        """The reply as a value, whatever the provider does. Nothing of it is believed yet.

        Raises Misconfigured for a missing or refused key and an unknown model; a defect passes
        through.
        """
        try:
            content = self._calls.reply(
                lambda client: self._send(client, task), self._answers.limits
            )
        except CallFailed as failed:
            return not_written(failed)
        found = output_text(content)
        return written_of(found.text) if isinstance(found, OutputText) else found

    def close(self) -> None:
        """Let go of open connections."""
        self._calls.close()

    def _send(self, client: openai.OpenAI, task: WriterTask) -> bytes:
        chosen = self._answers
        reasons = is_reasoning_model(chosen.model)
        return client.responses.with_raw_response.create(
            model=chosen.model,
            instructions=task.instructions,
            input=task.prompt,
            store=False,
            max_output_tokens=MAX_OUTPUT_TOKENS,
            temperature=openai.omit if reasons else 0,
            reasoning={"effort": chosen.effort} if reasons else openai.omit,
            safety_identifier=hashed_subject(chosen.safety_subject)
            if chosen.safety_subject
            else openai.omit,
            text={
                "format": {
                    "type": "json_schema",
                    "name": SCHEMA_NAME,
                    "strict": True,
                    "schema": ANSWER_SCHEMA,
                }
            },
        ).content


def is_reasoning_model(model: str) -> bool:
    """Whether a model takes a reasoning effort in place of a temperature; a vendor's prefix is
    ignored.
    """
    return _REASONING.match(model.rsplit("/", 1)[-1]) is not None


def not_written(failed: CallFailed) -> NotWritten:
    """What a failed call amounts to; raises Misconfigured where that is the trouble."""
    match failed.kind:
        case "misconfigured":
            raise failed.failure from None
        case "unavailable":
            return NotWritten("model_unavailable", failed.detail)
        case "misbehaved":
            return NotWritten("unparseable_response", failed.detail)
        case "input":
            if failed.detail == "content_filter":
                return NotWritten("model_declined", failed.detail)
            return NotWritten("model_unavailable", failed.detail)


def hashed_subject(subject: str) -> str:
    """Who asks, as a provider may know it."""
    return hashlib.sha256(f"fonds:{subject}".encode()).hexdigest()[:32]
