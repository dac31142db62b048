"""Small archives of one author, drawn at random, with a word of its own in every private field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies

from fonds.contract.disclosure import PrivateExposure
from fonds.wiring.house import House
from fonds.wiring.taking_back import AuthorDesk
from tests.archives import UNGATED, essay, house_of, ingested, written
from tests.hosts import OPEN, ROOM
from tests.servers import Database

FIELDS = (
    "body",  # of notes and of a book
    "title",  # of a note, which shows its label
    "heading",  # of a chapter
    "withheld",  # a note that is not served at all
    "draft",  # words of a gist that failed the lint
    "vetoed",  # a gist that was served until its author vetoed it
    "folder",  # where a file lies that is refused
    "file",  # the name of that file
    "refused",  # its front matter and its text
    "canary",  # of the suite
    "tightened",  # an essay that was served as text, and is located by its author's word
    "removed",  # an essay that was served, and is gone
)
GIST = "An old quarrel about a ferry, told from one side."
NOTE = """\
---
title: {title}
label: {label}
about: https://example.org/essays/on-ferries/
locator: p. 4
exposure: {exposure}
---
{body}
"""
BOOK = """\
---
title: Low Tide
about: https://example.org/books/low-tide/
exposure: {exposure}
---
# Chapter 1

The {body} stood where the flood had left it.

# The {heading}

Nobody came for the {body} on the second day either.
"""
GOLD = """\
queries:
- id: ferry
  query: Who rowed the ferry over the river?
  expectAnswerMode: partial
  expectSources: ["essay:ferry-0#whole"]
- id: absent
  query: Which compiler flags does the telescope need?
  expectAnswerMode: not-found
"""


@dataclass(frozen=True, slots=True)
class CanaryArchive:
    """What is drawn: the words by field, how many essays, and how its private material shows."""

    words: Mapping[str, str] = field(compare=False)
    essays: int
    notes: tuple[PrivateExposure, ...]
    book: PrivateExposure
    rebuilt: bool


def canary_archives() -> strategies.SearchStrategy[CanaryArchive]:
    """Archives whose words are of no language, and none within another.

    Without vowels: hypothesis also draws words of the source, and those stand in replies.
    """
    word = strategies.text("bdfgklmnprstvz", min_size=10, max_size=10)
    words = strategies.lists(word, min_size=len(FIELDS), max_size=len(FIELDS), unique=True)
    exposures = strategies.sampled_from(("semantic", "locator", "none"))
    return strategies.builds(
        CanaryArchive,
        words=words.map(lambda drawn: dict(zip(FIELDS, drawn, strict=True))),
        essays=strategies.integers(1, 3),
        notes=strategies.lists(exposures, min_size=1, max_size=3).map(tuple),
        book=exposures,
        rebuilt=strategies.booleans(),
    )


def published(drawn: CanaryArchive, folder: Path, slug: str, database: Database) -> None:
    """The archive written, built and served; then its author vetoes, tightens and removes."""
    written(folder, files_of(drawn), slug, gate=UNGATED + ROOM + OPEN + EVALUATION)
    canaries = folder / "canaries.yaml"
    canaries.write_text(f"canaries: [{drawn.words['canary']}]\n", encoding="utf-8")
    canaries.chmod(0o600)
    with house_of(folder, database) as house:
        ingested(house)
        house.import_gists(gist_file(drawn, folder))
        house.build(yes=True)
        taken_back(drawn, house, folder)
        if drawn.rebuilt:
            house.build(yes=True)


EVALUATION = '[evaluation]\ngold = "gold.yaml"\ncanaries = "canaries.yaml"\n'


def files_of(drawn: CanaryArchive) -> dict[str, str]:
    """Every file of the archive, by its place."""
    words = drawn.words
    files = {
        f"essays/ferry-{number}.md": essay(
            f"The ferry, part {number}", f"Ilse rowed the ferry over the river {number} times."
        )
        for number in range(drawn.essays)
    }
    for number, exposure in enumerate(drawn.notes):
        files[f"notes/kept-{number}.md"] = a_note(drawn, f"Kept {number}", exposure)
    return {
        **files,
        "essays/tight.md": essay("Of rope", f"Rope of {words['tightened']} holds a ferry."),
        "essays/gone.md": essay("Of tar", f"Tar of {words['removed']} keeps a ferry dry."),
        "notes/described.md": a_note(drawn, "Described", "semantic"),
        "notes/drafted.md": a_note(drawn, "Drafted", "semantic"),
        "notes/vetoed.md": a_note(drawn, "Vetoed", "semantic"),
        "notes/withheld.md": NOTE.format(
            title=words["title"],
            label="Withheld",
            exposure="none",
            body=f"She buried the {words['withheld']} below the pear tree at night.",
        ),
        f"notes/{words['folder']}/{words['file']}.md": NOTE.format(
            title=words["refused"], label="Refused", exposure="text", body=words["refused"]
        ),
        "books/low-tide.md": BOOK.format(
            exposure=drawn.book, heading=words["heading"], body=words["body"]
        ),
        "gold.yaml": GOLD,
    }


def a_note(drawn: CanaryArchive, label: str, exposure: PrivateExposure) -> str:
    """A private note; its title and its body hold their words."""
    return NOTE.format(
        title=f"The {drawn.words['title']} ledger",
        label=label,
        exposure=exposure,
        body=f"{text_of(drawn)} So it says under {label}.",
    )


def text_of(drawn: CanaryArchive) -> str:
    """The sentence that notes have in common."""
    return f"She sold the {drawn.words['body']} to the ferryman and told nobody of it."


def gist_file(drawn: CanaryArchive, folder: Path, *, vetoed: bool = False) -> Path:
    """The author's gists: one that is served, one that quotes, one that is served until vetoed."""
    words = drawn.words
    gists: dict[str, dict[str, object]] = {
        "note:described#p-4": {"gist": GIST, "review": "reviewed"},
        "note:drafted#p-4": {"gist": f"Of {words['draft']}: {text_of(drawn)}"},
        "note:vetoed#p-4": {"gist": f"About a {words['vetoed']}.", "vetoed": vetoed},
    }
    file = folder / "gists.json"
    file.write_text(json.dumps({"version": 1, "gists": gists}), encoding="utf-8")
    return file


def taken_back(drawn: CanaryArchive, house: House, folder: Path) -> None:
    """What was served a moment ago, and may not leave from here on."""
    house.import_gists(gist_file(drawn, folder, vetoed=True))
    assert AuthorDesk(house).tighten(["essay:tight#whole"], "locator").changed
    (folder / "essays" / "gone.md").unlink()
    ingested(house)
