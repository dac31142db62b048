"""The key of a caller: its text, which is shown once, and the digest that is kept (R192)."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field

from fonds.contract.sealed import sealed

PREFIX = "fonds_"  # whoever looks for leaked keys knows one by it
_BYTES = 32


@sealed
@dataclass(frozen=True, slots=True)
class ApiKey:
    """256 random bits as text. Its repr shows none of them."""

    text: str = field(repr=False)

    @property
    def digest(self) -> bytes:
        return key_digest(self.text)


def minted_key() -> ApiKey:
    """A key that nobody had before."""
    return ApiKey(PREFIX + secrets.token_urlsafe(_BYTES))


def key_digest(text: str) -> bytes:
    """SHA-256 of whatever was presented: what is out of shape is looked up like any other key.

    No slower hash is needed: 256 random bits are not guessed.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
