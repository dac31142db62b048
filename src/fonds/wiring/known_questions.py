"""The questions of a suite embedded in one call, where each call costs (R183)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import ProviderMisbehaved, ProviderUnavailable
from fonds.contract.ports import BatchEmbedder, Embedder, EmbedOutcome, Vector


@dataclass(frozen=True, slots=True)
class KnownQuestions:
    """An embedder that has these questions' vectors and asks another for anything else."""

    inner: Embedder
    vectors: Mapping[str, Vector] = field(repr=False)

    @property
    def space(self) -> EmbeddingSpace:
        return self.inner.space

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return self.inner.embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        known = self.vectors.get(text)
        return self.inner.embed_query(text) if known is None else known


def knowing_embedder(embedder: Embedder, questions: Sequence[str]) -> Embedder:
    """The same embedder, which has embedded all of these in one call.

    One in this process is asked as the questions come. One that fails here is asked again for each:
    what a case cannot have is that case's failure.
    """
    if not questions or not isinstance(embedder, BatchEmbedder):
        return embedder
    asked = tuple(dict.fromkeys(questions))
    try:
        vectors = embedder.embed_queries(asked)
    except (ProviderUnavailable, ProviderMisbehaved):
        return embedder
    return KnownQuestions(embedder, dict(zip(asked, vectors, strict=True)))
