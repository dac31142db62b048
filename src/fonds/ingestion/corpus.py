"""Which files an archive holds, and those that are refused by their name or place (R020, R029)."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fonds.archive_toml import PageFormat
from fonds.contract.failures import MisauthoredFile, Misconfigured
from fonds.ingestion.roots import Kind, Root

MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_KEY_BYTES = 1000  # an index entry of the database ends at 2,704 bytes
HTML = (".html", ".htm")
_PAGES = (".md", ".mdx")
_SUFFIXES: Mapping[Kind | PageFormat, tuple[str, ...]] = {
    "md": (".md",),
    "mdx": (".mdx",),
    "html": HTML,
    "note": _PAGES,
    "book": (*_PAGES, ".txt", ".epub", ".docx", ".pdf"),
    "transcript": (".md", ".vtt", ".srt"),
}


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read. `key` is its path from the archive file, `slug` its path below the root."""

    root: Root
    path: str = field(repr=False)
    key: str = field(repr=False)
    slug: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Corpus:
    """All files of an archive, in the order of roots and then of paths.

    `left_out` names what begins with `_`; a folder ends in `/` and stands for all it holds.
    """

    files: tuple[FoundFile, ...]
    refused: tuple[MisauthoredFile, ...]
    left_out: tuple[str, ...] = field(default=(), repr=False)

    @property
    def found(self) -> int:
        """How many names were looked at."""
        return len(self.files) + len(self.refused) + len(self.left_out)


def found_corpus(roots: Iterable[Root]) -> Corpus:
    """Every file of a kind that its root reads; names that begin with `_` or `.` are skipped.

    A file reached twice, through roots, links or hard links, is refused at each of its names.
    Raises Misconfigured when a folder cannot be listed: its files must not seem deleted.
    """
    files: dict[str, FoundFile] = {}
    refused: dict[str, MisauthoredFile] = {}
    reached: dict[tuple[int, int], list[str]] = {}
    left_out: dict[str, None] = {}
    for root in roots:
        for entry, relative in _files_of_interest(root):
            key = _shown_name(relative if root.shown == "." else f"{root.shown}/{relative}")
            if entry.name.startswith("_"):
                left_out[key] = None
                continue
            try:
                seen = _checked(entry, root, relative, key)
            except MisauthoredFile as refusal:
                refused[key] = refusal
                continue
            names = reached.setdefault((seen.st_dev, seen.st_ino), [])
            names.append(key)
            if key in files:
                continue  # nested roots: refused below, at its one name
            files[key] = FoundFile(root, entry.path, key, _slug(relative))
    for names in reached.values():
        if len(names) > 1:
            for key in names:
                files.pop(key, None)
                refused[key] = _refusal(
                    key, "the file is reached twice: through two roots or links"
                )
    return Corpus(tuple(files.values()), tuple(refused.values()), tuple(left_out))


def read_bytes(file: FoundFile) -> bytes:
    """What the file holds; raises MisauthoredFile when it cannot be read, is over 20 MB, or is in
    its folder no longer.
    """
    try:
        content = bounded_bytes(file.path, file.root.path)
    except LeadsOut:
        raise _refusal(file.key, "the link leaves its folder") from None
    except OSError as trouble:
        raise _refusal(file.key, _why_unread(trouble)) from None
    if len(content) > MAX_FILE_BYTES:
        raise _refusal(file.key, "larger than 20 MB: split it")
    return content


class LeadsOut(OSError):
    """A file that was opened stands outside of the folder it was looked for in."""


def bounded_bytes(path: str, within: str, flags: int = 0) -> bytes:
    """All bytes of a regular file below `within`, a resolved folder, or a few more than one may
    have; raises OSError, and LeadsOut for a file elsewhere.
    """
    # A name may have become a pipe since it was listed: opening that would wait for ever.
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags)
    try:
        # Or a link, or a folder on the way to it: what is read is what was opened, so that is
        # asked where it is. Else an author could have another's files read as his own.
        if not _is_below(_place_of(opened, path), within):
            raise LeadsOut
        return _read_all(opened)
    finally:
        os.close(opened)


def _is_below(place: str, folder: str) -> bool:
    """By name: what a name stands for may have changed meanwhile."""
    if sys.platform == "darwin":  # names that differ in case or composition alone are one there
        place, folder = (unicodedata.normalize("NFC", one).casefold() for one in (place, folder))
    return place.startswith(os.path.join(folder, ""))


