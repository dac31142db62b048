"""Each bound has a refusal by name, and none of them waits for ever (C04, R020, R023)."""

from __future__ import annotations

import os
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from fonds.archive_file import read_archive_file
from fonds.contract.failures import MisauthoredFile, MisauthoredInput, Misconfigured
from fonds.ingestion import markdown_parser
from fonds.ingestion.corpus import found_corpus
from fonds.ingestion.formats.docx import docx_markdown
from fonds.ingestion.formats.epub import epub_markdown
from fonds.ingestion.formats.reading_apart import read_apart
from fonds.ingestion.formats.trouble import FormatTrouble
from fonds.ingestion.front_matter import MAX_FRONT_MATTER_CHARS, read_text
from fonds.ingestion.markdown_parser import MAX_LINES
from fonds.ingestion.plain_text import plain_blocks, plain_text
from fonds.ingestion.roots import checked_roots
from tests.ingestion.bound_books import docx, epub, pdf, zipped
from tests.ingestion.corpora import ARCHIVE_TOML, ESSAY, described, put, written_archive

PARTS = ("[Content_Types].xml", "_rels/.rels", "word/document.xml", "word/styles.xml")
ENTITY = "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/hostname'>]>"


def front_matter_refused(text: str) -> str:
    with pytest.raises(MisauthoredFile) as refusal:
        read_text(text.encode(), "essays/a.md")
    assert (refusal.value.path, refusal.value.disclosure_known) == ("essays/a.md", False)
    return refusal.value.reason


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("---\n" + "".join(f"k{n}: v\n" for n in range(100_000)) + "---\n", "longer than 64 KiB"),
        ("+++\n" + "".join(f"k{n} = 1\n" for n in range(100_000)) + "+++\n", "longer than 64 KiB"),
        ("---\na: " + "{a: " * 10_000 + "\n---\n", "nested too deep"),
        ("---\n" + "- " * 10_000 + "a\n---\n", "nested too deep"),
        ("---\n" + "".join(" " * n + "a:\n" for n in range(200)) + "---\n", "nested too deep"),
        ("+++\na = " + "{a = " * 10_000 + "\n+++\n", "nested too deep"),
        ("+++\n" + "a." * 30_000 + "a = 1\n+++\n", "nested too deep"),
        ("+++\n[" + "a." * 30_000 + "a]\n+++\n", "nested too deep"),
        ("+++\n" + "'a' . " * 9_000 + "a = 1\n+++\n", "nested too deep"),
        ("+++\n" + "a." * 17 + "a = 1\n+++\n", "nested too deep"),
        ("+++\n" + "a" * 60_000 + "\n+++\n", "cannot be read as TOML"),
        ("+++\n" + "'" * 60_000 + "\n+++\n", "cannot be read as TOML"),
    ],
)
def test_front_matter_is_bounded_in_length_and_depth(front: str, said: str) -> None:
    assert said in front_matter_refused(front)


