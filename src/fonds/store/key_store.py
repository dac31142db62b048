"""The keys of one archive, minted, listed and revoked by its host (R192)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from fonds.contract.kept_key import KeptKey
from fonds.contract.key_scope import KeyScope
from fonds.store.errors import translated
from fonds.store.pools import Pool, transaction
from fonds.store.statements import statements


def found_key(pool: Pool, digest: bytes) -> tuple[str, int] | None:
    """The slug and id of the key with this digest, revoked or not (host role); None for none."""
    with translated(), pool.connection() as connection:
        row = connection.execute(statements("hosting")["find_key"], {"hash": digest}).fetchone()
    return None if row is None else (str(row[0]), int(row[1]))


@dataclass(frozen=True, slots=True)
class PostgresKeyStore:
    """Through functions of the host role, which reads no digest back."""

    _pool: Pool = field(repr=False)
    archive_id: int

    def mint(
        self, digest: bytes, scopes: Sequence[KeyScope], label: str, days: int | None
    ) -> KeptKey:
        """Keeps a key's digest. Raises StoreRefused for a label or scopes out of shape."""
        asked = {"hash": digest, "scopes": list(scopes), "label": label, "days": days}
        with transaction(self._pool, self.archive_id) as connection:
            row = connection.execute(statements("hosting")["mint_key"], asked).fetchone()
        assert row is not None  # noqa: S101 - it answers the row it made
        return KeptKey(row[0], tuple(scopes), label, row[1], row[2], None)

    def revoke(self, key_id: int) -> Literal["revoked", "unchanged", "unknown"]:
        """From its commit on the key opens nothing; it is never given back."""
        with transaction(self._pool, self.archive_id) as connection:
            row = connection.execute(
                statements("hosting")["revoke_key"], {"key_id": key_id}
            ).fetchone()
        assert row is not None  # noqa: S101 - a function call answers one row
        return cast("Literal['revoked', 'unchanged', 'unknown']", row[0])

    def listed(self) -> tuple[KeptKey, ...]:
        """Every key there was, revoked and expired ones included, oldest first."""
        with transaction(self._pool, self.archive_id) as connection:
            found = connection.execute(statements("hosting")["list_keys"]).fetchall()
        return tuple(
            KeptKey(key_id, tuple(scopes), label, minted, expires, revoked)
            for key_id, scopes, label, minted, expires, revoked in found
        )
