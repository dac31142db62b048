"""The one rule for what of a fragment is embedded, and the hashes that decide reuse (R040-R043)."""

from __future__ import annotations

import hashlib

from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment

MAX_EMBED_BYTES = 24 * 1024  # R043
TRAIL_JOINT = " > "


def embed_string(entity: Entity, fragment: Fragment) -> str:
    """Public text goes with its title, trail, summary and themes; anything else is its text alone.

    The result is already cut to what a provider is sent, so that its hash is the vector's (R041).
    """
    if fragment.disclosure.raw == "public" and fragment.disclosure.exposure == "text":
        themes = fragment.themes or entity.themes
        parts = (
            entity.title,
            TRAIL_JOINT.join(fragment.trail),
            fragment.summary or "",
            f"Themes: {', '.join(themes)}" if themes else "",
            fragment.text,
        )
        return cut_to_bytes("\n\n".join(part for part in parts if part), MAX_EMBED_BYTES)
    return cut_to_bytes(fragment.text, MAX_EMBED_BYTES)


def quotable_string(entity: Entity, fragment: Fragment) -> str:
    """The same parts of a public text without what only an embedder is told, cut alike."""
    themes = fragment.themes or entity.themes
    parts = (entity.title, *fragment.trail, fragment.summary or "", *themes, fragment.text)
    return cut_to_bytes("\n\n".join(part for part in parts if part), MAX_EMBED_BYTES)


def cut_to_bytes(text: str, limit: int) -> str:
    """At most `limit` bytes of UTF-8, never splitting a code point."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    return encoded[:limit].decode(errors="ignore")


def content_hash(text: str) -> str:
    """First 16 hex digits of SHA-1 over UTF-8: identity of a text, not a secret (R041, R042)."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:16]
