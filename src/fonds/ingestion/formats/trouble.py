"""Why a book of a binary format cannot be read; a fixed set of reasons, without a word of it."""

from __future__ import annotations


class FormatTrouble(Exception):
    """The reason is ours and printable."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
