"""The bytes that decide the rows of one file: its own, and those of the fields beside it (R026).

A file of subtitles, and a book that is not Markdown, has no place for fields: they stand in a file
of the same name that ends in `.toml` or `.yaml`. Both are hashed together, so that a stricter
exposure is noticed at once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from fonds.archive_toml import Annotations
from fonds.contract.failures import MisauthoredFile
from fonds.ingestion.aozora import without_annotations
from fonds.ingestion.corpus import HTML, MAX_FILE_BYTES, FoundFile, bounded_bytes, read_bytes
from fonds.ingestion.decoding import marked_encoding
from fonds.ingestion.field_mapping import (
    mapped_fields,
    with_heading_as_title,
    with_name_as_title,
)
from fonds.ingestion.formats.reading_apart import Kind, read_apart
from fonds.ingestion.front_matter import FrontMatter, ReadText, read_body, read_fields, read_text
from fonds.ingestion.page_fields import with_page_fields
from fonds.ingestion.site_marks import without_templates, without_wikilinks

_Read = TypeVar("_Read")
_BOUND: Mapping[str, Kind] = {".epub": "epub", ".docx": "docx", ".pdf": "pdf"}
_WITH_SIDECAR = (".vtt", ".srt", ".txt", *_BOUND)
_ANNOTATED = (".md", ".mdx", ".txt")
_WITHOUT: Mapping[Annotations, Callable[[str], str]] = {
    "aozora": without_annotations,
    "templates": without_templates,
    "wikilinks": without_wikilinks,
}
_SIDECARS = (".toml", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Contents:
    """A file as it was read from disk. `sidecar` is the name and the bytes of its fields."""

    file: FoundFile
    body: bytes = field(repr=False)
    sidecar: tuple[str, bytes] | None = field(default=None, repr=False)

    def digest(self, *shared: str) -> str:
        """A hash of all that the rows are made of, `shared` being what other files lend it."""
        if self.sidecar is None and not shared:
            return hashlib.sha256(self.body).hexdigest()
        name, written = self.sidecar or ("", b"")
        parts = (self.body, name.encode(), written, *(part.encode() for part in shared))
        hashes = b"".join(hashlib.sha256(part).digest() for part in parts)
        return hashlib.sha256(hashes).hexdigest()

    def front(self) -> FrontMatter:
        """The fields alone, without what the body may lend them; raises MisauthoredFile."""
        if not self.file.path.lower().endswith(_WITH_SIDECAR):
            front = read_text(self.body, self.file.key, self.file.root.encoding).front
            return self._mapped(front)
        if self.sidecar is None:
            reason = (
                "its fields are missing: write them to a .toml or .yaml file of the same name, "
                "or begin its name with _ to leave it out"
            )
            raise MisauthoredFile(self.file.key, "", reason, disclosure_known=False)
        name, written = self.sidecar
        try:
            return read_fields(written, self.file.key, toml=name.endswith(".toml"))
        except MisauthoredFile as refusal:
            reason = f"{name}, line {refusal.line}: {refusal.reason}"
            raise MisauthoredFile(self.file.key, "", reason, disclosure_known=False) from None

    def text(self) -> ReadText:
        """Fields and body, its annotations taken out; raises MisauthoredFile."""
        key, encoding = self.file.key, self.file.root.encoding
        name = self.file.path.lower()
        if name.endswith(_WITH_SIDECAR):
            front = self.front()
            text = ReadText(front, self._read(front, self._body))
        else:
            text = read_text(self.body, key, encoding)
            text = replace(text, front=self._mapped(text.front))
        if self.file.root.annotations is not None and name.endswith(_ANNOTATED):
            text = replace(text, body=_WITHOUT[self.file.root.annotations](text.body))
        collection = self.file.root.collection
        if collection is not None and name.endswith(HTML):
            body = text.body.encode()
            page = self._read(text.front, lambda: read_apart(body, "html", key))
            text = with_page_fields(text, page, collection)
        elif collection is not None and collection.title_from == "heading":
            text = with_heading_as_title(text, mdx=name.endswith(".mdx"))
        elif collection is not None and collection.title_from == "name":
            text = with_name_as_title(text, self.file.slug)
        return text

    def _read(self, front: FrontMatter, read: Callable[[], _Read]) -> _Read:
        """A body; one that cannot be read does not undo what its fields withhold (R020)."""
        try:
            return read()
        except MisauthoredFile as refusal:
            # A page may have no field of its own: it is not told by one that it lost its fence.
            known = front.says_what_may_travel or not front.values
            raise MisauthoredFile(
                refusal.path,
                refusal.field,
                refusal.reason,
                line=refusal.line,
                disclosure_known=refusal.disclosure_known and known,
            ) from None

    def _body(self) -> str:
        name = self.file.path.lower()
        if kind := _BOUND.get(name[name.rindex(".") :]):
            return read_apart(self.body, kind, self.file.key).text
        return read_body(self.body, self.file.key, self.file.root.encoding)

    def _mapped(self, front: FrontMatter) -> FrontMatter:
        collection = self.file.root.collection
        return front if collection is None else mapped_fields(front, self.file.slug, collection)

    def remarks(self, text: ReadText) -> list[str]:
        """What an author may want to know of how the bytes were read (C19)."""
        found: list[str] = []
        marked = marked_encoding(self.body)
        if marked is not None and marked[1] != "utf-8":
            found.append(f"read as {marked[1]}, by its byte order mark")
        if lost := text.body.count("\ufffd"):
            found.append(f"holds {lost} replacement characters: words were lost before")
        return found


def read_contents(file: FoundFile) -> Contents:
    """What a file and the file of its fields hold; raises MisauthoredFile."""
    body = read_bytes(file)
    if not file.path.lower().endswith(_WITH_SIDECAR):
        return Contents(file, body)
    stem = file.path[: file.path.rindex(".")]
    found = [stem + ending for ending in _SIDECARS if os.path.lexists(stem + ending)]
    if len(found) > 1:
        raise _refusal(file, "its fields stand in two files: keep one")
    return Contents(file, body, _sidecar(file, found[0]) if found else None)


def _sidecar(file: FoundFile, path: str) -> tuple[str, bytes]:
    try:
        written = bounded_bytes(path, file.root.path, os.O_NOFOLLOW)
    except OSError:
        raise _refusal(file, "its fields cannot be read: a regular file is needed") from None
    if len(written) > MAX_FILE_BYTES:
        raise _refusal(file, "its fields are longer than 64 KiB")
    return file.key[: file.key.rindex(".")].rpartition("/")[2] + path[path.rindex(".") :], written


def _refusal(file: FoundFile, reason: str) -> MisauthoredFile:
    return MisauthoredFile(file.key, "", reason, disclosure_known=False)
