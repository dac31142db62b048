"""One file to one entity and its fragments: records, notes and books (R021-R024)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import PrivateDisclosure, PublicDisclosure
from fonds.contract.embed_string import content_hash, embed_string
from fonds.contract.entity import Entity, LintWindow, Policy
from fonds.contract.failures import MisauthoredFile
from fonds.contract.fragment import Fragment
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator
from tests.ingestion.corpora import ARCHIVE_TOML, BOOK, ESSAY, NOTE, described

PERSON_A = (Attribution("Person A", "author"),)


def refused(folder: Path, name: str, content: str, toml: str = ARCHIVE_TOML) -> MisauthoredFile:
    with pytest.raises(MisauthoredFile) as refusal:
        described(folder, name, content, toml)
    assert "zebra" not in str(refusal.value)
    return refusal.value


def test_a_public_file_is_a_page_quoted_whole(tmp_path: Path) -> None:
    """R021, and the embed string of R040 with its hash."""
    entity, fragments = described(tmp_path, "essays/on-kites.md", ESSAY)
    assert entity == Entity(
        entity_id="essay:on-kites",
        type="essay",
        title="On Kites",
        url="https://example.org/essays/on-kites/",
        disclosure=PublicDisclosure("text"),
        attribution=PERSON_A,
        themes=("wind", "patience"),
    )
    assert fragments == (
        Fragment(
            entity_id="essay:on-kites",
            place=(Locator("whole", ""),),
            disclosure=PublicDisclosure("text"),
            text="Let the line out.",
            summary="Wind as a teacher.",
        ),
    )
    assert fragments[0].fragment_id == "essay:on-kites#whole"
    assert content_hash(embed_string(entity, fragments[0])) == "f7506fff1ba00823"


def test_a_page_reads_what_its_author_says_of_it(tmp_path: Path) -> None:
    entity, fragments = described(
        tmp_path,
        "essays/sub folder/ü?.md",
        "+++\ntitle = 'A  page'\nmeaning = 'M'\ndescription = ''\ndate = 2019-03-14\n"
        "version = '2'\n"
        "exposure = 'locator'\nrequireReview = true\nparent = 'essay:other'\ncreators = ['B']\n"
        "identifiers = [{scheme = 'doi', value = '10.1/x'}]\nunknown = {a = [1]}\n+++\nWords.",
    )
    assert (entity.entity_id, entity.title) == ("essay:sub folder/ü?", "A page")
    assert entity.url == "https://example.org/essays/sub%20folder/ü%3F/"
    assert (entity.date, entity.version, entity.parent) == ("2019-03-14", "2", "essay:other")
    assert entity.disclosure == fragments[0].disclosure == PublicDisclosure("locator")
    assert entity.policy == Policy(require_review=True)
    assert entity.identifiers == (Identifier("doi", "10.1/x"),)
    assert entity.attribution == (Attribution("B", "author"),)
    assert fragments[0].summary == "M"


@pytest.mark.parametrize(
    ("front", "field", "known"),
    [
        ("title: x\nraw: private", "raw", False),
        ("title: x\nprivate: true", "private", False),
        ("title: x\nlayer: zebra", "layer", False),
        ("title: x\nexposure: secret-zebra", "exposure", False),
        ("title: x\nrequireReview: zebra", "requireReview", False),
        ("description: x", "title", True),
        ("title: x\ndate: zebra", "date", True),
        ("title: x\nslug: a#zebra", "slug", True),
        ("title: x\nslug: /", "slug", True),
        ("title: x\nexposures: {zebra: none}", "exposures[0]", False),
    ],
)
def test_a_page_is_refused_by_field(tmp_path: Path, front: str, field: str, known: bool) -> None:
    """R021: and while its terms cannot be read, they are not known."""
    refusal = refused(tmp_path, "essays/a.md", f"---\n{front}\n---\nWords.")
    assert (refusal.field, refusal.disclosure_known) == (field, known)


def test_a_missing_title_says_how_to_exclude_a_file(tmp_path: Path) -> None:
    """R020."""
    reason = refused(tmp_path, "essays/a.md", "Words.").reason
    assert "begin its name with _" in reason
    assert "draft: true" in reason


def test_a_note_keeps_its_title_in_the_text(tmp_path: Path) -> None:
    """R022, its example."""
    entity, fragments = described(tmp_path, "notebook/piano-sale.md", NOTE)
    assert entity == Entity(
        entity_id="note:piano-sale",
        type="note",
        title="Piano sale, spring",
        url="https://example.org/notebooks/blue/",
        disclosure=PrivateDisclosure("locator"),
        attribution=PERSON_A,
    )
    (fragment,) = fragments
    assert fragment.fragment_id == "note:piano-sale#blue-notebook-p-4"
    assert fragment.label == "blue notebook, p. 4"
    assert fragment.text == (
        "Letter to my brother about the piano\n\n"
        "We sold the zebrawood piano because the stairs had started to sag under it."
    )


def test_a_note_reads_its_terms(tmp_path: Path) -> None:
    front = (
        "slug: other\nexposure: semantic\ndate: 2003-04\nthemes: [wards]\nrequireReview: true\n"
        "publicTitle: true\nlint: {ngramWords: 4}\nmood: low\n"
    )
    toml = ARCHIVE_TOML.replace("[[coll", 'ignore_keys = ["mood"]\n\n[[coll')
    note = NOTE.replace("---\n", f"---\n{front}", 1)
    entity, _ = described(tmp_path, "notebook/a.md", note, toml)
    assert entity.entity_id == "note:other"
    assert (entity.date, entity.themes) == ("2003-04", ("wards",))
    assert entity.policy == Policy(True, True, LintWindow(4, 12, 400))
    assert entity.disclosure == PrivateDisclosure("semantic")


@pytest.mark.parametrize(
    ("old", "new", "field", "known"),
    [
        ("label: ", "exposure: text\nlabel: ", "exposure", False),
        ("label: ", "exposure: zebra\nlabel: ", "exposure", False),
        ("label: ", "exposre: none\nlabel: ", "exposre", False),
        ("label: Piano sale, spring", "label: ''", "label", True),
        ("title: Letter to my brother about the piano\n", "", "title", True),
        ("about: https://example.org", "about: zebra", "about", True),
        ("locator: blue notebook, p. 4", "locator: '---'", "locator", True),
        ("locator: blue notebook, p. 4\n", "", "locator", True),
        ("locator: blue notebook, p. 4", f"locator: {'x' * 1200}", "locator", True),
        ("label: ", "themes: zebra\nlabel: ", "themes", True),
        ("label: ", "publicTitle: zebra\nlabel: ", "publicTitle", False),
    ],
)
def test_a_note_is_refused_by_field(
    tmp_path: Path, old: str, new: str, field: str, known: bool
) -> None:
    refusal = refused(tmp_path, "notebook/a.md", NOTE.replace(old, new))
    assert (refusal.path, refusal.field, refusal.disclosure_known) == (
        "notebook/a.md",
        field,
        known,
    )


def test_a_book_is_cut_and_says_what_it_is(tmp_path: Path) -> None:
    """R023, R024."""
    front = (
        "authors: [{name: B, role: editor}]\ndate: 2020\n"
        "identifiers: [{scheme: isbn, value: '1'}]\n"
        "version: second draft\ntype: novel\npublicTitle: true\nexposures: {ch2: none}\n"
    )
    content = BOOK.replace("---\n", f"---\n{front}", 1)
    entity, fragments = described(tmp_path, "books/low-tide.md", content)
    assert entity == Entity(
        entity_id="novel:low-tide",
        type="novel",
        title="Low Tide",
        url="https://example.org/books/low-tide/",
        disclosure=PrivateDisclosure("locator"),
        attribution=(Attribution("B", "editor"),),
        date="2020",
        version="second draft",
        identifiers=(Identifier("isbn", "1"),),
        policy=Policy(public_title=True),
    )
    assert [(f.fragment_id, f.disclosure.exposure) for f in fragments] == [
        ("novel:low-tide#ch1", "locator"),
        ("novel:low-tide#ch2", "none"),
    ]
    assert fragments[0].text == "Chapter 1\n\nThe quillfeather lay where the water had left it."


def test_a_book_by_pages_counts_from_its_first(tmp_path: Path) -> None:
    content = BOOK.replace("---\n", "---\nfragmentBy: pages\nfirstPage: 183\n", 1)
    _, fragments = described(
        tmp_path, "books/a.md", content.replace("\n\n# Chapter 2", "\f# Chapter 2")
    )
    assert [f.fragment_id for f in fragments] == ["book:a#p183", "book:a#p184"]


def test_a_long_chapter_is_divided_and_each_part_bears_its_heading(tmp_path: Path) -> None:
    content = BOOK.replace("---\n", "---\nmaxFragmentChars: 30\n", 1)
    _, fragments = described(tmp_path, "books/a.md", content)
    assert [f.fragment_id for f in fragments][:2] == ["book:a#ch1.s1", "book:a#ch1.s2"]
    assert all(f.text.startswith("Chapter 1\n\n") for f in fragments[:2])


@pytest.mark.parametrize(
    ("front", "field"),
    [
        ('authors: "A. Zebra"', "authors"),
        ("publicTitle: yes please", "publicTitle"),
        ("type: a zebra", "type"),
        ("fragmentBy: zebras", "fragmentBy"),
        ("maxFragmentChars: 0", "maxFragmentChars"),
        ("firstPage: -1", "firstPage"),
        ("exposure: text", "exposure"),
        ("exposures: {ch9: none}", "exposures[0]"),
        ("maxFragmentChar: 30", "maxFragmentChar"),
    ],
)
def test_a_book_is_refused_by_field(tmp_path: Path, front: str, field: str) -> None:
    refusal = refused(tmp_path, "books/a.md", BOOK.replace("---\n", f"---\n{front}\n", 1))
    assert refusal.field == field


def test_two_pieces_at_one_place_are_refused_by_position_and_scheme(tmp_path: Path) -> None:
    """R024, its example."""
    content = BOOK.replace("# Chapter 1", "## Chapter 3").replace("# Chapter 2", "## Chapter 3")
    refusal = refused(tmp_path, "books/a.md", content)
    assert refusal.reason == "pieces 1 and 2 of 2 share a 'chapter' locator"
    pages = BOOK.replace("---\n", "---\nfragmentBy: pages\n", 1)
    pages = pages.replace("# Chapter 1", "<<<page zebra>>>").replace(
        "# Chapter 2", "<<<page zebra>>>"
    )
    assert "share a 'page' locator" in refused(tmp_path, "books/a.md", pages).reason


def test_an_empty_book_and_a_bad_page_mark_are_refused(tmp_path: Path) -> None:
    """R023, R025."""
    head = BOOK.partition("# Chapter 1")[0]
    assert refused(tmp_path, "books/a.md", head).reason == "the book holds no text"
    pages = head.replace("---\n", "---\nfragmentBy: pages\n", 1) + "<<<page p;1>>>\nx"
    assert refused(tmp_path, "books/a.md", pages).reason.startswith("page mark 1 is no label")
