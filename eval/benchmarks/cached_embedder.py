"""An embedder that asks another once for each text, and keeps the vectors in a file."""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.ports import Embedder, EmbedOutcome, Vector


class CachedEmbedder:
    """Vectors by the space they are of, the side and the text's hash; the file holds no text."""

    def __init__(self, inner: Embedder, folder: Path | None) -> None:
        self._inner = inner
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._kept = sqlite3.connect(":memory:" if folder is None else folder / "vectors.sqlite3")
        self._kept.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, vector BLOB)")

    @property
    def space(self) -> EmbeddingSpace:
        return self._inner.space

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        found = [self._found("passage", text) for text in texts]
        lacking = [at for at, vector in enumerate(found) if vector is None]
        if not lacking:
            return EmbedOutcome(tuple(found))
        outcome = self._inner.embed_passages([texts[at] for at in lacking])
        for at, vector in zip(lacking, outcome.vectors, strict=True):
            found[at] = vector
            if vector is not None:
                self._keep("passage", texts[at], vector)
        self._kept.commit()
        refused = tuple((lacking[at], reason) for at, reason in outcome.refused)
        return EmbedOutcome(tuple(found), refused)

    def embed_query(self, text: str) -> Vector:
        vector = self._found("query", text)
        if vector is None:
            vector = self._inner.embed_query(text)
            self._keep("query", text, vector)
            self._kept.commit()
        return vector

    def _found(self, side: str, text: str) -> Vector | None:
        row = self._kept.execute(
            "SELECT vector FROM kept WHERE key = ?", (self._key(side, text),)
        ).fetchone()
        if row is None:
            return None
        return tuple(array("d", row[0]))

    def _keep(self, side: str, text: str, vector: Vector) -> None:
        self._kept.execute(
            "INSERT OR REPLACE INTO kept VALUES (?, ?)",
            (self._key(side, text), array("d", vector).tobytes()),
        )

    def _key(self, side: str, text: str) -> str:
        given = "\0".join((self.space.space_id, side, text))
        return hashlib.sha256(given.encode()).hexdigest()
