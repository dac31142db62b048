"""Small books of binary formats, made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

CONTAINER = """<?xml version="1.0"?>
<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="x"/></rootfiles></container>
"""
FIRST = """<?xml version="1.0" encoding="utf-8"?>
<html><head><title/><style>zebra</style></head><body><h1>Chapter 1</h1>
<p>The <i>quillfeather</i> lay * there<br/>and <ruby>窓<rt>まど</rt></ruby>.</p></body></html>
"""
SECOND = "<html><body><h2>Chapter 2</h2><div>Nobody<p>came.</p># 3</div></body></html>"


def epub(
    pages: Sequence[str] = (FIRST, SECOND), more: Mapping[str, str | bytes] | None = None
) -> bytes:
    items = "".join(
        f'<opf:item id="p{n}" href="page%20{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(pages))
    )
    order = "".join(f'<opf:itemref idref="p{n}"/>' for n in range(len(pages)))
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": f"<opf:package>{items}<opf:spine>{order}</opf:spine></opf:package>",
        **{f"OEBPS/page {n}.xhtml": page for n, page in enumerate(pages)},
        **(more or {}),
    }
    return zipped(parts)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    held = BytesIO()
    with ZipFile(held, "w", ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return held.getvalue()


def docx(*paragraphs: tuple[str, str], before: str = "") -> bytes:
    """Paragraphs of (style, words)."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    written = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>'
        for style, words in paragraphs
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return zipped(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
            'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
            "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            f'relationships"><Relationship Id="r" Type="{office}/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
            "word/document.xml": f"{before}<w:document {space}><w:body>{written}</w:body>"
            "</w:document>",
            "word/styles.xml": f"<w:styles {space}>"
            + "".join(
                f'<w:style w:type="paragraph" w:styleId="Heading{n}">'
                f'<w:name w:val="heading {n}"/></w:style>'
                for n in (1, 2)
            )
            + "</w:styles>",
        }
    )


def pdf(*pages: str) -> bytes:
    """A page for each text, which is ASCII without brackets."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    file = "%PDF-1.4\n"
    places: list[int] = []
    for number, written in enumerate(objects, start=1):
        places.append(len(file))
        file += f"{number} 0 obj\n{written}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(file)
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    file += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return file.encode("ascii")
