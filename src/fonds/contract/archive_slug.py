"""The name of an archive in addresses and folders: what the database accepts, and no more."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

ArchiveSlug: TypeAlias = str

SLUG_SHAPE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def is_archive_slug(written: str) -> bool:
    """Whether an archive could have it: `private.archive` holds no other."""
    return SLUG_SHAPE.fullmatch(written) is not None
