"""What may be embedded and which vectors may be kept, the same for every provider (R044)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fonds.contract.failures import ProviderMisbehaved, QueryRefused
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.contract.search_request import is_clean_text

EmbedSome = Callable[[Sequence[str]], Sequence[Vector | str]]


def reason_to_refuse(text: str) -> str | None:
    """Why a text is not embedded, None when it is.

    A NUL cuts a text silently in the local engine, an empty one has a valid-looking vector, and a
    lone surrogate cannot be sent at all.
    """
    if not is_clean_text(text):
        return "holds a NUL or a lone surrogate"
    if all(unicodedata.category(c)[0] in "ZC" for c in text):
        return "holds no text"
    return None


def checked_query(text: str) -> str:
    """Raises QueryRefused for a question nothing can be embedded of."""
    reason = reason_to_refuse(text)
    if reason is not None:
        raise QueryRefused("q", reason)
    return text


def unit_vector(values: NDArray[np.float64]) -> Vector | str:
    """The vector at length one, or why it cannot be kept.

    A cosine does not see the length, and half precision holds nothing above 65,504. What rounds to
    zero in half precision is refused as it came: scaling it up would make a direction out of noise.
    """
    if not np.isfinite(values).all():
        return "its vector holds a value that is not a finite number"
    # Compared as numbers, since casting a large value to half precision overflows.
    if values.size == 0 or np.abs(values).max() < float(np.finfo(np.float16).smallest_subnormal):
        return "its vector is zero in half precision"
    scaled = values / np.abs(values).max()
    return tuple((scaled / np.linalg.norm(scaled)).tolist())


def embed_clean(texts: Sequence[str], embed: EmbedSome) -> EmbedOutcome:
    """Keep unusable texts from the provider, embed the others, put all back in their positions."""
    refused = {i: reason for i, text in enumerate(texts) if (reason := reason_to_refuse(text))}
    kept = [i for i in range(len(texts)) if i not in refused]
    vectors: list[Vector | None] = [None] * len(texts)
    for position, found in zip(kept, embed([texts[i] for i in kept]) if kept else (), strict=True):
        if isinstance(found, str):
            refused[position] = found
        else:
            vectors[position] = found
    return EmbedOutcome(tuple(vectors), tuple(sorted(refused.items())))


def query_vector(found: Sequence[Vector | str]) -> Vector:
    """The one vector of a question. Raises ProviderMisbehaved where it cannot be used (R044)."""
    (only,) = found
    if isinstance(only, str):
        raise ProviderMisbehaved(f"embedding the question: {only}")
    return only
