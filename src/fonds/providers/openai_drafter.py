"""Gists drafted by a model over the Responses API, which stores nothing (R081, R194)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.contract.draft_reply import Drafted, DraftReply, DraftTask
from fonds.contract.search_request import is_clean_text
from fonds.contract.writer_reply import NotWritten
from fonds.providers.model_names import openai_model_name
from fonds.providers.openai_calls import CallLimits, OpenAIAccess, OpenAICalls
from fonds.providers.openai_trouble import CallFailed
from fonds.providers.responses_reply import OutputText, output_text
from fonds.providers.responses_request import ResponsesRequest, not_written, sent

DEFAULT_GIST_MODEL = "gpt-4o-mini"
DRAFTER_LIMITS = CallLimits(request_seconds=120.0, total_seconds=240.0, attempts=2)
LONGEST_REPLY = 2**20
SCHEMA_NAME = "gist"
GIST_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"gist": {"type": "string"}},
    "required": ["gist"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class OpenAIDrafting:
    """The model and how it is asked. `safety_subject` names the archive: sent hashed."""

    model: str = DEFAULT_GIST_MODEL
    safety_subject: str | None = None
    limits: CallLimits = DRAFTER_LIMITS


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    gist: Annotated[str, Field(repr=False)]


class OpenAIDrafter:
    """Needs no key until it drafts. Safe to share between threads."""

    def __init__(
        self,
        access: OpenAIAccess,
        drafting: OpenAIDrafting | None = None,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._drafting = drafting or OpenAIDrafting()
        self._calls = OpenAICalls(
            "the drafter", access, LONGEST_REPLY, transport=transport, sleep=sleep, clock=clock
        )

    @property
    def model(self) -> str:
        """Stored with each draft: another model drafts again."""
        return openai_model_name(self._drafting.model)

    def draft(self, task: DraftTask) -> DraftReply:
        """The words as a value, whatever the provider does; the lint has not seen them.

        Raises Misconfigured for a missing or refused key and an unknown model; a defect passes
        through.
        """
        try:
            content = self._calls.reply(
                lambda client: sent(client, self._request(task)), self._drafting.limits
            )
        except CallFailed as failed:
            if failed.kind == "input":  # this passage alone, such as one too long for the model
                return NotWritten("model_declined", failed.detail)
            return not_written(failed)
        found = output_text(content)
        return _drafted(found.text) if isinstance(found, OutputText) else found

    def close(self) -> None:
        """Let go of open connections."""
        self._calls.close()

    def _request(self, task: DraftTask) -> ResponsesRequest:
        return ResponsesRequest(
            model=self._drafting.model,
            instructions=task.instructions,
            prompt=task.prompt,
            schema_name=SCHEMA_NAME,
            schema=GIST_SCHEMA,
            subject=self._drafting.safety_subject,
        )


def _drafted(text: str) -> DraftReply:
    try:
        gist = _Reply.model_validate_json(text).gist.strip()
    except ValidationError:
        return NotWritten("unparseable_response", "not a gist")
    if not gist:
        return NotWritten("unparseable_response", "an empty gist")
    if not is_clean_text(gist):
        return NotWritten("unparseable_response", "NUL or a lone surrogate")
    return Drafted(gist)
