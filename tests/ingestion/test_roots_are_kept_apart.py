"""Which files an archive has, and which are refused by name (R020, R029)."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from fonds.archive_file import read_archive_file
from fonds.contract.failures import MisauthoredFile, Misconfigured
from fonds.ingestion.contents import read_contents
from fonds.ingestion.corpus import MAX_FILE_BYTES, Corpus, FoundFile, found_corpus, read_bytes
from fonds.ingestion.roots import checked_roots
from tests.ingestion.corpora import ARCHIVE_TOML, put, written_archive

OTHER = '\n[[collections]]\ndir = "{dir}"\nurl_prefix = "/more/"\ntype = "more"\n'


def corpus_of(folder: Path, toml: str = ARCHIVE_TOML) -> Corpus:
    (folder / "archive.toml").write_text(toml, encoding="utf-8")
    return found_corpus(checked_roots(read_archive_file(folder)))


def reasons(corpus: Corpus) -> dict[str, str]:
    return {refusal.path: refusal.reason for refusal in corpus.refused}


def test_a_missing_folder_is_named_as_written_and_nothing_is_read(tmp_path: Path) -> None:
    """R020: `essays/` misspelled."""
    written_archive(tmp_path, {}, ARCHIVE_TOML.replace('dir = "essays"', 'dir = "esays"'))
    with pytest.raises(Misconfigured) as refusal:
        checked_roots(read_archive_file(tmp_path))
    assert str(refusal.value) == (
        "cannot read collection 'essay' at ./esays: there is no such folder"
    )
    written_archive(tmp_path, {}, ARCHIVE_TOML.replace('"notebook"', '"notebok"'))
    with pytest.raises(Misconfigured, match=r"cannot read private notes at \./notebok"):
        checked_roots(read_archive_file(tmp_path))


@pytest.mark.parametrize("overlapping", ["notebook", "notebook/sub", ".", "link"])
def test_a_public_folder_never_overlaps_a_private_one(tmp_path: Path, overlapping: str) -> None:
    """R029: equal to it, inside it, around it, or a link to it."""
    written_archive(tmp_path, {"notebook/sub/a.md": "x"})
    (tmp_path / "link").symlink_to(tmp_path / "notebook")
    with pytest.raises(Misconfigured, match="overlap") as refusal:
        corpus_of(tmp_path, ARCHIVE_TOML + OTHER.format(dir=overlapping))
    assert refusal.value.exit_code == 2


def test_an_archive_without_folders_is_refused(tmp_path: Path) -> None:
    head = ARCHIVE_TOML.partition("private_notes_dir")[0]
    (tmp_path / "archive.toml").write_text(head, encoding="utf-8")
    with pytest.raises(Misconfigured, match="no collection"):
        checked_roots(read_archive_file(tmp_path))


def test_markdown_files_are_found_sorted_with_their_path_as_slug(tmp_path: Path) -> None:
    """R020, R029: sub-folders are read, `_` and hidden names skipped; private roots come first."""
    names = ["b.md", "a.mdx", "sub/c.md", "_draft.md", "_d/e.md", ".x/f.md", "g.txt", "H.MD"]
    written_archive(tmp_path, {f"essays/{name}": "x" for name in names} | {"notebook/n.md": "x"})
    corpus = corpus_of(tmp_path)
    assert [(file.key, file.slug) for file in corpus.files] == [
        ("notebook/n.md", "n"),
        ("essays/H.MD", "H"),
        ("essays/a.mdx", "a"),
        ("essays/b.md", "b"),
        ("essays/sub/c.md", "sub/c"),
    ]
    assert corpus.refused == ()


def test_a_slug_is_the_same_however_the_file_system_spells_it(tmp_path: Path) -> None:
    written_archive(tmp_path, {f"essays/{unicodedata.normalize('NFD', 'é')}.md": "x"})
    assert [file.slug for file in corpus_of(tmp_path).files] == ["\u00e9"]


def test_hostile_names_are_refused_one_by_one(tmp_path: Path) -> None:
    """R029: '#', control characters and bytes that are no text; the rest is read."""
    written_archive(tmp_path, {"essays/good.md": "x", "essays/a#b.md": "x", "essays/d#/e.md": "x"})
    put(tmp_path, "essays/tab\there.md", "x")
    (tmp_path / "essays" / os.fsdecode(b"bad\xff.md")).write_bytes(b"x")
    corpus = corpus_of(tmp_path)
    assert [file.key for file in corpus.files] == ["essays/good.md"]
    assert reasons(corpus) == {
        "essays/a#b.md": "the name holds '#'",
        "essays/d#/e.md": "the name holds '#'",
        "essays/tab\\x09here.md": "the name holds a control character",
        "essays/bad\\xff.md": "the name is not UTF-8",
    }


def test_links_out_of_the_root_and_to_folders_are_refused(tmp_path: Path) -> None:
    """R029: nothing outside a root is read through it."""
    written_archive(tmp_path, {"secret.md": "x", "essays/own.md": "x"})
    (tmp_path / "essays" / "out.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "essays" / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "essays" / "dir").symlink_to(tmp_path / "books")
    corpus = corpus_of(tmp_path)
    assert [file.key for file in corpus.files] == ["essays/own.md"]
    assert reasons(corpus) == {
        "essays/out.md": "the link leaves its folder",
        "essays/gone.md": "the file cannot be read: it went away, or the link leads nowhere",
        "essays/dir": "a link to a folder is not followed",
    }


def test_a_file_reached_twice_is_refused_at_each_name(tmp_path: Path) -> None:
    """R029: through nested roots, a link, or a hard link from private to public."""
    written_archive(tmp_path, {"essays/sub/a.md": "x", "essays/b.md": "x", "notebook/n.md": "x"})
    (tmp_path / "essays" / "alias.md").symlink_to(tmp_path / "essays" / "b.md")
    os.link(tmp_path / "notebook" / "n.md", tmp_path / "essays" / "n.md")
    corpus = corpus_of(tmp_path, ARCHIVE_TOML + OTHER.format(dir="essays/sub"))
    assert corpus.files == ()
    assert set(reasons(corpus)) == {
        "essays/sub/a.md",
        "essays/b.md",
        "essays/alias.md",
        "essays/n.md",
        "notebook/n.md",
    }
    assert all(not refusal.disclosure_known for refusal in corpus.refused)


def test_what_is_no_regular_file_is_never_opened(tmp_path: Path) -> None:
    """A pipe that ends in .md would make the run wait for ever."""
    written_archive(tmp_path, {})
    os.mkfifo(tmp_path / "essays" / "pipe.md")
    corpus = corpus_of(tmp_path)
    assert reasons(corpus) == {"essays/pipe.md": "not a regular file"}
    root = checked_roots(read_archive_file(tmp_path))[-1]
    pipe = FoundFile(root, str(tmp_path / "essays" / "pipe.md"), "essays/pipe.md", "pipe")
    with pytest.raises(MisauthoredFile, match="cannot be read"):
        read_bytes(pipe)


def test_a_file_over_20_mb_and_a_path_too_long_are_refused(tmp_path: Path) -> None:
    written_archive(tmp_path, {})
    with (tmp_path / "essays" / "large.md").open("wb") as large:
        large.truncate(MAX_FILE_BYTES + 1)
    deep = "/".join(["d" * 200] * 5)
    put(tmp_path, f"essays/{deep}/a.md", "x")
    assert sorted(reasons(corpus_of(tmp_path)).values()) == [
        "larger than 20 MB: split it",
        "the path is too long",
    ]


def test_a_file_that_goes_or_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    written_archive(tmp_path, {"essays/a.md": "x"})
    file = corpus_of(tmp_path).files[0]
    with (tmp_path / "essays" / "a.md").open("wb") as large:
        large.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(MisauthoredFile, match="larger than 20 MB"):
        read_bytes(file)
    (tmp_path / "essays" / "a.md").unlink()
    with pytest.raises(MisauthoredFile, match="cannot be read"):
        read_bytes(file)


def test_a_folder_that_cannot_be_listed_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files would look deleted, and their gists would be erased."""
    written_archive(tmp_path, {"essays/sub/a.md": "x"})
    listed = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("sub"):
            raise PermissionError
        return listed(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(Misconfigured, match="essays/sub"):
        corpus_of(tmp_path)


def test_terms_of_the_archive_file_are_part_of_what_decides_the_rows(tmp_path: Path) -> None:
    """A changed base URL has to reach every record; a changed floor none."""
    written_archive(tmp_path, {})
    before = {root.kind: root.settings_hash for root in checked_roots(read_archive_file(tmp_path))}
    other = ARCHIVE_TOML.replace("https://example.org", "https://example.com")
    written_archive(tmp_path, {}, other + "\n[floors]\nscore = 0.4\n")
    after = {root.kind: root.settings_hash for root in checked_roots(read_archive_file(tmp_path))}
    assert before["record"] != after["record"]
    assert (before["note"], before["book"]) == (after["note"], after["book"])


@pytest.mark.parametrize("swapped", ["books/deep/a.txt", "books/deep", "books"])
def test_a_link_that_came_after_the_look_leads_to_no_file_of_anothers(
    tmp_path: Path, swapped: str
) -> None:
    """R029, R192: a host reads many authors' folders; none gets another's words by being quick."""
    other, mine = tmp_path / "other", tmp_path / "mine"
    written_archive(other, {"books/deep/a.txt": "zebrawood", "books/deep/a.yaml": "title: T\n"})
    written_archive(mine, {"books/deep/a.txt": "words", "books/deep/a.yaml": "title: T\n"})
    (file,) = found_corpus(checked_roots(read_archive_file(mine))).files
    assert read_bytes(file) == b"words"
    (mine / swapped).rename(mine / "before")
    (mine / swapped).symlink_to(other / swapped)
    with pytest.raises(MisauthoredFile, match="the link leaves its folder"):
        read_contents(file)
