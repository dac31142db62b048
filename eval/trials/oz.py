"""A plain-text novel -> a private book file with one `# Chapter N` heading a chapter.

    python -m eval.trials.oz NOVEL.txt --title "The Wonderful Wizard of Oz" \\
        --about https://example.org/books/oz/ --out books/oz.md

For texts whose chapters stand on lines of their own as "12.  Title", "XII. Title" or "Chapter XII.
Title", indented or not. A contents list is dropped, and so is what a distributor puts before and
after the text. The words of the novel go to the file named and nowhere else.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_BEFORE = "*** START OF"
_AFTER = ("*** END OF", "End of Project Gutenberg", "End of the Project Gutenberg")
_HEADING = re.compile(
    r"\s*(?P<word>chapter\s+)?(?P<number>[0-9]{1,3}|[ivxlc]+)(?:[.:]\s+(?P<title>\S.*)|[.:]?)\s*",
    re.IGNORECASE,
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_MARKUP = ("#", ">", "`", "~", "<", "=", "-", "+", "*")


@dataclass(frozen=True, slots=True)
class Novel:
    """The front matter of a book as its author wrote it, and its chapters with their headings."""

    front: str
    chapters: tuple[tuple[str, str], ...]


def main() -> None:
    """Write the book file and print what was found, without a word of it."""
    options = _options()
    novel = read_novel(options.novel.read_text(encoding=options.encoding), options.title)
    if not novel.chapters:
        sys.exit(f"{options.novel}: no line reads like a chapter heading")
    options.out.write_text(book_file(novel, options), encoding="utf-8")
    found = {
        "file": str(options.out),
        "chapters": len(novel.chapters),
        "frontSection": bool(novel.front),
        "characters": len(novel.front) + sum(len(text) for _, text in novel.chapters),
    }
    sys.stdout.write(json.dumps(found) + "\n")


def read_novel(text: str, title: str) -> Novel:
    """The chapters of a text in their order, numbered from one without a gap."""
    lines = _between_notices(text.replace("\r\n", "\n").split("\n"))
    starts = _chapter_lines(lines)
    if not starts:
        return Novel("", ())
    chapters: list[tuple[str, str]] = []
    for number, start in enumerate(starts, start=1):
        end = starts[number] if number < len(starts) else len(lines)
        match = _HEADING.fullmatch(lines[start])
        name = (match["title"] or "").strip() if match else ""
        heading = f"Chapter {number}. {name}".rstrip(". ")
        chapters.append((heading, _joined(lines[start + 1 : end])))
    return Novel(_joined(_without_contents(lines[: starts[0]], title)), tuple(chapters))


def book_file(novel: Novel, options: argparse.Namespace) -> str:
    """The file `fonds ingest` reads; values are quoted as JSON, which YAML reads alike."""
    front: dict[str, object] = {
        "title": options.title,
        "about": options.about,
        "exposure": options.exposure,
    }
    if options.author:
        front["authors"] = [options.author]
    if options.public_title:
        front["publicTitle"] = True
    head = "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in front.items()
    )
    chapters = "".join(f"# {heading}\n\n{text}\n\n" for heading, text in novel.chapters)
    opening = f"{novel.front}\n\n" if novel.front else ""
    return f"---\n{head}---\n{opening}{chapters}"


def _between_notices(lines: Sequence[str]) -> list[str]:
    begun = [n for n, line in enumerate(lines) if line.startswith(_BEFORE)]
    kept = list(lines[begun[0] + 1 :] if begun else lines)
    ended = [n for n, line in enumerate(kept) if line.startswith(_AFTER)]
    return kept[: ended[0]] if ended else kept


def _chapter_lines(lines: Sequence[str]) -> list[int]:
    """Lines that head a chapter: apart from others, counting up, with text before the next.

    An entry of a contents list stands among its like; one that is set apart has no text below it.
    """
    apart = [n for n, line in enumerate(lines) if line.strip() and _stands_apart(lines, n)]
    headed = [(n, number) for n in apart if (number := _number(lines[n])) is not None]
    starts: list[int] = []
    for position, (n, number) in enumerate(headed):
        end = headed[position + 1][0] if position + 1 < len(headed) else len(lines)
        if number == len(starts) + 1 and any(line.strip() for line in lines[n + 1 : end]):
            starts.append(n)
    return starts


def _stands_apart(lines: Sequence[str], position: int) -> bool:
    before = position == 0 or not lines[position - 1].strip()
    after = position + 1 == len(lines) or not lines[position + 1].strip()
    return before and after


def _number(line: str) -> int | None:
    match = _HEADING.fullmatch(line)
    if match is None:
        return None
    written = match["number"].upper()
    if written.isdecimal():
        return int(written)
    values = [_ROMAN[letter] for letter in written]
    following = [*values[1:], 0]
    return sum(-a if a < b else a for a, b in zip(values, following, strict=True))


def _without_contents(lines: Sequence[str], title: str) -> list[str]:
    """What stands before the first chapter, without the list of chapters and what precedes it.

    A list counts 1, 2, 3 and on; a lone initial such as "L." is no entry. A line that is the title
    is a title page.
    """
    last, expected = -1, 1
    for position, line in enumerate(lines):
        if line.strip() and _number(line) == expected:
            last, expected = position, expected + 1
    kept = lines[last + 1 :] if expected > 3 else lines
    return [line for line in kept if line.strip().casefold() != title.casefold()]


def _joined(lines: Sequence[str]) -> str:
    """Lines as Markdown: a sign at the beginning of a line is a sign and no markup."""
    escaped = (f"\\{line}" if line.startswith(_MARKUP) else line for line in lines)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(escaped)).strip("\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m eval.trials.oz", description=__doc__)
    parser.add_argument("novel", type=Path)
    parser.add_argument("--title", required=True)
    parser.add_argument("--about", required=True, help="the public page of the book")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--author", default="")
    parser.add_argument("--exposure", choices=("semantic", "locator", "none"), default="locator")
    parser.add_argument("--public-title", action="store_true", help="the text may hold its title")
    parser.add_argument("--encoding", default="utf-8")
    return parser.parse_args()


if __name__ == "__main__":
    main()
