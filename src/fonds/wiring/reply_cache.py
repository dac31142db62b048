"""Replies kept for whoever asks the same again: bounded, in this process alone (R188).

A reply is found under everything it rests on, and under nothing else. Only what answered is kept:
no refusal, since each is recorded, and no outage.
"""

from __future__ import annotations

import hashlib
import pickle
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import date
from threading import Lock
from typing import Final, Literal, TypeAlias, cast

from fonds.answering.refusal import Answered
from fonds.archive_config import ArchiveConfig
from fonds.contract.calibration import Calibration
from fonds.contract.near_query import LiveBuild
from fonds.contract.sealed import sealed
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse
from fonds.contract.value_parts import value_parts

ReplyKind: TypeAlias = Literal["search", "ask"]
Reply: TypeAlias = SearchResponse | Answered

DEFAULT_ENTRIES: Final = 2_000
DEFAULT_BYTES: Final = 32 * 1024 * 1024
ENTRY_BYTES: Final = 256  # what an entry takes beside its bytes: key, links, headers


@dataclass(frozen=True, slots=True)
class Edition:
    """What every reply of an archive rests on at a moment, but for its question.

    `narrowing` is a request's own reading of `LiveBuild`; `day` is the one recency counts from.
    """

    archive_id: int
    build_id: int
    narrowing: int
    calibration: Calibration | None
    terms: bytes = field(repr=False)
    day: date


@sealed
@dataclass(frozen=True, slots=True)
class KeptReply:
    """A reply, and whether private hits were behind it: they are charged each time (R187)."""

    reply: Reply = field(repr=False)
    private: bool


@dataclass(slots=True)
class _Shelf:
    """What is kept of one archive, the longest unasked first."""

    edition: Edition
    replies: OrderedDict[bytes, bytes] = field(default_factory=OrderedDict[bytes, bytes])
    weight: int = 0


def edition_of(archive_id: int, build: LiveBuild, terms: bytes, day: date) -> Edition:
    """`build` as the reader of one request gave it, `terms` from `terms_of`."""
    return Edition(archive_id, build.build_id, build.narrowing, build.calibration, terms, day)


def terms_of(config: ArchiveConfig) -> bytes:
    """A digest of everything the archive's file says; another file, another digest."""
    return hashlib.sha256(repr(value_parts(config)).encode()).digest()


class ReplyCache:
    """Replies of many archives; safe to share between threads.

    `entries` and `size` (bytes, as held in memory) bound all of them together. Over a bound, the
    archive that holds most gives up what was longest unasked, so that none takes another's room.
    A question is held as a digest under a key of this process, never as text.
    """

    def __init__(self, *, entries: int = DEFAULT_ENTRIES, size: int = DEFAULT_BYTES) -> None:
        self._entries = entries
        self._size = size
        self._key = secrets.token_bytes(32)
        self._lock = Lock()
        self._shelves: dict[int, _Shelf] = {}

    def holds(self, archive_id: int, kind: ReplyKind, request: SearchRequest) -> bool:
        """Whether a reply to this request is kept under whatever edition: if none is, nobody has to
        ask the database which edition is live.
        """
        key = self._digest(archive_id, kind, request)
        with self._lock:
            shelf = self._shelves.get(archive_id)
            return shelf is not None and key in shelf.replies

    def found(self, edition: Edition, kind: ReplyKind, request: SearchRequest) -> KeptReply | None:
        """The reply this edition gave to this request, if it is kept.

        An archive whose edition is another than before gives up all it held: nothing outlives its
        build, its narrowings or its terms.
        """
        key = self._digest(edition.archive_id, kind, request)
        with self._lock:
            shelf = self._shelves.get(edition.archive_id)
            if shelf is None:
                return None
            if shelf.edition != edition:
                del self._shelves[edition.archive_id]
                return None
            if key not in shelf.replies:
                return None
            shelf.replies.move_to_end(key)
            packed = shelf.replies[key]
        return _worded(cast("KeptReply", pickle.loads(packed)), request.query)  # noqa: S301 - ours

    def keep(
        self, edition: Edition, kind: ReplyKind, request: SearchRequest, kept: KeptReply
    ) -> None:
        """Holds a reply under the edition that gave it, which the request's own snapshot tells.

        What was held under another edition goes; the reply itself is dropped in silence where the
        archive has been narrowed since, or where it alone is too large.
        """
        key = self._digest(edition.archive_id, kind, request)
        # As bytes: half of what the values take, and their size is known instead of guessed.
        packed = pickle.dumps(_worded(kept, ""), pickle.HIGHEST_PROTOCOL)
        if _weight(packed) > self._size:
            return
        with self._lock:
            shelf = self._shelves.get(edition.archive_id)
            if shelf is None or shelf.edition != edition:
                if shelf is not None and shelf.edition.narrowing > edition.narrowing:
                    return
                shelf = self._shelves[edition.archive_id] = _Shelf(edition)
            before = shelf.replies.pop(key, None)
            shelf.replies[key] = packed
            shelf.weight += _weight(packed) - (0 if before is None else _weight(before))
            self._make_room()

    def forget(self, archive_id: int) -> None:
        """Gives up all that is held of an archive, as when it is removed."""
        with self._lock:
            self._shelves.pop(archive_id, None)

    def held(self) -> tuple[int, int]:
        """How many replies are kept, and their bytes."""
        with self._lock:
            return self._counted()

    def _counted(self) -> tuple[int, int]:
        shelves = self._shelves.values()
        return sum(len(shelf.replies) for shelf in shelves), sum(shelf.weight for shelf in shelves)

    def _make_room(self) -> None:
        count, weight = self._counted()
        while count > self._entries or weight > self._size:
            fullest = max(
                (shelf for shelf in self._shelves.values() if shelf.replies),
                key=lambda shelf: shelf.weight,
            )
            _, freed = fullest.replies.popitem(last=False)
            fullest.weight -= _weight(freed)
            count, weight = count - 1, weight - _weight(freed)

    def _digest(self, archive_id: int, kind: ReplyKind, request: SearchRequest) -> bytes:
        asked = repr((archive_id, kind, value_parts(request)))
        return hashlib.blake2b(asked.encode(), key=self._key, digest_size=32).digest()


def _worded(kept: KeptReply, query: str) -> KeptReply:
    """A search says its question again; it is kept without."""
    if isinstance(kept.reply, Answered):
        return kept
    return replace(kept, reply=replace(kept.reply, query=query))


def _weight(packed: bytes) -> int:
    return len(packed) + ENTRY_BYTES
