"""Embeddings of OpenAI, or of any server with its API (R043, R044, R194).

Private text goes to this provider: its terms are the operator's to check, since the embeddings API
has no switch for retention.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Literal

import httpx2
import openai

from fonds.contract.embed_string import MAX_EMBED_BYTES, cut_to_bytes
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import Misconfigured
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.providers.embed_checks import checked_query, embed_clean, query_vector
from fonds.providers.embeddings_reply import embeddings_of
from fonds.providers.openai_calls import CallLimits, OpenAIAccess, OpenAICalls
from fonds.providers.openai_trouble import CallFailed

MAX_INPUTS = 2048
MAX_REQUEST_BYTES = 2**20
REQUEST_FRAME_BYTES = 1024  # model name, options and braces around the inputs
LONGEST_REPLY = 256 * 2**20  # 2,048 vectors of 4,000 numbers, written out in JSON, take 170 MB
IN_JOBS = CallLimits(request_seconds=120.0, total_seconds=600.0, attempts=6)
IN_REQUESTS = CallLimits(request_seconds=30.0, total_seconds=30.0, attempts=2)
# Not measured here, for want of a key: the contract's own default (R102).
OPENAI_SCORE_FLOOR = 0.2
PROBE = "archive"

Side = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class OpenAIEmbedding:
    """The model and how it is asked. Everything that shifts a vector is part of the space.

    `input_types` sends `input_type` query or passage beside the text, for servers that choose by
    it; `ask_dimensions` sends `dimensions`, None meaning for the models that are known to take it.
    """

    model: str = "text-embedding-3-small"
    dimensions: int = 1536
    query_prefix: str = ""
    passage_prefix: str = ""
    input_types: bool = False
    encoding: Literal["base64", "float"] = "base64"
    ask_dimensions: bool | None = None

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace(
            provider="openai",
            model=f"{self.model}+input_type" if self.input_types else self.model,
            dimensions=self.dimensions,
            query_prefix=self.query_prefix,
            passage_prefix=self.passage_prefix,
            default_floor=OPENAI_SCORE_FLOOR,
        )

    @property
    def sends_dimensions(self) -> bool:
        if self.ask_dimensions is not None:
            return self.ask_dimensions
        return self.model.startswith("text-embedding-3")


class OpenAIEmbedder:
    """Needs no key until it embeds. Safe to share between threads.

    A call goes out in requests of at most 2,048 inputs and 1 MiB, and fails as a whole: a caller
    that wants to keep what is done hands over no more than one request's worth at a time.
    """

    def __init__(
        self,
        access: OpenAIAccess,
        embedding: OpenAIEmbedding | None = None,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedding = embedding or OpenAIEmbedding()
        self._space = self._embedding.space
        self._calls = OpenAICalls(
            "the embedder", access, LONGEST_REPLY, transport=transport, sleep=sleep, clock=clock
        )
        self._accepts_input = False

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        """One vector a text, in order. A text the provider refuses is named; its neighbours are
        embedded.

        Raises ProviderUnavailable after bounded attempts, ProviderMisbehaved for a reply that
        cannot be paired with the texts, Misconfigured for a missing or refused key and an unknown
        model.
        """
        return embed_clean(texts, self._passages)

    def embed_query(self, text: str) -> Vector:
        """As `embed_passages`, in at most 30 s; raises QueryRefused for a question without text."""
        inputs = [self._input(checked_query(text), "query")]
        try:
            return query_vector(self._request(inputs, "query", IN_REQUESTS))
        except CallFailed as failed:
            raise failed.failure from None

    def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """As `embed_query`, in as few requests as the limits allow and with the time of a job."""
        inputs = [self._input(checked_query(text), "query") for text in texts]
        try:
            replies = [self._request(part, "query", IN_JOBS) for part in _requests(inputs)]
        except CallFailed as failed:
            raise failed.failure from None
        return tuple(query_vector([one]) for reply in replies for one in reply)

    def close(self) -> None:
        """Let go of open connections."""
        self._calls.close()

    def _passages(self, texts: Sequence[str]) -> list[Vector | str]:
        inputs = [self._input(text, "passage") for text in texts]
        return [found for part in _requests(inputs) for found in self._some(part)]

    def _some(self, inputs: Sequence[str]) -> list[Vector | str]:
        """One request, halved as long as the provider refuses it for what is in it."""
        try:
            found = self._request(inputs, "passage", IN_JOBS)
        except CallFailed as failed:
            if failed.kind != "input":
                raise failed.failure from None
            self._check_settings()
            if len(inputs) == 1:
                return [f"the provider refuses this text ({failed.detail})"]
            half = len(inputs) // 2
            return self._some(inputs[:half]) + self._some(inputs[half:])
        self._accepts_input = True
        return found

    def _check_settings(self) -> None:
        """Tell a text that is refused from settings that are: without it each text is asked for
        twice.

        Raises Misconfigured where not even a single harmless word is embedded.
        """
        if self._accepts_input:
            return
        try:
            self._request([self._input(PROBE, "passage")], "passage", IN_JOBS)
        except CallFailed as failed:
            if failed.kind != "input":
                raise failed.failure from None
            raise Misconfigured(
                f"the embedder refuses any input ({failed.detail}); check embedding.model, "
                "embedding.dimensions and the base URL"
            ) from None
        self._accepts_input = True

    def _request(self, inputs: Sequence[str], side: Side, limits: CallLimits) -> list[Vector | str]:
        chosen = self._embedding

        def send(client: openai.OpenAI) -> bytes:
            return client.embeddings.with_raw_response.create(
                model=chosen.model,
                input=list(inputs),
                encoding_format=chosen.encoding,
                dimensions=chosen.dimensions if chosen.sends_dimensions else openai.omit,
                extra_body={"input_type": side} if chosen.input_types else None,
            ).content

        return embeddings_of(self._calls.reply(send, limits), len(inputs), chosen.dimensions)

    def _input(self, text: str, side: Side) -> str:
        chosen = self._embedding
        prefix = chosen.query_prefix if side == "query" else chosen.passage_prefix
        return cut_to_bytes(prefix + text, MAX_EMBED_BYTES)


def _requests(inputs: Sequence[str]) -> Generator[list[str]]:
    """The inputs in order, in groups within both limits as written on the wire (R043)."""
    part: list[str] = []
    size = REQUEST_FRAME_BYTES
    for text in inputs:
        written = len(json.dumps(text, ensure_ascii=False).encode()) + 1
        if part and (len(part) == MAX_INPUTS or size + written > MAX_REQUEST_BYTES):
            yield part
            part, size = [], REQUEST_FRAME_BYTES
        part.append(text)
        size += written
    if part:
        yield part
