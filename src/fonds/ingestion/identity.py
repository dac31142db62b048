"""The id of what a file describes: its path below the root, unless `slug` says otherwise (R006)."""

from __future__ import annotations

from fonds.archive_toml import TYPE_SHAPE
from fonds.ingestion.corpus import FoundFile, slug_trouble
from fonds.ingestion.fields import Fields

MAX_SLUG_BYTES = 512


def entity_id(file: FoundFile, fields: Fields) -> str:
    """`type:slug` of a file (R021-R023); raises MisauthoredFile naming `slug` or `type`."""
    slug = file.slug
    if fields.has("slug"):
        slug = fields.required("slug").strip("/")
        if reason := slug_trouble(slug):
            fields.refuse("slug", reason)
        if any(step in ("", ".", "..") for step in slug.split("/")):
            fields.refuse("slug", "names stand between its slashes, and neither . nor ..")
    if not slug.strip() or len(slug.encode()) > MAX_SLUG_BYTES:
        fields.refuse("slug", f"1 to {MAX_SLUG_BYTES} bytes are needed")
    return f"{entity_type(file, fields)}:{slug}"


def entity_type(file: FoundFile, fields: Fields) -> str:
    """The collection's type, `note`, `transcript`, or what a book says of itself."""
    match file.root.kind:
        case "record":
            return file.root.collection.type if file.root.collection else "record"
        case "note" | "transcript":
            return file.root.kind
        case "book":
            written = fields.text("type") or "book"
            if not TYPE_SHAPE.fullmatch(written):
                fields.refuse("type", "letters, digits, hyphens and underscores")
            return written
