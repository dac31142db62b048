"""What a book of a binary format gives: its text, or a reason of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fonds.ingestion.formats.docx import docx_markdown
from fonds.ingestion.formats.epub import epub_markdown
from fonds.ingestion.formats.pdf import pdf_pages
from fonds.ingestion.formats.trouble import FormatTrouble

MAX_TEXT = 20 * 1024 * 1024
_READERS: Mapping[str, Callable[[bytes], str]] = {
    "epub": epub_markdown,
    "docx": docx_markdown,
    "pdf": pdf_pages,
}


def outcome(kind: str, content: bytes, *, longest: int = MAX_TEXT) -> dict[str, str]:
    """`text`, or `reason` in words that hold nothing of the book."""
    try:
        text = _READERS[kind](content)
    except FormatTrouble as trouble:
        return {"reason": trouble.reason}
    except (MemoryError, RecursionError):
        return {"reason": "it takes too much memory to read"}
    if len(text) > longest:
        return {"reason": "it holds more than 20 million characters: split it"}
    return {"text": text.replace("\x00", "")}
