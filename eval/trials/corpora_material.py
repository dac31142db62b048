"""The corpora of the trial: what is asked of each, and what its files lack to be an archive.

A corpus lies as its authors published it. Where an archive needs more than a file says, such as the
address of a recording's page, its copy is given that here, as an owner would write it.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from eval.trials.oz import book_file, read_novel

# The places of files that a preparation moved, by their places in the corpus.
Moved: TypeAlias = Mapping[str, str]
_SITE = "https://example.org"


def as_it_lies(_folder: Path) -> Moved:
    """Nothing is added."""
    return {}


def with_book_fields(folder: Path) -> Moved:
    """Each novel gets the file of its fields: title and author stand in its first two lines."""
    for novel in sorted(folder.rglob("*/files/*/*.txt")):
        lines = novel.read_bytes().decode("cp932").splitlines()
        _write_fields(
            novel.with_suffix(".toml"), title=lines[0], about=_page(novel), authors=[lines[1]]
        )
    return {}


def with_chapters(folder: Path) -> Moved:
    """The plain texts of the novel become books with a heading a chapter."""
    books = folder / "books"
    books.mkdir()
    moved: dict[str, str] = {}
    for text in sorted(folder.glob("*.txt")):
        if text.name == "PROVENANCE.txt":
            continue
        book = books / f"{text.stem}.md"
        terms = argparse.Namespace(
            title="The Wonderful Wizard of Oz",
            about=_page(text),
            exposure="locator",
            author="L. Frank Baum",
            public_title=True,
        )
        novel = read_novel(text.read_text(encoding="latin-1"), terms.title)
        book.write_text(book_file(novel, terms), encoding="utf-8")
        text.unlink()
        moved[text.name] = f"books/{book.name}"
    return moved


def with_recording_fields(folder: Path) -> Moved:
    """Transcripts without any field get a title and the address of their page."""
    for page in sorted(folder.rglob("*.md")):
        fields = {"title": page.stem.replace("-", " ").title(), "about": _page(page)}
        _prepend(page, fields)
    return {}


def with_recording_pages(folder: Path) -> Moved:
    """Recordings of the podcast say all but the address of their page."""
    for page in sorted((folder / "chaincode-podcast").glob("[!_]*.md")):
        _add(page, {"about": _page(page)})
    return {}


def with_note_fields(folder: Path) -> Moved:
    """Notes get a label and a place; the name of the file is the private title."""
    for number, note in enumerate(sorted((folder / "Notes").glob("*.md")), start=1):
        fields = {"title": note.stem, "label": f"Vault, leaf {number}", "slug": f"leaf-{number}"}
        fields |= {"about": f"{_SITE}/vault/", "locator": f"vault, leaf {number}"}
        adding = _add if note.read_text(encoding="utf-8").startswith("---\n") else _prepend
        adding(note, fields)
    return {}


@dataclass(frozen=True, slots=True)
class Material:
    """A corpus. `answers` says what a question about it may bring: words of it, or places."""

    name: str
    question: str
    answers: Literal["quoted", "located"] = "quoted"
    prepared: Callable[[Path], Moved] = as_it_lies

    def copied(self, corpora: Path, target: Path) -> Moved:
        """An archive of the corpus at `target`, with the archive file of this trial."""
        shutil.copytree(corpora / self.name, target)
        written = Path(__file__).parent / "archives" / f"{self.name}.toml"
        shutil.copyfile(written, target / "archive.toml")
        return self.prepared(target)


MATERIAL = (
    Material("aozora-ja", "メロスはなぜ走るのか", "located", with_book_fields),
    Material("blog-18f", "What is an agile blanket purchase agreement?"),
    Material("blog-matjaz", "What is Let's Encrypt?"),
    Material("blog-rust", "What are let chains?"),
    Material("docs-18f-handbook", "How do I donate annual leave to another employee?"),
    Material("docs-ja-jsprimer", "配列から要素を取り出すメソッド"),
    Material("docs-ja-react", "サーバコンポーネントとは何ですか"),
    Material("podcast-changelog", "What is Kaizen?", "located", with_recording_fields),
    Material("rtl-free-programming-books", "مشارکت کنندگان و نگهدارندگان این پروژه"),
    Material("talks-bitcoin", "What is Miniscript?", "quoted", with_recording_pages),
    Material("vault-kepano", "What is an evergreen note?", "quoted", with_note_fields),
    Material("wizard-of-oz", "Who lives in the Emerald City?", "located", with_chapters),
)


def _page(file: Path) -> str:
    return f"{_SITE}/{file.stem}/"


def _write_fields(target: Path, **fields: object) -> None:
    written = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    target.write_text("\n".join(written) + "\n", encoding="utf-8")


def _prepend(page: Path, fields: Mapping[str, str]) -> None:
    """Front matter over a page that has none."""
    head = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
    page.write_text(f"---\n{head}---\n{page.read_text(encoding='utf-8')}", encoding="utf-8")


def _add(page: Path, fields: Mapping[str, str]) -> None:
    """More lines in the front matter of a page."""
    head = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
    written = page.read_text(encoding="utf-8").partition("---\n")[2]
    page.write_text(f"---\n{head}{written}", encoding="utf-8")
