"""One call of the Responses API as we make it: strict schema, nothing kept by the provider
(R142, A24).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import openai

from fonds.contract.writer_reply import NotWritten
from fonds.providers.openai_trouble import CallFailed

MAX_OUTPUT_TOKENS = 4000  # a dozen sentences take 800, a gist 150; the rest is room for reasoning
_REASONING = re.compile(r"(?:ft:)?(?:gpt-5|o[0-9])")  # these refuse a temperature

Effort: TypeAlias = Literal["minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class ResponsesRequest:
    """What is asked of which model, in which form. `subject` names who asks: sent hashed."""

    model: str
    instructions: str = field(repr=False)
    prompt: str = field(repr=False)
    schema_name: str
    schema: Mapping[str, Any]
    effort: Effort = "low"
    subject: str | None = None


def sent(client: openai.OpenAI, request: ResponsesRequest) -> bytes:
    """The reply's bytes, read by nobody yet; raises what the client raises.

    The provider is told to store nothing. A model that reasons gets an effort, any other a
    temperature of zero.
    """
    reasons = is_reasoning_model(request.model)
    subject = request.subject
    return client.responses.with_raw_response.create(
        model=request.model,
        instructions=request.instructions,
        input=request.prompt,
        store=False,
        max_output_tokens=MAX_OUTPUT_TOKENS,
        temperature=openai.omit if reasons else 0,
        reasoning={"effort": request.effort} if reasons else openai.omit,
        safety_identifier=_hashed(subject) if subject else openai.omit,
        text={
            "format": {
                "type": "json_schema",
                "name": request.schema_name,
                "strict": True,
                "schema": dict(request.schema),
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


def _hashed(subject: str) -> str:
    """Who asks, as a provider may know it."""
    return hashlib.sha256(f"fonds:{subject}".encode()).hexdigest()[:32]
