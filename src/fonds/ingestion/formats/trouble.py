"""Why a file of another format cannot be read; a closed set of reasons, without a word of it.

The parent process repeats a reason only when it is one of these.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Reason: TypeAlias = Literal[
    "it is damaged, or not of the format its name says",
    "it is encrypted",
    "it is protected against copying",
    "it names no package",
    "a part it names is missing",
    "a part of it is damaged",
    "a part of it is longer than it says",
    "a part of it has a place outside of it",
    "a page of it is neither UTF-8 nor UTF-16",
    "it defines entities",
    "it has too many parts",
    "it has more than 2,000 pages: split it",
    "it unpacks to more than 200 MB",
    "it unpacks to more than a hundred times its size",
    "it holds more than 20 million characters: split it",
    "its elements stand deeper than 512 levels in one another",
    "it takes too much memory to read",
]
REASONS: frozenset[str] = frozenset(get_args(Reason))


class FormatTrouble(Exception):
    """The reason is ours and printable."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason)
