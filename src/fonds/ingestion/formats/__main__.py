"""The process that reads one book: bytes in, JSON out, bounded in memory and time."""

from __future__ import annotations

import json
import logging
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

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


def main() -> None:
    kind, seconds, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    logging.disable()
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # some systems do not know every bound
            resource.setrlimit(what, (most, most))
    sys.stdout.write(json.dumps(_outcome(kind, sys.stdin.buffer.read())))


def _outcome(kind: str, content: bytes) -> dict[str, str]:
    try:
        text = _READERS[kind](content)
    except FormatTrouble as trouble:
        return {"reason": trouble.reason}
    except (MemoryError, RecursionError):
        return {"reason": "it takes too much memory to read"}
    if len(text) > MAX_TEXT:
        return {"reason": "it holds more than 20 million characters: split it"}
    return {"text": text.replace("\x00", "")}


if __name__ == "__main__":
    main()
