"""Vectors for fragments that lack a current one, kept batch by batch (R041, R045)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fonds.contract.embed_string import content_hash, embed_string
from fonds.contract.failures import Failure, ProviderMisbehaved, ProviderUnavailable
from fonds.contract.ports import Embedder, PrivateStore, Vector, VectorRow
from fonds.contract.stored_source import ReadSource, RowCounts
from fonds.ingestion.inventory import Progress
from fonds.ingestion.report import IngestReport, RefusedText

BATCH_TEXTS = 128
BATCH_BYTES = 512 * 1024  # well below the 1 MiB a request may hold (R043)


@dataclass(frozen=True, slots=True)
class _Lacking:
    fragment_id: str
    embed_hash: str
    text: str = field(repr=False)


class VectorKeeper:
    """Embeds what lacks a vector of the embedder's space and stores it batch by batch.

    A provider that fails stops being asked; what was embedded stays, the rest is counted as
    waiting in the report, and `trouble` holds the failure.
    """

    def __init__(
        self, store: PrivateStore, embedder: Embedder, report: IngestReport, progress: Progress
    ) -> None:
        self.trouble: Failure | None = None
        self._store = store
        self._embedder = embedder
        self._report = report
        self._progress = progress

    def keep_current(self, sources: Sequence[ReadSource]) -> None:
        """Give every fragment of these files a current vector; a call is made where one lacks."""
        lacking = self._lacking(sources)
        waiting = len(lacking)
        for batch in _batches(lacking):
            if self.trouble is None:
                try:
                    self._embed(batch)
                    waiting -= len(batch)
                except (ProviderUnavailable, ProviderMisbehaved) as trouble:
                    self.trouble = trouble
            self._progress("embed", self._report.embedded, self._report.embedded + waiting)
        self._report.waiting += waiting

    def _lacking(self, sources: Sequence[ReadSource]) -> list[_Lacking]:
        wanted: list[_Lacking] = []
        for source in sources:
            for entity, fragments in source.pairs:
                for fragment in fragments:
                    text = embed_string(entity, fragment)
                    wanted.append(_Lacking(fragment.fragment_id, content_hash(text), text))
        current = self._store.current_vectors(
            self._embedder.space, [one.fragment_id for one in wanted]
        )
        return [one for one in wanted if current.get(one.fragment_id) != one.embed_hash]

    def _embed(self, batch: Sequence[_Lacking]) -> None:
        self._report.calls += 1
        outcome = self._embedder.embed_passages([one.text for one in batch])
        if len(outcome.vectors) != len(batch):
            raise ProviderMisbehaved(
                f"{len(batch)} vectors were expected and {len(outcome.vectors)} came"
            )
        refused = dict(outcome.refused)
        rows: list[VectorRow] = []
        for position, (one, vector) in enumerate(zip(batch, outcome.vectors, strict=True)):
            reason = self._unusable(vector, refused.get(position))
            if vector is None or reason is not None:
                self._report.refused_texts.append(
                    RefusedText(one.fragment_id, reason or "the provider gave no vector")
                )
            else:
                rows.append(VectorRow(one.fragment_id, one.embed_hash, vector))
        written = self._store.write_vectors(self._embedder.space, rows) if rows else 0
        self._report.rows += RowCounts(vectors=written)
        self._report.embedded += len(rows)

    def _unusable(self, vector: Vector | None, reason: str | None) -> str | None:
        """Why a vector may not be stored (R044, C06).

        Raises ProviderMisbehaved for wrong dimensions.
        """
        if vector is None:
            return reason
        expected = self._embedder.space.dimensions
        if len(vector) != expected:
            raise ProviderMisbehaved(
                f"the space has {expected} dimensions and a vector came with {len(vector)}: "
                "set embedding.dimensions to what the model gives"
            )
        if not all(map(math.isfinite, vector)):
            return "its vector is not finite"
        try:
            halves = struct.pack(f"<{expected}e", *vector)
        except OverflowError:
            return "its vector is not finite in half precision"
        return (
            None
            if any(b & 0x7F for b in halves[1::2]) or any(halves[::2])
            else "its vector is zero"
        )


def _batches(lacking: Iterable[_Lacking]) -> Iterator[list[_Lacking]]:
    batch: list[_Lacking] = []
    size = 0
    for one in lacking:
        length = len(one.text.encode())
        if batch and (len(batch) >= BATCH_TEXTS or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += length
    if batch:
        yield batch
