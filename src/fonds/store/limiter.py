"""How much may be asked of an archive, counted in Postgres over all workers (R187)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString

from fonds.contract.caller import Caller
from fonds.contract.failures import StoreRefused, TooMany, Unavailable
from fonds.store.pools import Pool, one_row
from fonds.store.statements import statements


@dataclass(frozen=True, slots=True)
class PostgresLimiter:
    """Counts over a pool of the reader role, each time in a transaction of its own.

    The pool is one apart from that of the searches (`open_pool` as it is, not read only): a search
    that waits holds up no count, and a count no search. Two round trips each. The archive's own row
    sets the limits; `local` callers are not counted.
    """

    pool: Pool

    def take(self, archive_id: int, caller: Caller) -> None:
        """Counts one request. Raises TooMany, which is then not counted; Unavailable."""
        self._count("take", archive_id, caller, {})

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        """Charges a question whose reply holds private hits, on the disk when this returns.

        `question` is a sha256 digest. Raises TooMany, and then the reply must not leave;
        Unavailable.
        """
        self._count("charge_private", archive_id, caller, {"question": question})

    def _count(
        self, name: LiteralString, archive_id: int, caller: Caller, more: dict[str, object]
    ) -> None:
        if caller.kind == "local":
            return
        asked = {"kind": caller.kind, "identity": caller.identity, "network": caller.network}
        try:
            limit, seconds = one_row(
                self.pool, archive_id, statements("limits")[name], asked | more
            )
        except StoreRefused as refusal:
            raise Unavailable(f"no limit can be counted: {refusal}") from None
        if limit is not None:
            raise TooMany(limit, seconds)
