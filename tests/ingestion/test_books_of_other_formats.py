"""EPUB, DOCX, PDF and plain text are private books; a hostile one is refused (R023)."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from pypdf import PdfReader, PdfWriter

from fonds.contract.failures import MisauthoredFile
from fonds.ingestion.formats.docx import docx_markdown
from fonds.ingestion.formats.epub import epub_markdown
from fonds.ingestion.formats.html_text import escaped, html_markdown
from fonds.ingestion.formats.outcome import outcome
from fonds.ingestion.formats.pdf import pdf_pages
from fonds.ingestion.formats.reading_apart import read_apart
from fonds.ingestion.formats.trouble import FormatTrouble
from fonds.ingestion.plain_text import plain_text
from tests.ingestion.bound_books import CONTAINER, FIRST, docx, epub, pdf, zipped
from tests.ingestion.corpora import ARCHIVE_TOML, described, put

FIELDS = "title: Low Tide\nabout: https://example.org/books/low-tide/\n"


def book(folder: Path, name: str, content: bytes, fields: str = FIELDS) -> list[tuple[str, str]]:
    put(folder, f"books/{name.rpartition('.')[0]}.yaml", fields)
    _, fragments = described(folder, f"books/{name}", content)
    assert {one.disclosure.exposure for one in fragments} == {"locator"}
    return [(one.fragment_id, one.text) for one in fragments]


def test_the_fields_of_a_book_are_unicode_whatever_the_book_is_in(tmp_path: Path) -> None:
    """C19: TOML and YAML are; a novel beside them may be older than both."""
    toml = f'{ARCHIVE_TOML}[private_books]\nencoding = "shift_jis"\n'
    written = 'title = "手紙"\nabout = "https://example.org/tegami/"\n'
    put(tmp_path, "books/tegami.toml", written)
    body = "「吾輩」と書く。".encode("shift_jis")
    entity, fragments = described(tmp_path, "books/tegami.txt", body, toml)
    assert (entity.title, fragments[0].text) == ("手紙", "「吾輩」と書く。")
    put(tmp_path, "books/tegami.toml", written.encode("shift_jis"))
    with pytest.raises(MisauthoredFile, match=r"tegami\.toml, line 1: the file is not UTF-8"):
        described(tmp_path, "books/tegami.txt", body, toml)


def test_an_epub_is_cut_at_its_chapters(tmp_path: Path) -> None:
    """Its own signs are no Markdown; styles and ruby readings are no words."""
    assert book(tmp_path, "tide.epub", epub()) == [
        ("book:tide#ch1", "Chapter 1\n\nThe quillfeather lay * there and 窓."),
        ("book:tide#ch2", "Chapter 2\n\nNobody\n\ncame.\n\n# 3"),
    ]


def test_a_docx_is_cut_at_its_headings(tmp_path: Path) -> None:
    content = docx(("Heading1", "Chapter 1"), ("Normal", "It &lt;b&gt; lay."), ("Heading2", "II"))
    assert book(tmp_path, "tide.docx", content) == [
        ("book:tide#ch1", "Chapter 1\n\nIt <b> lay."),
    ]


def test_a_pdf_is_cut_at_its_pages(tmp_path: Path) -> None:
    assert book(
        tmp_path, "tide.pdf", pdf("# It lay.", "", "Nobody."), FIELDS + "firstPage: 7\n"
    ) == [
        ("book:tide#p7", "# It lay."),
        ("book:tide#p9", "Nobody."),
    ]
    assert book(tmp_path / "one", "tide.pdf", pdf("It lay.")) == [("book:tide#p1", "It lay.")]


def test_plain_text_is_read_like_the_body_of_a_page(tmp_path: Path) -> None:
    assert book(tmp_path, "tide.txt", b"# Chapter 1\n\nIt lay.\n") == [
        ("book:tide#ch1", "Chapter 1\n\nIt lay.")
    ]


def test_a_book_without_words_or_fields_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MisauthoredFile, match="holds no text"):
        book(tmp_path, "scan.pdf", pdf("", ""))
    with pytest.raises(MisauthoredFile, match="fields are missing"):
        described(tmp_path / "b", "books/tide.epub", epub())
    with pytest.raises(MisauthoredFile, match="body: it is damaged"):
        book(tmp_path / "c", "tide.epub", b"zebra")


def lying_zip() -> bytes:
    """Says of its page that it holds ten bytes."""
    honest = epub(["<p>" + "a" * 5000])
    with ZipFile(BytesIO(honest)) as file:
        size = file.getinfo("OEBPS/page 0.xhtml").file_size
    return honest.replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little"))


def encrypted_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("zebra"))))
    writer.encrypt("a word", algorithm="RC4-128")
    held = BytesIO()
    writer.write(held)
    return held.getvalue()


@pytest.mark.parametrize(
    ("read", "content", "said"),
    [
        (epub_markdown, b"zebra", "damaged"),
        (epub_markdown, zipped({"a": "zebra"}), "a part it names is missing"),
        (epub_markdown, zipped({"META-INF/container.xml": "<zebra/>"}), "names no package"),
        (epub_markdown, zipped({"META-INF/container.xml": CONTAINER}), "is missing"),
        (epub_markdown, epub(more={"../zebra": "x"}), "a place outside"),
        (epub_markdown, epub(more={"/etc/zebra": "x"}), "a place outside"),
        (epub_markdown, epub(more={"META-INF/rights.xml": "x"}), "protected"),
        (epub_markdown, epub(more={"big": b"\0" * 3_000_000}), "a hundred times"),
        (epub_markdown, epub(more={"OEBPS/page 0.xhtml": b"\xff zebra"}), "neither UTF-8"),
        (epub_markdown, epub(more={f"{n}": "" for n in range(20_001)}), "too many parts"),
        (epub_markdown, lying_zip(), "damaged"),
        (docx_markdown, zipped({"a": "zebra"}), "is missing"),
        (docx_markdown, docx(before="<!DOCTYPE a [<!ENTITY b 'zebra'>]>"), "defines entities"),
        (pdf_pages, b"%PDF-1.4\nzebra", "damaged"),
        (pdf_pages, pdf(*["a"] * 2001), "more than 2,000 pages"),
        (pdf_pages, encrypted_pdf(), "encrypted"),
    ],
)
def test_a_hostile_book_is_refused_with_a_reason_of_ours(
    read: Callable[[bytes], str], content: bytes, said: str
) -> None:
    with pytest.raises(FormatTrouble) as trouble:
        read(content)
    assert said in trouble.value.reason
    assert "zebra" not in trouble.value.reason


def test_nothing_outside_an_epub_is_opened(tmp_path: Path) -> None:
    """An entity stays a word, and a page's place is one of the parts or none."""
    (tmp_path / "secret").write_text("zebra")
    entity = f'<!DOCTYPE a [<!ENTITY b SYSTEM "{tmp_path}/secret">]>' + FIRST.replace("lay", "&b;")
    assert "zebra" not in epub_markdown(epub([entity]))
    package = f'<package><item id="a" href="{tmp_path}/secret" media-type="text/html"/>'
    package += '<itemref idref="a"/></package>'
    with pytest.raises(FormatTrouble, match="missing"):
        epub_markdown(epub(more={"OEBPS/book.opf": package}))


