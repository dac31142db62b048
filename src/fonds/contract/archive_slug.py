"""The name of an archive in addresses and folders: what the database accepts, and no more."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from fonds.contract.locator import slugified

ArchiveSlug: TypeAlias = str

SLUG_SHAPE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def is_archive_slug(written: str) -> bool:
    """Whether an archive could have it: `private.archive` holds no other."""
    return SLUG_SHAPE.fullmatch(written) is not None


def slug_of(name: str) -> ArchiveSlug | None:
    """The slug a name gives, cut to length; None for one of other letters than a-z."""
    slug = slugified(name)[:63].rstrip("-")
    return slug if is_archive_slug(slug) else None
