"""What the inventory decides before anything is written: what changed, whose id it is (R020)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fonds.archive_file import read_archive_file
from fonds.contract.failures import MisauthoredFile
from fonds.contract.stored_source import StoredSource
from fonds.ingestion.corpus import found_corpus
from fonds.ingestion.inventory import Inventory, taken_inventory
from fonds.ingestion.reading import read_file
from fonds.ingestion.roots import checked_roots
from tests.ingestion.corpora import BOOK, ESSAY, NOTE, put, silent, written_archive


def inventory_of(
    folder: Path,
    stored: dict[str, StoredSource] | None = None,
    lacking: frozenset[str] = frozenset(),
) -> Inventory:
    corpus = found_corpus(checked_roots(read_archive_file(folder)))
    return taken_inventory(corpus, stored or {}, lacking, silent)


def stored_as(folder: Path, key: str, *entity_ids: str) -> dict[str, StoredSource]:
    """As if the file had been ingested with its present content."""
    corpus = found_corpus(checked_roots(read_archive_file(folder)))
    root = next(file.root for file in corpus.files if file.key == key)
    digest = hashlib.sha256((folder / key).read_bytes()).hexdigest()
    return {key: StoredSource(key, root.raw, digest, root.settings_hash, entity_ids, 1)}


def test_every_file_that_claims_an_id_is_refused(tmp_path: Path) -> None:
    """R020: by suffix and by slug; whichever came first has no better right."""
    slugged = ESSAY.replace("---\n", "---\nslug: a\n", 1)
    files = {
        "essays/a.md": ESSAY,
        "essays/a.mdx": ESSAY,
        "essays/z.md": slugged,
        "essays/b.md": ESSAY,
    }
    written_archive(tmp_path, files)
    found = inventory_of(tmp_path)
    assert [one.file.key for one in found.candidates] == ["essays/b.md"]
    assert {one.path: one.reason for one in found.refused} == {
        "essays/a.md": "the same id as essays/a.mdx and 1 more: rename one",
        "essays/a.mdx": "the same id as essays/a.md and 1 more: rename one",
        "essays/z.md": "the same id as essays/a.md and 1 more: rename one",
    }
    assert all(one.disclosure_known for one in found.refused)


def test_an_unchanged_file_is_skipped_and_still_holds_its_id(tmp_path: Path) -> None:
    written_archive(tmp_path, {"essays/a.md": ESSAY})
    stored = stored_as(tmp_path, "essays/a.md", "essay:a")
    assert inventory_of(tmp_path, stored).unchanged == ("essays/a.md",)
    lacking = inventory_of(tmp_path, stored, frozenset({"essays/a.md"}))
    assert [one.file.key for one in lacking.candidates] == ["essays/a.md"]
    put(tmp_path, "essays/a.mdx", ESSAY)
    claimed = inventory_of(tmp_path, stored)
    assert (claimed.unchanged, len(claimed.refused)) == ((), 2)


def test_a_kept_version_holds_its_id_while_its_file_is_refused(tmp_path: Path) -> None:
    """A file may not take over the id of a version that goes on being served."""
    written_archive(tmp_path, {"essays/a.md": ESSAY})
    stored = stored_as(tmp_path, "essays/a.md", "essay:a")
    put(tmp_path, "essays/a.md", "---\ntitle: [\n---\nx")
    put(tmp_path, "essays/b.md", ESSAY.replace("---\n", "---\nslug: a\n", 1))
    assert {one.path for one in inventory_of(tmp_path, stored).refused} == {
        "essays/a.md",
        "essays/b.md",
    }


def test_changed_settings_are_a_change(tmp_path: Path) -> None:
    written_archive(tmp_path, {"essays/a.md": ESSAY})
    stored = stored_as(tmp_path, "essays/a.md", "essay:a")
    toml = (tmp_path / "archive.toml").read_text().replace("/essays/", "/texts/")
    (tmp_path / "archive.toml").write_text(toml)
    assert len(inventory_of(tmp_path, stored).candidates) == 1


def test_a_draft_claims_nothing(tmp_path: Path) -> None:
    """R020: `draft: true` excludes a file of any kind; a draft nobody can read is refused."""
    files = {
        "essays/a.md": ESSAY.replace("---\n", "---\ndraft: true\n", 1),
        "essays/a.mdx": ESSAY,
        "notebook/n.md": NOTE.replace("---\n", "---\ndraft: true\n", 1),
        "books/b.md": BOOK.replace("---\n", "---\ndraft: perhaps\n", 1),
    }
    written_archive(tmp_path, files)
    found = inventory_of(tmp_path)
    assert [one.file.key for one in found.candidates] == ["essays/a.mdx"]
    assert found.drafts == ("notebook/n.md", "essays/a.md")
    assert [(one.path, one.field) for one in found.refused] == [("books/b.md", "draft")]


def test_a_quoting_label_is_refused_with_its_field_and_position(tmp_path: Path) -> None:
    """R024, R065, R069: before anything is drafted or embedded, and without the words."""
    quoting = "label: because the stairs had started to sag"
    written_archive(tmp_path, {"notebook/a.md": NOTE.replace("label: Piano sale, spring", quoting)})
    (candidate,) = inventory_of(tmp_path).candidates
    with pytest.raises(MisauthoredFile) as refusal:
        read_file(candidate, read_archive_file(tmp_path))
    assert (
        str(refusal.value) == "notebook/a.md:4: label: quotes private text at words 1-5: reword it"
    )
    assert refusal.value.disclosure_known


def test_every_finding_of_a_book_is_counted(tmp_path: Path) -> None:
    """R065: themes and version are linted like the title."""
    run = "lay where the water had left"
    front = f"version: {run}\nthemes: [{run}]\nexposure: none\n"
    written_archive(tmp_path, {"books/b.md": BOOK.replace("---\n", f"---\n{front}", 1)})
    (candidate,) = inventory_of(tmp_path).candidates
    with pytest.raises(MisauthoredFile) as refusal:
        read_file(candidate, read_archive_file(tmp_path))
    assert refusal.value.field == "version"
    assert refusal.value.reason.endswith("quotes private text at words 1-5, and 1 more: reword it")
    assert not refusal.value.disclosure_known  # it asks to be withheld


def test_a_file_that_changes_its_id_while_it_is_read_is_refused(tmp_path: Path) -> None:
    written_archive(tmp_path, {"essays/a.md": ESSAY})
    (candidate,) = inventory_of(tmp_path).candidates
    put(tmp_path, "essays/a.md", ESSAY.replace("---\n", "---\nslug: z\n", 1))
    with pytest.raises(MisauthoredFile, match="changed while it was read"):
        read_file(candidate, read_archive_file(tmp_path))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("essays/a.md", ""),
        ("essays/a.md", ESSAY.partition("Let")[0]),
        ("essays/a.md", "<!-- only -->"),
        ("essays/a.md", "![only](a.png)"),
        ("essays/a.md", " \n\u200b\n"),
        ("notebook/a.md", NOTE.partition("We sold")[0]),
    ],
)
def test_a_file_without_text_is_a_note(tmp_path: Path, name: str, content: str) -> None:
    """C10: it is neither an entity nor a refusal."""
    written_archive(tmp_path, {name: content})
    (candidate,) = inventory_of(tmp_path).candidates
    assert read_file(candidate, read_archive_file(tmp_path)).source is None


def test_a_page_too_long_to_embed_is_remarked_with_the_remedy(tmp_path: Path) -> None:
    """R021."""
    written_archive(tmp_path, {"essays/a.md": ESSAY + "word " * 6000})
    (candidate,) = inventory_of(tmp_path).candidates
    remark = read_file(candidate, read_archive_file(tmp_path)).remark
    assert remark is not None
    assert remark.endswith('set shape = "guide" to cut on headings')


def test_a_rule_of_the_contract_names_its_field(tmp_path: Path) -> None:
    """What only the contract's types refuse reaches the author as file and field too."""
    long = NOTE.replace("label: ", "publicTitle: true\nlabel: ").replace(
        "blue notebook, p. 4", "... !!!"
    )
    written_archive(tmp_path, {"notebook/a.md": long})
    (candidate,) = inventory_of(tmp_path).candidates
    with pytest.raises(MisauthoredFile, match=r"notebook/a\.md:6: locator: at least one letter"):
        read_file(candidate, read_archive_file(tmp_path))
