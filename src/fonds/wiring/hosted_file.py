"""What the file of a hosted archive may say: its own slug, and folders of its own (R192).

Whoever keeps an archive's folder is not whoever runs the host. The folder's name is the slug, so
no file takes another archive's place; no path of it leads out of the folder; and nothing that
stands in the place of the file stops the host.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from fonds.archive_config import ArchiveConfig
from fonds.archive_file import is_inside, parsed_archive
from fonds.contract.archive_slug import is_archive_slug
from fonds.contract.failures import Misconfigured

FILE_NAME: Final = "archive.toml"
LARGEST: Final = 128 * 1024  # bytes
# A dotted key costs the square of its parts: one of 100,000 takes all memory there is.
MOST_DOTS_A_LINE: Final = 100


def hosted_file(folder: Path) -> ArchiveConfig:
    """The archive of a hosted folder, every path of it inside.

    Raises Misconfigured with one line that names the folder, the key and the rule; no value and
    nothing of the file.
    """
    slug = folder.name
    if not is_archive_slug(slug):
        raise Misconfigured("a folder's name is its archive's slug: a-z, 0-9 and hyphens")
    file = folder.absolute() / FILE_NAME
    try:
        config = parsed_archive(file, _content(folder))
        _check_inside(config, folder)
    except Misconfigured as refused:
        raise Misconfigured(f"{slug}: {str(refused).removeprefix(f'{file}: ')}") from None
    except Exception as trouble:
        # Whatever a file does to the reader of TOML, the other archives go on.
        raise Misconfigured(
            f"{slug}: {FILE_NAME} cannot be read ({type(trouble).__name__})"
        ) from None
    if config.slug != slug:
        raise Misconfigured(f'{slug}: slug: another than the folder\'s name: write slug = "{slug}"')
    return replace(config, confined=True)


def _content(folder: Path) -> bytes:
    """The bytes of the file: regular, no link, of bounded size; a pipe in its place is not
    waited for.
    """
    if folder.is_symlink():
        raise Misconfigured("the folder is a link: it has to be the archive's own")
    try:
        opened = os.open(folder / FILE_NAME, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        raise Misconfigured(f"{FILE_NAME}: cannot be opened: a file, no link, is needed") from None
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise Misconfigured(f"{FILE_NAME}: not a regular file")
        with os.fdopen(opened, "rb", closefd=False) as file:
            content = file.read(LARGEST + 1)
    finally:
        os.close(opened)
    if len(content) > LARGEST:
        raise Misconfigured(f"{FILE_NAME}: larger than {LARGEST // 1024} KB")
    # Counted by line, since a key ends with its line.
    if any(line.count(b".") > MOST_DOTS_A_LINE for line in content.split(b"\n")):
        raise Misconfigured(f"{FILE_NAME}: a line of more than {MOST_DOTS_A_LINE} dots: break it")
    return content


def _check_inside(config: ArchiveConfig, folder: Path) -> None:
    """Every path leads into the folder once links and `..` are resolved; raises Misconfigured."""
    base = os.path.realpath(folder)
    for key, path in _paths(config):
        if path is not None and not is_inside(path, base):
            raise Misconfigured(f"{key}: leads out of the archive's folder")


def _paths(config: ArchiveConfig) -> Iterator[tuple[str, Path | None]]:
    for place, collection in enumerate(config.collections):
        yield f"collections[{place}].dir", collection.path
    for key, private in (
        ("private_notes_dir", config.private_notes),
        ("private_books_dir", config.private_books),
        ("transcripts_dir", config.transcripts),
    ):
        yield key, None if private is None else private.path
    yield "evaluation.gold", config.gold
    yield "evaluation.canaries", config.canaries
    yield "evaluation.calibration", config.calibration
    yield "gists.file", config.gists
