"""What another package calls to bring its own material (R120)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fonds.ingestion.report import IngestReport
from fonds.settings import read_settings
from fonds.wiring.opening import opened
from fonds.wiring.plugins import Pair


def ingest_pairs(archive: Path, pairs: Iterable[Pair], *, source: str = "pairs") -> IngestReport:
    """Store entities and fragments made elsewhere in the archive of a file, and embed them.

    Each call makes what `source` stands for exactly these pairs: what moved is written, what is
    gone
    is removed. Every rule of the contract holds for them: the lint, the ledger, one description an
    entity. `fonds build` serves them. Raises Busy, Misconfigured, Unavailable.
    """
    with opened(read_settings(), archive) as house:
        return house.ingest_pairs(source, pairs)
