"""From raw vectors of several languages to one mean and the plane of the languages. Pure arithmetic."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from fonds.providers.centring import Centring, digest_of
from fonds.providers.local_model import Floats


def fitted(by_language: Sequence[Floats]) -> bytes:
    """The data file: row 0 the mean of the language means, then k-1 directions of their plane.

    The mean of means weighs each language alike, however many sentences it has. Signs are fixed, so
    that the same vectors give the same bytes.
    """
    means = np.stack([rows.astype(np.float64).mean(axis=0) for rows in by_language])
    mean = means.mean(axis=0)
    _, _, right = np.linalg.svd(means - mean, full_matrices=False)
    directions = right[: len(by_language) - 1]
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    directions = directions * np.sign(largest)[:, None]
    table = np.vstack([mean[None, :], directions]).astype(np.float32)
    buffer = io.BytesIO()
    np.save(buffer, table, allow_pickle=False)
    return buffer.getvalue()


def centring_of(content: bytes) -> Centring:
    """The centring in a data file that is not written yet."""
    table: Floats = np.load(io.BytesIO(content), allow_pickle=False)
    return Centring(table[0], table[1:], digest_of(content))
