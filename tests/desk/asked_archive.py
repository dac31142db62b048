"""An archive whose author asks: two essays, a described and a located note, a suite, a gate."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from fonds.wiring.house import House
from tests.archives import essay, house_of, note, published, written
from tests.servers import Database

QUESTION: Final = "Who taught her to fly kites at Norden?"
ABSENT: Final = "Which compiler flags does the telescope need?"
MARKUP: Final = '<img src=x onerror=alert(1)>"'
SECRET: Final = "Grandmother pawned the brass sextant to pay the harbour pilot in winter."
SUITE: Final = """\
# Asked at every change.
queries:
  - id: kites
    query: Who taught her to fly kites?
    expectAnswerMode: partial
  - id: telescope
    query: Which compiler flags does the telescope need?
    expectAnswerMode: not-found
"""
TERMS: Final = """\
[evaluation]
gold = "gold.yaml"

[refusals]
keep_questions = true
keep_days = 30
"""


@contextmanager
def asked_house(folder: Path, database: Database) -> Generator[House]:
    """The archive, ingested and built; its gate is calibrated on the bundled questions."""
    files = {
        "essays/on-kites.md": essay(
            "On <b>Kites</b>", "My aunt Ilse taught her to fly kites on the dyke at Norden."
        ),
        "essays/tides.md": essay("Tides", "The harbour keeps a table of high water."),
        "notes/kept.md": note("The sextant of the pilot", SECRET),
        "gold.yaml": SUITE,
    }
    gate = f"[gate]\nalpha = 0.2\n\n{TERMS}"
    with house_of(written(folder, files, gate=gate), database) as house:
        published(house)
        yield house


def suite_file(house: House) -> Path:
    """Where the suite of the archive is."""
    assert house.config.gold is not None
    return house.config.gold
