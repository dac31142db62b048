"""Answers written by a model over the Responses API, which stores nothing (R142, R161)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from fonds.contract.writer_reply import WriterReply, WriterTask
from fonds.providers.openai_calls import CallLimits, OpenAIAccess, OpenAICalls
from fonds.providers.openai_trouble import CallFailed
from fonds.providers.responses_reply import OutputText, output_text
from fonds.providers.responses_request import Effort, ResponsesRequest, not_written, sent
from fonds.providers.writer_schema import ANSWER_SCHEMA, SCHEMA_NAME, written_of

DEFAULT_ANSWER_MODEL = "gpt-4o-mini"
WRITER_LIMITS = CallLimits(request_seconds=30.0, total_seconds=30.0, attempts=2)
LONGEST_REPLY = 2**20


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
                lambda client: sent(client, self._request(task)), self._answers.limits
            )
        except CallFailed as failed:
            return not_written(failed)
        found = output_text(content)
        return written_of(found.text) if isinstance(found, OutputText) else found

    def close(self) -> None:
        """Let go of open connections."""
        self._calls.close()

    def _request(self, task: WriterTask) -> ResponsesRequest:
        return ResponsesRequest(
            model=self._answers.model,
            instructions=task.instructions,
            prompt=task.prompt,
            schema_name=SCHEMA_NAME,
            schema=ANSWER_SCHEMA,
            effort=self._answers.effort,
            subject=self._answers.safety_subject,
        )
