"""Slips of an author's hand: each is refused with its remedy, and nothing travels for it (R020)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fonds.archive_file import read_archive_file
from fonds.contract.failures import MisauthoredFile
from fonds.ingestion import corpus, fragmenting
from fonds.ingestion.corpus import found_corpus, read_bytes
from fonds.ingestion.inventory import Inventory, taken_inventory
from fonds.ingestion.reading import read_file
from fonds.ingestion.roots import checked_roots
from tests.ingestion.corpora import (
    ARCHIVE_TOML,
    BOOK,
    ESSAY,
    NOTE,
    found_file,
    put,
    silent,
    written_archive,
)

SONGS = '\n[[collections]]\ndir = "songs"\nurl_prefix = "{prefix}"\ntype = "song"\n'


def inventory_of(folder: Path) -> Inventory:
    found = found_corpus(checked_roots(read_archive_file(folder)))
    return taken_inventory(found, {}, frozenset(), silent)


def refused(folder: Path, name: str, content: str) -> MisauthoredFile:
    """How the run would refuse the file: by the inventory, or when it is read."""
    written_archive(folder, {name: content})
    found = inventory_of(folder)
    for refusal in found.refused:
        return refusal
    (candidate,) = found.candidates
    with pytest.raises(MisauthoredFile) as refusal_read:
        read_file(candidate, read_archive_file(folder))
    return refusal_read.value


@pytest.mark.parametrize(
    ("front", "field", "said"),
    [
        ("Draft: true", "Draft", "did you mean draft?"),
        ("exposre: none", "exposre", "did you mean exposure?"),
        ("Exposure: none", "Exposure", "did you mean exposure?"),
        ("require_review: true", "require_review", "did you mean requireReview?"),
        ("published: false", "published", "to keep the file out, set draft: true"),
    ],
)
def test_a_public_file_that_means_to_hold_back_is_not_published(
    tmp_path: Path, front: str, field: str, said: str
) -> None:
    """R020: what it may disclose cannot be read, so its stored version is withdrawn."""
    refusal = refused(tmp_path, "essays/a.md", f"---\ntitle: A\n{front}\n---\nBody.\n")
    assert (refusal.field, refusal.line, refusal.disclosure_known) == (field, 3, False)
    assert refusal.reason == said


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notebook/a.md", "# A\n\nBody.\n", ("title", "label, about, locator")),
        ("notebook/a.md", "---\ntitle: A\nlabel: ~\n---\nBody.\n", ("label", "about, locator")),
        ("books/a.md", "# A\n\nBody.\n", ("title", "about")),
    ],
)
def test_a_private_file_is_told_of_all_it_lacks_at_once(
    tmp_path: Path, name: str, content: str, said: tuple[str, str]
) -> None:
    """Else an author would ingest once for each."""
    refusal = refused(tmp_path, name, content)
    assert refusal.field == said[0]
    assert refusal.reason.startswith(f"not given, and neither are: {said[1]}; write each as")


@pytest.mark.parametrize("front", ["published: 2019", "layout: post", "craft: a", "tags: [draft]"])
def test_keys_of_a_site_generator_are_no_slips(tmp_path: Path, front: str) -> None:
    written_archive(tmp_path, {"essays/a.md": f"---\ntitle: A\n{front}\n---\nBody.\n"})
    (candidate,) = inventory_of(tmp_path).candidates
    assert read_file(candidate, read_archive_file(tmp_path)).source is not None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("essays/a.md", "# No fields at all\n\nBody.\n"),
        ("notebook/a.md", NOTE.replace("label: Piano sale, spring\n", "exposure: none\n")),
        ("books/a.md", BOOK.replace("about", "exposures: {ch1: none}\nabotu", 1)),
        ("books/a.md", BOOK.replace("---\n#", "exposures: {ch1: none}\n---\n" + "> " * 99 + "\n#")),
        ("books/a.md", BOOK.replace("---\n#", "exposures: {ch1: nun}\n---\n" + "> " * 99 + "\n#")),
    ],
)
def test_a_refused_file_that_may_hold_something_back_is_withdrawn(
    tmp_path: Path, name: str, content: str
) -> None:
    """R020: its fence may be lost, or a part of it is withheld; a stored version serves nothing."""
    assert not refused(tmp_path, name, content).disclosure_known


def test_a_body_nobody_can_parse_is_refused_and_its_terms_are_known(tmp_path: Path) -> None:
    for name, page in (("essays/a.md", ESSAY), ("notebook/a.md", NOTE), ("books/a.md", BOOK)):
        refusal = refused(tmp_path / name, name, page + "\n" + "> " * 99 + "deep\n")
        assert (refusal.field, refusal.disclosure_known) == ("body", True)
        assert refusal.reason == "lists and quotes stand deeper than 50 levels in one another"


@pytest.mark.parametrize("slug", ["..", "a/../b", "./a", "a//b"])
def test_a_slug_stays_below_its_prefix(tmp_path: Path, slug: str) -> None:
    """R021: an address with .. in it leads a reader to another page."""
    refusal = refused(tmp_path, "essays/a.md", f"---\ntitle: A\nslug: {slug}\n---\nBody.\n")
    assert (refusal.field, refusal.line) == ("slug", 3)
    assert refusal.reason == "names stand between its slashes, and neither . nor .."


def test_two_pages_of_one_address_are_both_refused(tmp_path: Path) -> None:
    """R021, R146: a citation is repaired by its address, which has to name one page."""
    files = {"essays/a.md": ESSAY, "songs/a.md": ESSAY, "songs/b.md": ESSAY}
    written_archive(tmp_path, files, ARCHIVE_TOML + SONGS.format(prefix="/essays/"))
    found = inventory_of(tmp_path)
    assert [one.file.key for one in found.candidates] == ["songs/b.md"]
    assert [str(one) for one in found.refused] == [
        "essays/a.md: slug: the same address as songs/a.md: rename one",
        "songs/a.md: slug: the same address as essays/a.md: rename one",
    ]


def test_one_slug_under_two_prefixes_is_two_pages(tmp_path: Path) -> None:
    files = {"essays/a.md": ESSAY, "songs/a.md": ESSAY}
    written_archive(tmp_path, files, ARCHIVE_TOML + SONGS.format(prefix="/songs/"))
    assert not inventory_of(tmp_path).refused


def test_names_that_look_alike_are_told_apart_in_the_refusal(tmp_path: Path) -> None:
    """R006: one name, composed and decomposed, is one id; on screen they are equal."""
    written_archive(tmp_path, {"essays/caf\u00e9.md": ESSAY, "essays/cafe\u0301.md": ESSAY})
    if len(os.listdir(tmp_path / "essays")) == 2:  # a file system may hold them for one name
        assert len(inventory_of(tmp_path).refused) == 2
        assert all("other code points" in one.reason for one in inventory_of(tmp_path).refused)


@pytest.mark.parametrize(
    "mark",
    ["<<page 2>>>", "<<< page 2 >>>", "<<<page 2", "<<<Page 2>>>", "x <<<page 2>>> y"],
)
def test_a_page_mark_with_a_slip_in_it_is_no_text(tmp_path: Path, mark: str) -> None:
    """R031: its words would be cited for the page before."""
    book = BOOK.replace("---\n#", f"fragmentBy: pages\n---\n<<<page 1>>>\none\n{mark}\ntwo\n#")
    refusal = refused(tmp_path, "books/a.md", book)
    said = "page mark 2 is out of shape: write <<<page N>>> on a line of its own"
    assert (refusal.field, refusal.reason) == ("body", said)


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ("maxFragmentChars: 1", "a b c d e f"),
        ("fragmentBy: pages", "\f".join("abcdef")),
        ("fragmentBy: headings", "".join(f"# Chapter {n}\n\nx\n\n" for n in range(6))),
    ],
)
def test_a_file_of_too_many_fragments_is_refused(
    tmp_path: Path, fields: str, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C18: at most 20,000 of one file, counted before they are held."""
    monkeypatch.setattr(fragmenting, "MAX_FRAGMENTS", 5)
    monkeypatch.setattr("fonds.ingestion.adapters.description.MAX_FRAGMENTS", 5)
    monkeypatch.setattr("fonds.ingestion.adapters.book.MAX_FRAGMENTS", 5)
    about = "title: T\nabout: https://example.org/b/"
    refusal = refused(tmp_path, "books/a.md", f"---\n{about}\n{fields}\n---\n{body}\n")
    assert (refusal.field, refusal.reason) == ("body", "more than 5 fragments: split the file")


def test_a_long_paragraph_is_cut_in_time_of_its_length() -> None:
    """R032: copying the rest at each cut would take the square of it."""
    words = "tide " * 400_000
    parts = fragmenting.split_long((fragmenting.Locator("chapter", "1"),), words, 120)
    assert sum(part.count("tide") for _, part in parts) == 400_000


def test_a_file_without_rights_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_archive_file(written_archive(tmp_path, {"essays/a.md": ESSAY}))

    def denied(path: str, flags: int = 0) -> bytes:
        raise PermissionError(13, f"{flags}", path)

    monkeypatch.setattr(corpus, "bounded_bytes", denied)
    with pytest.raises(MisauthoredFile, match="check its rights"):
        read_bytes(found_file(config, "essays/a.md"))


def test_a_file_that_turns_into_a_folder_while_it_is_read_is_refused(tmp_path: Path) -> None:
    config = read_archive_file(written_archive(tmp_path, {"essays/a.md": ESSAY}))
    file = found_file(config, "essays/a.md")
    (tmp_path / "essays" / "a.md").unlink()
    put(tmp_path, "essays/a.md/b.md", ESSAY)
    with pytest.raises(MisauthoredFile, match="cannot be read"):
        read_bytes(file)
