"""A long public document to one fragment a heading (R033, C18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.failures import MisauthoredFile, MisauthoredInput
from tests.ingestion.corpora import ARCHIVE_TOML, described

GUIDE_TOML = ARCHIVE_TOML + 'shape = "guide"\n'

GUIDE = (
    """---
title: Using the library
---
Before any heading.

# Borrowing

## Holds

Ask at the desk.

### Examples

| item | days |
|---|---|
"""
    + "".join(f"| item {n} | {n} |\n" for n in range(40))
    + """
## Fees

None.

# Returning

### Examples

A box stands outside.

## ???

Signs alone.
"""
)


def test_a_guide_is_cut_on_headings_and_keyed_by_the_shortest_end(tmp_path: Path) -> None:
    """R033: `holds.examples`; a heading without text of its own makes no fragment."""
    _, fragments = described(tmp_path, "essays/g.md", GUIDE, GUIDE_TOML)
    assert [(f.fragment_id, f.trail) for f in fragments] == [
        ("essay:g#sfront", ()),
        ("essay:g#holds", ("Borrowing", "Holds")),
        ("essay:g#holds.examples", ("Borrowing", "Holds", "Examples")),
        ("essay:g#fees", ("Borrowing", "Fees")),
        ("essay:g#returning.examples", ("Returning", "Examples")),
        ("essay:g#s7", ("Returning", "???")),
    ]
    assert fragments[2].text.startswith("item | days\nitem 0 | 0\n")
    assert fragments[2].text.endswith("item 39 | 39")


def test_a_long_section_of_a_guide_is_cut_between_blocks_and_a_table_is_not(tmp_path: Path) -> None:
    """R033, C18: the header row stays with every row, over the size target too."""
    long = "\n\n".join("word " * 500 for _ in range(6))
    table = "\n".join(f"| {'x' * 90} | {n} |" for n in range(90))
    body = f"# A\n\n{long}\n\n# B\n\n| a | b |\n|---|---|\n{table}\n"
    _, fragments = described(tmp_path, "essays/g.md", f"---\ntitle: T\n---\n{body}", GUIDE_TOML)
    assert [f.fragment_id for f in fragments] == [
        "essay:g#a.part1",
        "essay:g#a.part2",
        "essay:g#a.part3",
        "essay:g#b",
    ]
    assert len(fragments[3].text) > 6000


def test_a_heading_that_every_section_would_repeat_is_bounded(tmp_path: Path) -> None:
    content = f"---\ntitle: T\n---\n# A\n\nx\n\n# {'b' * 1001}\n\ny\n"
    with pytest.raises(MisauthoredInput, match="heading 2 is longer than 1000 characters"):
        described(tmp_path, "essays/g.md", content, GUIDE_TOML)


def test_two_sections_of_one_trail_are_refused(tmp_path: Path) -> None:
    content = "---\ntitle: T\n---\n# A\n\nx\n\n# A\n\ny\n"
    with pytest.raises(MisauthoredFile, match="pieces 1 and 2 of 2 share a 'heading' locator"):
        described(tmp_path, "essays/g.md", content, GUIDE_TOML)


def test_headings_that_differ_in_signs_alone_are_counted(tmp_path: Path) -> None:
    """R033, R028: only equal full trails clash; C, C++ and C# are three languages."""
    body = "# Index\n\n## C\n\nOne.\n\n## C++\n\nTwo.\n\n### Books\n\nThree.\n\n## C#\n\nFour.\n"
    toml = f'{ARCHIVE_TOML}shape = "guide"\n'
    page = f"---\ntitle: Languages\n---\n{body}"
    _, fragments = described(tmp_path, "essays/a.md", page, toml)
    assert [(one.fragment_id, one.trail[-1], one.text) for one in fragments] == [
        ("essay:a#c", "C", "One."),
        ("essay:a#c.s2", "C++", "Two."),
        ("essay:a#books", "Books", "Three."),
        ("essay:a#c.s3", "C#", "Four."),
    ]
    with pytest.raises(MisauthoredFile, match="share a 'heading' locator"):
        described(tmp_path, "essays/a.md", page.replace("C++", "C"), toml)
