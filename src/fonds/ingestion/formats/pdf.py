"""PDF -> its pages, a form feed behind each."""

from __future__ import annotations

from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from fonds.ingestion.formats.html_text import escaped
from fonds.ingestion.formats.trouble import FormatTrouble

MAX_PAGES = 2000


def pdf_pages(content: bytes) -> str:
    """The text of a PDF page by page; raises FormatTrouble. A scan without text has empty pages."""
    try:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise FormatTrouble("it is encrypted")
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise FormatTrouble("it has more than 2,000 pages: split it")
        pages = [escaped(page.extract_text().replace("\f", "\n")) for page in reader.pages]
    except (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise FormatTrouble("it is damaged, or not of the format its name says") from None
    return "".join(f"{page}\f" for page in pages)
