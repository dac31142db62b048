"""What a page showed of a gist and of the text under it, as a hash: what changed has another."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple

from fonds.contract.disclosure import Exposure
from fonds.contract.projection import SemanticProjection


def imprint(text_hash: str, exposure: Exposure, projection: SemanticProjection | None) -> str:
    """64 hexadecimal digits, other ones for another text, exposure, or anything of the gist."""
    shown = None if projection is None else [projection.lint, *astuple(projection)]
    written = json.dumps([text_hash, exposure, shown])
    return hashlib.sha256(written.encode()).hexdigest()
