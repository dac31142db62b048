"""The folders of one archive, resolved and kept apart before anything is read (R029)."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from fonds.archive_config import ArchiveConfig, Collection, PrivateFolder
from fonds.archive_file import is_inside
from fonds.archive_toml import Annotations
from fonds.contract.disclosure import Raw
from fonds.contract.failures import Misconfigured

Kind: TypeAlias = Literal["record", "note", "book", "transcript"]

# Part of every settings hash: raised when the same file and settings give other rows.
READER_VERSION = 3


@dataclass(frozen=True, slots=True)
class Root:
    """A folder with one kind of file. `shown` is its path from the archive file, as in reports."""

    kind: Kind
    raw: Raw
    path: str = field(repr=False)
    shown: str = field(repr=False)
    settings_hash: str
    collection: Collection | None = None
    encoding: str | None = None
    annotations: Annotations | None = None


def checked_roots(config: ArchiveConfig) -> tuple[Root, ...]:
    """Every root, private ones first, so that the ledger knows them before a public file is read.

    Raises Misconfigured for a folder that is missing, and for a public folder that equals,
    contains or lies inside a private one: nothing is read or written then.
    """
    private = [
        _private_root(config, "note", config.private_notes),
        _private_root(config, "book", config.private_books),
        _private_root(config, "transcript", config.transcripts),
    ]
    public = [_public_root(config, collection) for collection in config.collections]
    roots = [root for root in private if root is not None] + public
    if not roots:
        raise Misconfigured(f"{config.file}: no collection and no private folder to read")
    for position, root in enumerate(roots):
        for other in roots[position + 1 :]:
            _keep_apart(root, other)
    return tuple(roots)


def folder_read_at(config: ArchiveConfig, place: Path) -> str | None:
    """The folder, as the archive file names it, in which `fonds ingest` would find what is put at a
    place that may not be there yet; None for none.
    """
    private = (config.private_notes, config.private_books, config.transcripts)
    there = next(one for one in (place, *place.resolve().parents) if one.exists())
    for folder in (*config.collections, *(one for one in private if one is not None)):
        if folder.path.is_dir() and holds(os.path.realpath(folder.path), os.path.realpath(there)):
            return folder.dir
    return None


def _private_root(config: ArchiveConfig, kind: Kind, folder: PrivateFolder | None) -> Root | None:
    if folder is None:
        return None
    path = _existing(config, folder.path, f"private {kind}s", folder.dir)
    settings = _settings_hash(config, kind, folder)
    shown = _shown(config, path)
    encoding, annotations = folder.encoding, folder.annotations
    return Root(kind, "private", path, shown, settings, None, encoding, annotations)


def _public_root(config: ArchiveConfig, collection: Collection) -> Root:
    path = _existing(config, collection.path, f"collection '{collection.type}'", collection.dir)
    settings = _settings_hash(config, "record", collection)
    shown = _shown(config, path)
    encoding, annotations = collection.encoding, collection.annotations
    return Root("record", "public", path, shown, settings, collection, encoding, annotations)


def _existing(config: ArchiveConfig, path: Path, name: str, written: str) -> str:
    resolved = os.path.realpath(path)
    if not os.path.isdir(resolved) or not os.access(resolved, os.R_OK | os.X_OK):
        place = written if os.path.isabs(written) else f"./{written.removeprefix('./')}"
        raise Misconfigured(f"cannot read {name} at {place}: there is no such folder")
    # Checked when the file was read, and again here: a link may have come since.
    if config.confined and not is_inside(path, os.path.realpath(config.file.parent)):
        raise Misconfigured(f"cannot read {name}: it leads out of the archive's folder")
    return resolved


def _shown(config: ArchiveConfig, path: str) -> str:
    return Path(os.path.relpath(path, os.path.realpath(config.file.parent))).as_posix()


def _settings_hash(config: ArchiveConfig, kind: Kind, folder: Collection | PrivateFolder) -> str:
    """Everything of the archive file that decides the rows of a file under this root."""
    terms: list[object] = [
        READER_VERSION,
        kind,
        list(config.default_creators),
        asdict(config.lint),
        folder.encoding,
        folder.annotations,
    ]
    if isinstance(folder, PrivateFolder):
        terms.append(list(config.ignore_keys))
    else:
        terms += [
            config.base_url,
            folder.url_prefix,
            folder.type,
            folder.exposure,
            folder.shape,
            folder.fields,
            folder.date_from,
            folder.date_order,
            folder.title_from,
        ]
    return hashlib.sha256(json.dumps(terms).encode()).hexdigest()[:16]


def _keep_apart(root: Root, other: Root) -> None:
    if root.raw == other.raw and root.path != other.path:
        return  # nested roots of one layer are settled file by file
    if holds(root.path, other.path) or holds(other.path, root.path):
        raise Misconfigured(
            f"the folders {root.shown} and {other.shown} overlap: "
            "keep public and private material, and each kind, in folders of their own"
        )


def holds(outer: str, inner: str) -> bool:
    """Whether `inner` is `outer` or lies below it, by identity: names may differ in case alone."""
    place = os.stat(outer)
    here = inner
    while True:
        seen = os.stat(here)
        if (seen.st_dev, seen.st_ino) == (place.st_dev, place.st_ino):
            return True
        if here == os.path.dirname(here):
            return False
        here = os.path.dirname(here)
