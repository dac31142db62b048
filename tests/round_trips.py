"""How often a client waited for the server, by the driver's own trace of what is sent."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

from psycopg.pq.abc import PGconn

from fonds.store.pools import Pool


@dataclass(frozen=True)
class RoundTrips:
    """Of pools that hold one connection each, by a name for each pool."""

    traced: dict[str, tuple[PGconn, BinaryIO]] = field(repr=False)

    def since(self) -> dict[str, int]:
        """How often the server has said that it is ready since this was asked last."""
        return {name: self._counted(*one) for name, one in self.traced.items()}

    @staticmethod
    def _counted(connection: PGconn, trace: BinaryIO) -> int:
        connection.untrace()  # which writes out what it held back
        trace.seek(0)
        told = trace.read().count(b"\tReadyForQuery\t")
        trace.seek(0)
        trace.truncate()
        connection.trace(trace.fileno())
        return told


@contextmanager
def traced(**pools: Pool) -> Generator[RoundTrips]:
    """Counts from here to the end of the block; on Linux alone, where the driver can."""
    with ExitStack() as stack:
        found: dict[str, tuple[PGconn, BinaryIO]] = {}
        for name, pool in pools.items():
            assert pool.max_size == 1
            trace = stack.enter_context(tempfile.TemporaryFile())
            with pool.connection() as connection:
                found[name] = (connection.pgconn, trace)
            connection.pgconn.trace(trace.fileno())
            stack.callback(connection.pgconn.untrace)
        yield RoundTrips(found)
