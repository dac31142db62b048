"""An embeddings server that misbehaves as told, on loopback, and counts what it is asked."""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from fonds.contract.failures import Failure
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_embedder import OpenAIEmbedder, OpenAIEmbedding

DIMENSIONS = 4
TEXTS = ["a mill", "a ford", "an orchard"]


@dataclass
class Answer:
    """What the server sends back."""

    status: int
    body: object
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


Behaviour = Callable[[int, list[str]], Answer]  # request number from 1, its inputs


def vector_for(text: str) -> list[float]:
    """The server's own vector of a text: four numbers that depend on its bytes."""
    raw = text.encode()
    return [1.0 + len(raw) % 7, 1.0 + sum(raw) % 11, 1.0 + raw[0] % 5, 1.0 + raw[-1] % 3]


def item(index: int, text: str) -> dict[str, Any]:
    return {"object": "embedding", "index": index, "embedding": vector_for(text)}


def embedded(inputs: list[str]) -> Answer:
    return Answer(200, reply([item(i, text) for i, text in enumerate(inputs)]))


def reply(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "list", "data": items, "model": "stub", "usage": {}}


def busy(retry_after: str = "1") -> Answer:
    return Answer(
        429, {"error": {"message": "slow down", "type": "x"}}, {"Retry-After": retry_after}
    )


def refused(status: int = 400) -> Answer:
    return Answer(status, {"error": {"message": "no: the input says hollyhock", "type": "x"}})


@dataclass
class StubProvider:
    """`seen` counts how often each text arrived, `requests` the requests."""

    base_url: str
    seen: Counter[str] = field(default_factory=Counter[str])
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@contextmanager
def stub_provider(behaviour: Behaviour) -> Generator[StubProvider]:
    """Serve `behaviour` at a free port of loopback for the length of the block."""
    stub = StubProvider("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked = json.loads(self.rfile.read(length))
            stub.requests.append(asked)
            stub.seen.update(asked["input"])
            answer = behaviour(len(stub.requests), asked["input"])
            content = json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, content_of in answer.headers.items():
                self.send_header(name, content_of)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    stub.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield stub
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


@contextmanager
def embedding(
    behaviour: Behaviour, sleep: Callable[[float], None] = lambda _: None
) -> Generator[tuple[OpenAIEmbedder, StubProvider]]:
    with stub_provider(behaviour) as stub:
        embedder = OpenAIEmbedder(
            OpenAIAccess(base_url=stub.base_url),
            OpenAIEmbedding(model="stub", dimensions=DIMENSIONS),
            sleep=sleep,
        )
        try:
            yield embedder, stub
        finally:
            embedder.close()


def failure_of(
    behaviour: Behaviour, texts: list[str] | None = None
) -> tuple[Failure, StubProvider]:
    with embedding(behaviour) as (embedder, stub):
        with pytest.raises(Failure) as raised:
            embedder.embed_passages(texts or TEXTS)
        return raised.value, stub


def cosine(found: tuple[float, ...] | None, text: str) -> float:
    assert found is not None
    own = vector_for(text)
    return sum(a * b for a, b in zip(found, own, strict=True)) / math.hypot(*own)
