"""What a database is told of an archive, from its file: by its ingest, or by who hosts it."""

from __future__ import annotations

from fonds.archive_config import ArchiveConfig
from fonds.store.archives import register_archive
from fonds.store.pools import Pool


def registered(pool: Pool, config: ArchiveConfig) -> int:
    """The archive's id; renews its names and its terms of access. Raises Busy while it is being
    removed.
    """
    return register_archive(
        pool,
        slug=config.slug,
        name=config.name,
        author=config.author,
        base_url=config.base_url,
        allowances=config.allowances,
    )
