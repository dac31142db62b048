"""The one shape an answer may have: sent as a strict schema, checked when it is back (R142)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.contract.citation import AnswerMode, Citation
from fonds.contract.search_request import is_clean_text
from fonds.contract.writer_reply import NotWritten, Written, WrittenSentence

SCHEMA_NAME = "archive_answer"


def _strict(properties: dict[str, Any]) -> dict[str, Any]:
    """An object of exactly these properties: strict mode wants all required and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _pointer(kind: str, id_name: str) -> dict[str, Any]:
    return _strict(
        {
            "kind": {"type": "string", "enum": [kind]},
            id_name: {"type": "string"},
            "url": {"type": "string"},
        }
    )


# Written out: what pydantic derives (oneOf, discriminator) is outside of what strict mode takes.
ANSWER_SCHEMA: dict[str, Any] = _strict(
    {
        "mode": {
            "type": "string",
            "enum": ["supported", "partial", "related-material", "not-found"],
        },
        "sentences": {
            "type": "array",
            "items": _strict(
                {
                    "text": {"type": "string"},
                    "citations": {
                        "type": "array",
                        "items": {
                            "anyOf": [_pointer("record", "recordId"), _pointer("hint", "hintId")]
                        },
                    },
                }
            ),
        },
    }
)


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class _Record(_Shape):
    kind: Literal["record"]
    recordId: str  # noqa: N815
    url: str


class _Hint(_Shape):
    kind: Literal["hint"]
    hintId: str  # noqa: N815
    url: str


class _Sentence(_Shape):
    text: str = Field(repr=False)
    citations: list[Annotated[_Record | _Hint, Field(discriminator="kind")]]


class _Answer(_Shape):
    mode: AnswerMode
    sentences: list[_Sentence]


def written_of(text: str) -> Written | NotWritten:
    """The reply as a value. Shape only: repair, grounding and claim checks are not done here."""
    if not is_clean_text(text):
        return NotWritten("unparseable_response", "unclean text")
    try:
        answer = _Answer.model_validate_json(text)
    except ValidationError as error:
        # The kind of the first error; its message and location can hold the model's words.
        return NotWritten("unparseable_response", error.errors(include_input=False)[0]["type"])
    sentences = tuple(
        WrittenSentence(s.text, tuple(_citation(c) for c in s.citations)) for s in answer.sentences
    )
    # An escaped NUL is clean until it is decoded.
    words = [s.text for s in sentences]
    words += [word for s in sentences for c in s.citations for word in (c.id, c.url)]
    if not all(is_clean_text(word) for word in words):
        return NotWritten("unparseable_response", "unclean text")
    return Written(answer.mode, sentences)


def _citation(found: _Record | _Hint) -> Citation:
    match found:
        case _Record():
            return Citation("record", found.recordId, found.url)
        case _Hint():
            return Citation("hint", found.hintId, found.url)
