"""What a file of another format gives: its text, with a page its fields, or a reason of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from fonds.ingestion.formats.trouble import FormatTrouble, Reason

MAX_TEXT = 20 * 1024 * 1024
Fields: TypeAlias = dict[str, "str | list[str]"]
Outcome: TypeAlias = dict[str, "str | Fields"]


def outcome(kind: str, content: bytes, *, longest: int = MAX_TEXT) -> Outcome:
    """`text` and perhaps `fields`, or `reason` in words that hold nothing of the file."""
    try:
        read = _READERS[kind](content)
    except FormatTrouble as trouble:
        return {"reason": trouble.reason}
    except (MemoryError, RecursionError):
        return _refused("it takes too much memory to read")
    if sum(map(len, read.values())) > longest:
        return _refused("it holds more than 20 million characters: split it")
    return read


def _refused(reason: Reason) -> Outcome:
    return {"reason": reason}


# A reader is imported when its format is read: together they take half a second to load.
def _epub(content: bytes) -> Outcome:
    from fonds.ingestion.formats.epub import epub_markdown

    return {"text": epub_markdown(content)}


def _docx(content: bytes) -> Outcome:
    from fonds.ingestion.formats.docx import docx_markdown

    return {"text": docx_markdown(content)}


def _pdf(content: bytes) -> Outcome:
    from fonds.ingestion.formats.pdf import pdf_pages

    return {"text": pdf_pages(content)}


def _html(content: bytes) -> Outcome:
    from fonds.ingestion.formats.html_page import html_page

    page = html_page(content.decode())
    return {"text": page.markdown, "fields": page.fields}


_READERS: Mapping[str, Callable[[bytes], Outcome]] = {
    "epub": _epub,
    "docx": _docx,
    "pdf": _pdf,
    "html": _html,
}
