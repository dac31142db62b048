"""DOCX -> Markdown: paragraphs and headings by their styles."""

from __future__ import annotations

from io import BytesIO
from typing import Any, cast

import mammoth  # pyright: ignore[reportMissingTypeStubs]

from fonds.ingestion.formats.bounded_zip import opened_zip
from fonds.ingestion.formats.html_text import html_markdown
from fonds.ingestion.formats.trouble import FormatTrouble

_DOCUMENT = "word/document.xml"
_XML = (".xml", ".rels")


def docx_markdown(content: bytes) -> str:
    """The text of a DOCX; raises FormatTrouble. Pictures are left out, nothing else is opened."""
    parts = opened_zip(content)
    if _DOCUMENT not in parts:
        raise FormatTrouble("a part it names is missing")
    for name in parts.names():
        # The same words in UTF-16 have a NUL beside each letter.
        if name.lower().endswith(_XML) and b"<!DOCTYPE" in parts.read(name).replace(b"\0", b""):
            raise FormatTrouble("it defines entities")
    reader = cast("Any", mammoth)
    dropped = reader.images.img_element(_nothing)
    page = reader.convert_to_html(BytesIO(content), convert_image=dropped)
    return html_markdown(f"<body>{page.value}</body>")


def _nothing(image: object) -> dict[str, str]:
    return {}
