"""A Responses API of our own making, behind the real client, and what it is asked in the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2

from fonds.contract.answer_evidence import AnswerEvidence
from fonds.contract.writer_reply import WriterReply, WriterTask
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_writer import OpenAIAnswers, OpenAIWriter

Handler = Callable[[httpx2.Request], httpx2.Response]
TASK = WriterTask(
    instructions="Answer from the records.",
    prompt="RECORDS ... QUESTION when does the ferry run",
    question="when does the ferry run",
    evidence=AnswerEvidence(),
)
ANSWER = {
    "mode": "supported",
    "sentences": [
        {
            "text": "The ferry runs at six.",
            "citations": [
                {"kind": "record", "recordId": "essay:ferry#1", "url": "https://example.org/f"},
                {"kind": "hint", "hintId": "note:tide#2", "url": "https://example.org/n"},
            ],
        }
    ],
}


def response(content: list[dict[str, Any]], **fields: object) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "id": "m", "content": content}
    return {
        "id": "r",
        "object": "response",
        "status": "completed",
        "output": [{"type": "reasoning", "id": "t", "summary": []}, message],
        **fields,
    }


def text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def writer(handler: Handler, answers: OpenAIAnswers | None = None) -> OpenAIWriter:
    return OpenAIWriter(
        OpenAIAccess(api_key="sk-made-up"),
        answers,
        transport=httpx2.MockTransport(handler),
        sleep=lambda _: None,
    )


def asked(
    body: object, status: int = 200, answers: OpenAIAnswers | None = None
) -> tuple[WriterReply, list[httpx2.Request]]:
    """The reply of one write, with the requests that were made of it."""
    requests: list[httpx2.Request] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(status, json=body)

    with_it = writer(handler, answers)
    try:
        return with_it.write(TASK), requests
    finally:
        with_it.close()