def test_a_process_that_dies_or_hangs_costs_one_book() -> None:
    with pytest.raises(MisauthoredFile, match="cannot be read as ZEBRA"):
        read_apart(b"", "zebra", "books/a.epub")  # pyright: ignore[reportArgumentType]
    with pytest.raises(MisauthoredFile, match="more than 0 seconds"):
        read_apart(epub(), "epub", "books/a.epub", seconds=0)


def test_a_book_gives_its_text_or_a_reason() -> None:
    """What the process of its own hands back."""
    assert outcome("docx", docx(("Heading1", "II"), ("Normal", "It lay."))) == {
        "text": "# II\n\nIt lay\\."
    }
    assert outcome("pdf", pdf("It lay")) == {"text": "It lay\f"}
    assert outcome("epub", b"") == {"reason": "it is damaged, or not of the format its name says"}
    assert "split it" in outcome("pdf", pdf("It lay"), longest=3)["reason"]


def test_a_process_has_a_bound_on_its_memory() -> None:
    """A page of 30 MB of words, packed a tenth, in a process that may use 100 MB."""
    page = " ".join(str(n * 7919) for n in range(3_000_000))
    with pytest.raises(MisauthoredFile, match=r"too much memory|cannot be read"):
        read_apart(epub([page]), "epub", "books/a.epub", memory=100_000_000)


def test_markup_nested_without_end_is_refused() -> None:
    assert html_markdown("<div>" * 500 + "words") == "words"
    assert html_markdown("") == ""
    for nested in ("<div>" * 3_000, "<table><tr><td>" * 400, "<b>" * 3_000):
        with pytest.raises(FormatTrouble, match="deeper than 512 levels"):
            html_markdown(nested + "zebra")


def test_escaped_words_are_the_same_words() -> None:
    """Every sign of ASCII is a word of the text, and none a mark."""
    signs = "".join(chr(n) for n in range(33, 127))
    for line in (signs, f"# {signs}", "1. a", "===", "> q", "a\n---", "<b>x</b>", "[a](b)", "\\"):
        assert plain_text(escaped(line)) == " ".join(line.split())