def test_as_many_keys_as_fit_are_read_in_time_of_their_number() -> None:
    keys = "".join(f"k{n}: v\n" for n in range(MAX_FRONT_MATTER_CHARS // 12))
    assert len(read_text(f"---\n{keys}---\n".encode(), "a.md").front.values) > 5_000


def test_an_archive_file_nested_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "archive.toml").write_text("a = " + "[" * 20_000)
    with pytest.raises(Misconfigured, match=r"nested too deep|not TOML"):
        read_archive_file(tmp_path)


def test_one_line_of_twenty_megabytes_is_read_whole() -> None:
    assert len(plain_text("x" * 19_000_000)) == 19_000_000


def test_headings_without_number_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million of them: by their lines, by their blocks, by their fragments."""
    with pytest.raises(MisauthoredInput, match="lines: split the file"):
        plain_blocks("# a\n" * (MAX_LINES + 1))
    monkeypatch.setattr(markdown_parser, "MAX_TOKENS", 3_000)
    with pytest.raises(MisauthoredInput, match="too many blocks"):
        plain_blocks("# a\n" * 1_001)
    monkeypatch.undo()
    guide = "---\ntitle: T\n---\n" + "".join(f"# h{n}\n\nx\n\n" for n in range(20_001))
    with pytest.raises(MisauthoredFile, match="more than 20000 fragments"):
        described(tmp_path, "essays/g.md", guide, ARCHIVE_TOML + 'shape = "guide"\n')


def test_links_in_a_circle_and_to_devices_are_refused(tmp_path: Path) -> None:
    written_archive(tmp_path, {"essays/a.md": ESSAY})
    folder = tmp_path / "essays"
    (folder / "b.md").symlink_to(folder / "c.md")
    (folder / "c.md").symlink_to(folder / "b.md")
    (folder / "round").symlink_to(folder)
    (folder / "zero.md").symlink_to("/dev/zero")
    corpus = found_corpus(checked_roots(read_archive_file(tmp_path)))
    assert [file.key for file in corpus.files] == ["essays/a.md"]
    assert {one.path: one.reason for one in corpus.refused} == {
        "essays/b.md": "the file cannot be read: it went away, or the link leads nowhere",
        "essays/c.md": "the file cannot be read: it went away, or the link leads nowhere",
        "essays/round": "a link to a folder is not followed",
        "essays/zero.md": "the link leaves its folder",
    }


def test_fields_in_a_pipe_are_never_waited_for(tmp_path: Path) -> None:
    put(tmp_path, "books/tide.yaml", "x")
    (tmp_path / "books" / "tide.yaml").unlink()
    os.mkfifo(tmp_path / "books" / "tide.yaml")
    with pytest.raises(MisauthoredFile, match="a regular file is needed"):
        described(tmp_path, "books/tide.txt", "words")


@pytest.mark.parametrize(
    "href", ["../../etc/passwd", "../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd"]
)
def test_a_spine_that_names_a_place_outside_finds_nothing(href: str) -> None:
    package = f'<package><item id="a" href="{href}" media-type="text/html"/>'
    package += '<itemref idref="a"/></package>'
    with pytest.raises(FormatTrouble, match="a part it names is missing"):
        epub_markdown(epub(more={"OEBPS/book.opf": package}))


def test_a_zip_within_a_zip_is_never_unpacked() -> None:
    """A bomb inside a bomb is bytes that no page names, or a page that is no text."""
    bomb = zipped({"bomb": b"\0" * 3_000_000})
    assert "quillfeather" in epub_markdown(epub(more={"OEBPS/inner.zip": bomb}))
    with pytest.raises(FormatTrouble, match=r"neither UTF-8|hundred times"):
        epub_markdown(epub(more={"OEBPS/page 0.xhtml": bomb + b"\xff\xfe\xff"}))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_docx_that_defines_an_entity_is_refused(part: str, encoding: str) -> None:
    """In any of its parts, in any encoding of XML."""
    with pytest.raises(FormatTrouble, match="it defines entities"):
        docx_markdown(with_part(part, f"{ENTITY}<a>&b;</a>".encode(encoding)))


def test_a_docx_that_names_a_remote_template_or_picture_opens_neither(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_arguments: object) -> object:
        raise AssertionError("a socket was asked for")

    monkeypatch.setattr("socket.socket", refuse)
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="t" TargetMode="External" Target="http://192.0.2.1/zebra.dotm" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
        'attachedTemplate"/></Relationships>'
    )
    content = with_part("word/_rels/document.xml.rels", relation.encode())
    assert docx_markdown(content) == "It lay\\."


def with_part(name: str, content: bytes) -> bytes:
    with ZipFile(BytesIO(docx(("Normal", "It lay.")))) as honest:
        parts: dict[str, str | bytes] = {one: honest.read(one) for one in honest.namelist()}
    return zipped({**parts, name: content})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"/Kids [4 0 R]", b"/Kids [2 0 R]"),
        (b"/Contents 5 0 R", b"/Contents 4 0 R"),
        (b"/Parent 2 0 R", b"/Parent 4 0 R"),
        (b"/Root 1 0 R", b"/Root 1 0 R /Prev 9"),
    ],
)
def test_a_pdf_that_leads_to_itself_ends(before: bytes, after: bytes) -> None:
    """Read with what it has, or refused by name; in either case soon."""
    honest = pdf("It lay.")
    assert before in honest
    text = ""
    with suppress(MisauthoredFile):
        text = read_apart(honest.replace(before, after), "pdf", "books/a.pdf", seconds=25).text
    assert text in ("", "\f", "It lay\\.\f")
