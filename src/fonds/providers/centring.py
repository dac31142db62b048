"""The fixed shift that puts e5's cosines on a scale where a floor and a boost mean something (design decision 7).

Raw cosines of this model lie in .70-.92, and the language of a text weighs more than its subject. The
shared mean is subtracted, then what is left in the plane spanned by the languages' means is taken out.
`eval/centring` computes both and writes the file.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fonds.contract.failures import Misconfigured
from fonds.providers.local_model import Floats

CENTRING_FILE = Path(__file__).parent / "data" / "local_space.npy"


@dataclass(frozen=True, slots=True)
class Centring:
    """`digest` names the data: the first 16 hex digits of the file's SHA-256, part of the space's identity."""

    mean: Floats = field(repr=False)
    directions: Floats = field(repr=False)
    digest: str

    def centred(self, raw: Floats) -> Floats:
        """Unit rows, shifted and projected, unit again. A row that has nothing left stays zero."""
        shifted = raw - self.mean
        flat = shifted - (shifted @ self.directions.T) @ self.directions
        norms = np.linalg.norm(flat, axis=1, keepdims=True)
        return np.divide(flat, norms, out=np.zeros_like(flat), where=norms > 0).astype(np.float32)


def digest_of(content: bytes) -> str:
    """The name a centring goes by in the space's identity."""
    return hashlib.sha256(content).hexdigest()[:16]


def read_centring(path: Path = CENTRING_FILE) -> Centring:
    """Row 0 of the file is the mean, the others are orthonormal directions.

    Raises Misconfigured where the file is missing or of another shape.
    """
    try:
        content = path.read_bytes()
        rows: Floats = np.load(io.BytesIO(content), allow_pickle=False)
    except (OSError, ValueError, EOFError) as trouble:
        raise Misconfigured(
            f"embedding: the centring data {path.name} cannot be read ({type(trouble).__name__}); reinstall fonds"
        ) from trouble
    if rows.ndim != 2 or rows.dtype != np.float32 or not np.isfinite(rows).all():
        raise Misconfigured(
            f"embedding: the centring data {path.name} is not a finite float32 table"
        )
    return Centring(rows[0], rows[1:], digest_of(content))
