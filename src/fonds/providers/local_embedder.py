"""The `local` space: bundled weights, no key, nothing leaves the machine (R045)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.providers.centring import Centring, read_centring
from fonds.providers.embed_checks import checked_query, embed_clean, query_vector, unit_vector
from fonds.providers.local_model import (
    LOCAL_DIMENSIONS,
    LOCAL_MODEL,
    PASSAGE_PREFIX,
    QUERY_PREFIX,
    RawModel,
    Side,
    load_local_model,
    raw_vectors,
)

# Measured with `python -m eval.centring --dry-run --most 60 --qa DIR` on six sets of questions in
# English, Japanese, German, Arabic, Chinese and Thai, 60 passages each. Unrelated passages have
# a median of .06 to .17, right ones of .35 to .61. At .2, 0 to 4% of answerable questions find
# nothing and 0 to 63% of those about an absent document stop here; at .25 it is 0 to 9%, at .3 0 to
# 18%. The best of an absent subject rises with the archive (.2 to .3 at 100 passages), so that a
# floor which refuses by itself would have to rise with it: that is the gate's work.
LOCAL_SCORE_FLOOR = 0.2
# Languages whose mean the centring has seen. Others keep a part of their language in every cosine,
# so that unrelated text scores higher and the floor lets more through.
COVERED_LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh")


def local_space(centring: Centring) -> EmbeddingSpace:
    """The identity of the space; the centring's digest is part of it, so other data is another
    space.
    """
    return EmbeddingSpace(
        provider="local",
        model=LOCAL_MODEL,
        dimensions=LOCAL_DIMENSIONS,
        query_prefix=QUERY_PREFIX,
        passage_prefix=PASSAGE_PREFIX,
        centring=centring.digest,
        default_floor=LOCAL_SCORE_FLOOR,
    )


class LocalEmbedder:
    """multilingual-e5-small in this process. Safe to share between threads; loads on the first
    text.

    The same text gives the same bits, alone or in a batch. Texts over 512 tokens are averaged over
    windows by the engine.
    """

    def __init__(
        self, centring: Centring | None = None, load: Callable[[], RawModel] = load_local_model
    ) -> None:
        self._centring = centring if centring is not None else read_centring()
        self._load = load
        self._model: RawModel | None = None
        self._loading = threading.Lock()
        self._space = local_space(self._centring)

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        """One vector a text, in order; a blank text or one with a NUL is refused by position.

        Raises Misconfigured or Unavailable where the model cannot be loaded.
        """
        return embed_clean(texts, lambda kept: self._embedded(kept, "passage"))

    def embed_query(self, text: str) -> Vector:
        """Raises QueryRefused for a question without text, else as `embed_passages`."""
        return query_vector(self._embedded([checked_query(text)], "query"))

    def _embedded(self, texts: Sequence[str], side: Side) -> list[Vector | str]:
        rows = self._centring.centred(raw_vectors(self._loaded(), texts, side))
        return [unit_vector(row) for row in rows.astype(np.float64)]

    def _loaded(self) -> RawModel:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model
