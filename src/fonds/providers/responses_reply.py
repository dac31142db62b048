"""What a Responses API reply amounts to, read before anything in it is parsed (R142)."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.contract.sealed import sealed
from fonds.contract.writer_reply import NotWritten


class _Content(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    type: str
    text: str = Field(default="", repr=False)


class _Output(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    type: str
    content: list[_Content] | None = None


class _Incomplete(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    reason: str | None = None


class _Response(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    status: str | None = None
    incomplete_details: _Incomplete | None = None
    output: list[_Output]


@sealed
@dataclass(frozen=True, slots=True)
class OutputText:
    """The text of a completed reply, all its parts joined. Not blank."""

    text: str = field(repr=False)


def output_text(content: bytes) -> OutputText | NotWritten:
    """The text of a completed reply, or why there is none.

    A truncated reply is unparseable, a provider's refusal or content filter a decline. `detail` is
    one of the words below, never what the provider wrote.
    """
    try:
        response = _Response.model_validate_json(content)
    except ValidationError:
        return NotWritten("unparseable_response", "not a response")
    parts = [
        part for item in response.output if item.type == "message" for part in item.content or ()
    ]
    if any(part.type == "refusal" for part in parts):
        return NotWritten("model_declined", "refusal")
    if (stopped := _stopped(response)) is not None:
        return stopped
    text = "".join(part.text for part in parts if part.type == "output_text")
    if not text.strip():
        return NotWritten("unparseable_response", "empty")
    return OutputText(text)


def _stopped(response: _Response) -> NotWritten | None:
    match response.status:
        case "completed" | None:  # servers of the same API leave the status out
            return None
        case "failed":
            return NotWritten("model_unavailable", "failed")
        case "incomplete":
            why = response.incomplete_details
            if why is not None and why.reason == "content_filter":
                return NotWritten("model_declined", "content_filter")
            return NotWritten("unparseable_response", "incomplete")
        case _:
            return NotWritten("unparseable_response", "not completed")
