"""An answer as it goes out over HTTP: what a reader is to have of it, and nothing of how it was
made (R190).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from fonds.answering.refusal import Answered, CitedSource, Refused
from fonds.contract.refusal_reason import RefusalReason

CONTRACT = "archive-answer/1"
_CLOSED = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


@with_config(_CLOSED)
class WireCitation(TypedDict):
    kind: Literal["record", "hint"]
    id: str
    url: str
    title: str
    locatorLabel: str


@with_config(_CLOSED)
class WireAnswer(TypedDict):
    """`answer` is empty and `citations` are none when `mode` is not-found; `reason` is there then
    alone, and `record` where the host shows figures.
    """

    contract: Literal["archive-answer/1"]
    mode: Literal["supported", "partial", "related-material", "not-found"]
    answer: str
    citations: list[WireCitation]
    promptVersion: str
    reason: NotRequired[RefusalReason]
    record: NotRequired[Mapping[str, object]]


def answer_json(given: Answered | Refused, *, shows_figures: bool) -> WireAnswer:
    """The answer as JSON values; absent optionals are left out, never null."""
    wire: WireAnswer = {
        "contract": CONTRACT,
        "mode": given.mode,
        "answer": given.answer,
        "citations": [_citation_json(one) for one in given.citations],
        "promptVersion": given.prompt_version,
    }
    if isinstance(given, Refused):
        wire["reason"] = given.reason
        if shows_figures:
            wire["record"] = given.recorded
    return wire


def _citation_json(cited: CitedSource) -> WireCitation:
    return {
        "kind": cited.kind,
        "id": cited.id,
        "url": cited.url,
        "title": cited.title,
        "locatorLabel": cited.locator_label,
    }
