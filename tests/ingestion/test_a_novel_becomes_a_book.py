"""The step that turns a plain-text novel into a private book file (C18)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from eval.trials.oz import main, read_novel
from tests.ingestion.corpora import described

NOVEL = """A distributor's notice.

*** START OF THIS EBOOK THE SALT ROAD ***

The Salt Road

by

L. Example

 Contents

       Foreword
   1.  The Gate
   2.  The Well
  III.  The Coast

Foreword

Written in one winter.

L. Example

THE SALT ROAD

1.  The Gate

# It began with a number:

7

Nobody knew why.

  2.  The Well

Water stood in it.

III.  The Coast

The end of it.

End of the Project Gutenberg EBook of The Salt Road
*** END OF THIS EBOOK THE SALT ROAD ***
1.  A licence clause

Words of the licence.
"""


def test_chapters_are_found_in_the_text_and_not_in_the_list() -> None:
    """Indented headings count; initials, lone numbers, contents and notices do not."""
    novel = read_novel(NOVEL, "The Salt Road")
    assert novel.front == "Foreword\n\nWritten in one winter.\n\nL. Example"
    assert [heading for heading, _ in novel.chapters] == [
        "Chapter 1. The Gate",
        "Chapter 2. The Well",
        "Chapter 3. The Coast",
    ]
    assert novel.chapters[0][1] == "\\# It began with a number:\n\n7\n\nNobody knew why."


def test_headings_with_the_word_chapter_are_found_too() -> None:
    novel = read_novel("CHAPTER I.\n\nA\n\nChapter II: The Well\n\nB\n", "T")
    assert [heading for heading, _ in novel.chapters] == ["Chapter 1", "Chapter 2. The Well"]


def test_the_file_is_a_book_that_ingest_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "novel.txt").write_text(NOVEL)
    out = tmp_path / "book.md"
    arguments = ["oz", str(tmp_path / "novel.txt"), "--title", "The Salt Road", "--out", str(out)]
    arguments += [
        "--about",
        "https://example.org/salt/",
        "--author",
        "L. Example",
        "--public-title",
    ]
    monkeypatch.setattr(sys, "argv", arguments)
    main()
    assert '"chapters": 3, "frontSection": true' in capsys.readouterr().out
    entity, fragments = described(tmp_path / "archive", "books/salt.md", out.read_bytes())
    assert (entity.title, entity.policy.public_title) == ("The Salt Road", True)
    assert [fragment.fragment_id for fragment in fragments] == [
        "book:salt#sfront",
        "book:salt#ch1",
        "book:salt#ch2",
        "book:salt#ch3",
    ]


def test_a_text_without_chapters_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "novel.txt").write_text("Words.")
    arguments = ["oz", str(tmp_path / "novel.txt"), "--title", "T", "--out", str(tmp_path / "b.md")]
    monkeypatch.setattr(sys, "argv", [*arguments, "--about", "https://example.org/"])
    with pytest.raises(SystemExit, match="no line reads like a chapter heading"):
        main()