def _place_of(opened: int, path: str) -> str:
    """Where an open file is, as the system knows it; where it tells nobody, where its name leads
    to.
    """
    if sys.platform == "darwin":
        place = fcntl.fcntl(opened, fcntl.F_GETPATH, bytes(1024))
        return os.fsdecode(place.rstrip(b"\0"))
    try:
        return os.readlink(f"/proc/self/fd/{opened}")
    except OSError:
        return os.path.realpath(path)


def _read_all(opened: int) -> bytes:
    """All bytes, or a few more than a file may have. Asks for what the file says it holds first:
    reading up to a bound would set aside the bound for every file.
    """
    parts: list[bytes] = []
    seen = os.fstat(opened)
    if not stat.S_ISREG(seen.st_mode):
        raise OSError
    wanted = min(seen.st_size, MAX_FILE_BYTES) + 1
    left = MAX_FILE_BYTES + 1
    while left > 0 and (part := os.read(opened, min(wanted, left))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _files_of_interest(root: Root) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Files of interest below a root, sorted by path; links to folders are yielded, not entered,
    and so are folders that begin with `_`.
    """
    endings = _endings(root)
    waiting: list[tuple[str, str]] = [(root.path, "")]
    while waiting:
        folder, prefix = waiting.pop()
        deeper: list[tuple[str, str]] = []
        for entry in _listed(folder, _shown_name(os.path.join(root.shown, prefix))):
            if entry.name.startswith("."):
                continue
            relative = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name.startswith("_"):
                    yield entry, relative + "/"
                else:
                    deeper.append((entry.path, relative + "/"))
            elif entry.name.lower().endswith(endings) or _leads_to_a_folder(entry):
                yield entry, relative
        waiting += reversed(deeper)


def _endings(root: Root) -> tuple[str, ...]:
    """How the files that a root reads end; a collection names its formats (R020)."""
    if root.collection is None:
        return _SUFFIXES[root.kind]
    return tuple(end for one in root.collection.formats for end in _SUFFIXES[one])


def _leads_to_a_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and os.path.isdir(entry.path)


def _listed(folder: str, shown: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        raise Misconfigured(f"cannot read the folder {shown}: check its rights") from None


def _checked(entry: os.DirEntry[str], root: Root, relative: str, key: str) -> os.stat_result:
    try:
        seen = entry.stat()
    except OSError as trouble:
        raise _refusal(key, _why_unread(trouble)) from None
    if entry.is_symlink():
        if stat.S_ISDIR(seen.st_mode):
            raise _refusal(key, "a link to a folder is not followed")
        if not os.path.realpath(entry.path).startswith(os.path.join(root.path, "")):
            raise _refusal(key, "the link leaves its folder")
    if not stat.S_ISREG(seen.st_mode):
        raise _refusal(key, "not a regular file")
    if seen.st_size > MAX_FILE_BYTES:
        raise _refusal(key, "larger than 20 MB: split it")
    _check_name(relative, key)
    return seen


def _why_unread(trouble: OSError) -> str:
    if isinstance(trouble, FileNotFoundError) or trouble.errno == errno.ELOOP:
        return "the file cannot be read: it went away, or the link leads nowhere"
    return "the file cannot be read: check its rights"


def _check_name(relative: str, key: str) -> None:
    if not relative.isprintable() and any("\ud800" <= c <= "\udfff" for c in relative):
        raise _refusal(key, "the name is not UTF-8")
    if reason := slug_trouble(relative):
        raise _refusal(key, f"the name {reason}")
    if len(key.encode()) > MAX_KEY_BYTES:
        raise _refusal(key, "the path is too long")


def slug_trouble(slug: str) -> str | None:
    """Why these words cannot be part of an id, or None."""
    if "#" in slug:
        return "holds '#'"
    if slug.isprintable():
        return None  # what follows is of no printable category; most names end here
    hidden = any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in slug)
    return "holds a control character" if hidden else None


def _slug(relative: str) -> str:
    # One name, one id: a file system may hand out the same name decomposed.
    return unicodedata.normalize("NFC", relative[: relative.rindex(".")])


def _shown_name(name: str) -> str:
    if name.isprintable():
        return name
    printable = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in printable)


def _refusal(key: str, reason: str) -> MisauthoredFile:
    return MisauthoredFile(key, "", reason, disclosure_known=False)
