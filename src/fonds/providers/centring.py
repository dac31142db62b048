"""The fixed shift that gives e5's cosines a scale for floors and boosts (design decision 7).

Raw cosines of this model lie in .70-.92, and the language of a text weighs more than its subject.
The shared mean is subtracted, then what is left in the plane spanned by the means of each
language's passages and questions is taken out. `eval/centring` computes both and writes the file.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fonds.contract.failures import Misconfigured
from fonds.providers.local_model import LOCAL_DIMENSIONS, Floats

CENTRING_FILE = Path(__file__).parent / "data" / "local_space.npy"


@dataclass(frozen=True, slots=True)
class Centring:
    """`digest` names the data: the first 16 hex digits of the file's SHA-256, part of the space's
    identity.
    """

    mean: Floats = field(repr=False)
    directions: Floats = field(repr=False)
    digest: str

    def centred(self, raw: Floats) -> Floats:
        """Unit rows, shifted and projected, unit again. A row that has nothing left stays zero.

        Row by row: a product of matrices rounds otherwise for another number of rows, and the same
        text has to give the same bits in every batch (R041).
        """
        return np.array([self._one(row) for row in raw.astype(np.float64)], dtype=np.float32)

    def _one(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        shifted = row - self.mean
        flat = shifted - (self.directions @ shifted) @ self.directions
        length = np.linalg.norm(flat)
        # What is left of the mean itself is rounding, not a direction.
        return flat / length if length > 1e-6 else np.zeros_like(flat)


def read_centring(path: Path = CENTRING_FILE) -> Centring:
    """The shipped centring. Raises Misconfigured where its file is missing or of another shape."""
    try:
        content = path.read_bytes()
    except OSError as trouble:
        raise Misconfigured(
            f"embedding: the centring data {path.name} cannot be read "
            f"({type(trouble).__name__}); reinstall fonds"
        ) from trouble
    return centring_in(content, path.name)


def centring_in(content: bytes, name: str) -> Centring:
    """Row 0 of the table is the mean, the others are orthonormal directions.

    Raises Misconfigured, naming `name`, for anything but a finite float32 table of the space's
    width.
    """
    try:
        rows: Floats = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError):
        raise Misconfigured(f"embedding: the centring data {name} is no table of numbers") from None
    wide = rows.ndim == 2 and rows.shape[1] == LOCAL_DIMENSIONS
    if not wide or len(rows) == 0 or rows.dtype != np.float32 or not np.isfinite(rows).all():
        raise Misconfigured(
            f"embedding: the centring data {name} is not a finite float32 table "
            f"{LOCAL_DIMENSIONS} wide"
        )
    return Centring(rows[0], rows[1:], hashlib.sha256(content).hexdigest()[:16])
