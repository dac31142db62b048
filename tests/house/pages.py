"""A page whose examples run: its fenced blocks as files to write and commands to type.

The conventions are the page's own, and are told to its readers: `file=` names a file, a console
block holds commands with what they print, `...` stands for what differs from day to day, and a
last line such as `(exits 1)` for an exit code that is not 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.ingestion.bound_books import docx, epub, pdf

# A fence first: a line of a file that looks like a heading is none of the page's.
_PART = re.compile(
    r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$|^## (?P<title>.+?)$", re.MULTILINE | re.DOTALL
)
_EXITS = re.compile(r"\(exits (\d+)\)")
_ANYTHING = "..."


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file the page shows, as bytes of the format and encoding it names."""

    path: str
    content: bytes

    def write_below(self, folder: Path) -> None:
        file = folder / self.path
        assert file.resolve().is_relative_to(folder.resolve()), self.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self.content)


@dataclass(frozen=True, slots=True)
class PageCommand:
    """A command the page shows, with the lines it says are printed and its exit code."""

    typed: str
    printed: tuple[str, ...]
    code: int


PageStep = PageFile | PageCommand


@dataclass(frozen=True, slots=True)
class PageSection:
    """What stands under one heading of level 2: an example that begins in an empty folder."""

    title: str
    steps: tuple[PageStep, ...]


def sections_of(page: str) -> tuple[PageSection, ...]:
    """The sections that show anything to be done, in their order."""
    steps: dict[str, list[PageStep]] = {}
    title = ""
    for part in _PART.finditer(page):
        if part["title"]:
            title = part["title"]
            assert title not in steps, f"two sections are called {title}"
            steps[title] = []
        else:
            steps.setdefault(title, []).extend(_steps(part["info"], part["body"]))
    return tuple(PageSection(title, tuple(done)) for title, done in steps.items() if done)


def unread_blocks(page: str) -> list[str]:
    """Fences that are neither a file nor commands: words that nothing holds true."""
    opened = (part["info"] for part in _PART.finditer(page) if part["info"] is not None)
    rest = [info for info in opened if info != "console" and " file=" not in info]
    return rest + re.findall(r"^(?: +```|~~~).*$", page, re.MULTILINE)


def says_the_same(page: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether a command printed what the page says, line by line."""
    if not page:
        return not printed
    first, rest = page[0], page[1:]
    if first == _ANYTHING:
        return any(says_the_same(rest, printed[at:]) for at in range(len(printed) + 1))
    shape = ".*".join(re.escape(part) for part in first.split(_ANYTHING))
    return (
        bool(printed)
        and re.fullmatch(shape, printed[0]) is not None
        and says_the_same(rest, printed[1:])
    )


def _steps(info: str, body: str) -> Iterator[PageStep]:
    language, _, terms = info.partition(" ")
    if language == "console":
        yield from _commands(body)
    elif terms:
        yield _file(language, terms, body)


def _commands(body: str) -> Iterator[PageCommand]:
    for typed, *lines in (one.splitlines() for one in re.split(r"^\$ ", body, flags=re.M)[1:]):
        exits = _EXITS.fullmatch(lines[-1]) if lines else None
        printed = lines[:-1] if exits else lines
        yield PageCommand(typed, tuple(printed), int(exits[1]) if exits else 0)


def _file(language: str, terms: str, body: str) -> PageFile:
    named = dict(term.split("=", 1) for term in terms.split())
    assert set(named) <= {"file", "encoding"}, terms
    return PageFile(named["file"], _bytes(language, body, named.get("encoding", "utf-8")))


def _bytes(language: str, body: str, encoding: str) -> bytes:
    """The content as the page shows it, bound as a book where it is one."""
    match language:
        case "pdf":
            return pdf(*(" ".join(page.split()) for page in body.split("\n---\n")))
        case "epub":
            return epub([_chapter(page) for page in body.split("\n---\n")])
        case "docx":
            return docx(*(_paragraph(line) for line in body.splitlines() if line.strip()))
        case _:
            return body.encode(encoding)


def _chapter(page: str) -> str:
    marked = (_paragraph(line) for line in page.splitlines() if line.strip())
    tags = {"Heading1": "h1", "Heading2": "h2", "Normal": "p"}
    lines = (f"<{tags[style]}>{words}</{tags[style]}>" for style, words in marked)
    return f"<html><body>{''.join(lines)}</body></html>"


def _paragraph(line: str) -> tuple[str, str]:
    """A line's style and words, as the formats are given them."""
    for sign, style in (("## ", "Heading2"), ("# ", "Heading1")):
        if line.startswith(sign):
            return style, line.removeprefix(sign)
    return "Normal", line
