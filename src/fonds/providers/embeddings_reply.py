"""The reply of an embeddings endpoint: order, counts and numbers are checked (R043, R044)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from fonds.contract.failures import ProviderMisbehaved
from fonds.contract.ports import Vector
from fonds.providers.embed_checks import unit_vector


class _Item(BaseModel):
    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    index: int
    embedding: list[float] | str  # a string is base64 over little-endian float32


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    data: list[_Item]


def embeddings_of(content: bytes, expected: int, dimensions: int) -> list[Vector | str]:
    """One vector a text, by the index the provider gives it; a reason where one cannot be kept.

    Raises ProviderMisbehaved for the whole reply when it is out of shape, when an index is missing,
    repeated or foreign, and when any vector has another length than the space.
    """
    try:
        items = _Reply.model_validate_json(content).data
    except ValidationError as error:
        raise ProviderMisbehaved(
            f"the embedder answered out of shape at {_place(error)}; expected {expected} vectors"
        ) from None
    return [unit_vector(row) for row in _in_order(items, expected, dimensions)]


def _in_order(items: Sequence[_Item], expected: int, dimensions: int) -> list[NDArray[np.float64]]:
    distinct = {item.index for item in items}
    if len(items) != expected or distinct != set(range(expected)):
        raise ProviderMisbehaved(
            f"the embedder answered {expected} texts with {len(items)} vectors of {len(distinct)} "
            f"distinct positions; expected {expected} of each, numbered from 0"
        )
    rows = {item.index: _values(item.embedding) for item in items}
    for position in range(expected):
        if rows[position].shape != (dimensions,):
            raise ProviderMisbehaved(
                f"the embedder answers with {rows[position].size} dimensions, the space has "
                f"{dimensions}: set embedding.dimensions, then run `fonds ingest` and `fonds build`"
            )
    return [rows[position] for position in range(expected)]


def _values(embedding: list[float] | str) -> NDArray[np.float64]:
    if not isinstance(embedding, str):
        return np.array(embedding, dtype=np.float64)
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4").astype(
            np.float64
        )
    except (binascii.Error, ValueError):
        raise ProviderMisbehaved("the embedder answered with broken base64") from None


def _place(error: ValidationError) -> str:
    """Where the reply broke: known field names and positions, since a key of a reply may be
    anything.
    """
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    known = ("data", "index", "embedding")
    return (
        ".".join(str(part) for part in first["loc"] if part in known or isinstance(part, int))
        or "the top"
    )
