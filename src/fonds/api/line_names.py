"""Under which name a request stands in line, before anybody has been let in (R187, R192)."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import Final

from fonds.contract.client_address import caller_at

MOST_KNOWN: Final = 10_000  # keys that were let in; the longest unseen has to be let in again


class LineNames:
    """Tells callers in line apart. Safe to share between threads.

    A key is a caller, an address without one likewise. The door vouches for a key it has let in at
    the archive; until then, and after it was turned away, the key has an origin, its address, so
    that whoever makes up keys is bounded with all of them. No key is held, only its digest.
    """

    def __init__(self, most: int = MOST_KNOWN) -> None:
        self._most = most
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def names(self, archive: str, key: str | None, address: str | None) -> tuple[str, str | None]:
        """The caller of a request and its origin, as the crowd counts them."""
        if key is None:
            return _origin(address), None
        digest = _digest(key)
        with self._lock:
            is_known = (archive, digest) in self._known
        return _name(digest), None if is_known else _origin(address)

    def let_in(self, archive: str, key: str) -> str | None:
        """The door opened, or would for something else: the key is one of this archive. Returns the
        caller's name where that is news.
        """
        digest = _digest(key)
        known = (archive, digest)
        with self._lock:
            is_news = known not in self._known
            self._known[known] = None
            self._known.move_to_end(known)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return _name(digest) if is_news else None

    def turned_away(self, archive: str, key: str | None) -> None:
        """The key opens nothing here, or no more."""
        if key is not None:
            with self._lock:
                self._known.pop((archive, _digest(key)), None)


def _origin(address: str | None) -> str:
    return f"address {caller_at(address).identity}"


def _name(digest: bytes) -> str:
    return f"key {digest.hex()}"


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
