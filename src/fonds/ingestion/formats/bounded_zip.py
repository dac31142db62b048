"""A zip file whose parts may be read: bounded before a byte of it is unpacked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from fonds.ingestion.formats.trouble import FormatTrouble

MAX_UNPACKED = 200 * 1024 * 1024
MAX_RATIO = 100
MAX_PARTS = 20_000
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class BoundedZip:
    """The parts of a zip file by name. Nothing is written to disk."""

    _file: ZipFile = field(repr=False)
    _parts: Mapping[str, ZipInfo] = field(repr=False)

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def names(self) -> tuple[str, ...]:
        return tuple(self._parts)

    def read(self, name: str) -> bytes:
        """One part; raises FormatTrouble when it is missing, damaged or longer than it says."""
        part = self._parts.get(name)
        if part is None:
            raise FormatTrouble("a part it names is missing")
        try:
            with self._file.open(part) as opened:
                content = opened.read(part.file_size + 1)
        except (BadZipFile, NotImplementedError, EOFError, OSError, ValueError):
            raise FormatTrouble("a part of it is damaged") from None
        if len(content) > part.file_size:
            raise FormatTrouble("a part of it is longer than it says")
        return content


def opened_zip(content: bytes) -> BoundedZip:
    """Raises FormatTrouble for what is no zip file, is encrypted, or unpacks beyond the bounds."""
    try:
        file = ZipFile(BytesIO(content))
        parts = file.infolist()
    except (BadZipFile, NotImplementedError, EOFError, OSError, ValueError):
        raise FormatTrouble("it is damaged, or not of the format its name says") from None
    if len(parts) > MAX_PARTS:
        raise FormatTrouble("it has too many parts")
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise FormatTrouble("it is encrypted")
    for part in parts:
        steps = part.filename.replace("\\", "/").split("/")
        if steps[0] == "" or ".." in steps or ":" in steps[0]:
            raise FormatTrouble("a part of it has a place outside of it")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED:
        raise FormatTrouble("it unpacks to more than 200 MB")
    if unpacked > MAX_RATIO * len(content):
        raise FormatTrouble("it unpacks to more than a hundred times its size")
    return BoundedZip(file, {part.filename: part for part in parts})
