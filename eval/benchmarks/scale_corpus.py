"""The files of an archive of any size: guides cut on headings, and some private notes.

Words are drawn as often as a language has them, titles and themes are of several words, and a
larger archive has more themes. The same size gives the same files every time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from random import Random

from eval.benchmarks.load_bed import ROOM
from eval.benchmarks.load_service import NumberedQuestions
from eval.benchmarks.served_bench import VOCABULARY, WORDS_A_TEXT, Vectors, word
from fonds.archive_config import ArchiveConfig, GateChoice
from fonds.archive_file import read_archive_file
from fonds.contract.ports import EmbedOutcome

SECTIONS = 20  # of a guide; each is a fragment
PRIVATE_SHARE = 0.03
_WORDS = [word(rank) for rank in range(VOCABULARY)]
_OFTEN = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
GUIDES_TOML = """
name = "{name}"
author = "Person A"
base_url = "https://example.org"
slug = "{slug}"
private_notes_dir = "notes"
[[collections]]
dir = "guides"
url_prefix = "/guides/"
type = "guide"
shape = "guide"
[embedding]
provider = "hashing"
"""
"""The file of an archive of guides and private notes, in a space that asks for no model."""
_NO_GATE = """
[gate]
enabled = false
"""


class NumberedTexts(NumberedQuestions):
    """An embedder that costs nothing: every text and every question ends in its vector's number."""

    def __init__(self, passages: Vectors, questions: Vectors) -> None:
        super().__init__(questions)
        self._passages = passages

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return EmbedOutcome(
            tuple(
                tuple(map(float, self._passages[int(text.rpartition(" ")[2])].tolist()))
                for text in texts
            )
        )


def written(folder: Path, slug: str, fragments: int) -> ArchiveConfig:
    """Writes the files of an archive of so many fragments and reads its file."""
    made = Random(fragments)  # noqa: S311 - made-up text
    for name in ("guides", "notes"):
        (folder / name).mkdir(parents=True)
    toml = GUIDES_TOML.format(name=slug, slug=slug) + _NO_GATE
    (folder / "archive.toml").write_text(toml, encoding="utf-8")
    notes = round(fragments * PRIVATE_SHARE)
    guides = -(-(fragments - notes) // SECTIONS)
    themes = [" ".join(drawn_words(made, 2)) for _ in range(20 + 3 * round(guides**0.5))]
    first = 0
    for number in range(guides):
        sections = range(first, min(first + SECTIONS, fragments - notes))
        first = sections.stop
        text = _guide(made, slug, number, themes, sections)
        (folder / "guides" / f"{number:06}.md").write_text(text, encoding="utf-8")
    for number in range(fragments - notes, fragments):
        (folder / "notes" / f"{number:06}.md").write_text(
            _note(made, slug, number), encoding="utf-8"
        )
    return replace(read_archive_file(folder), allowances=ROOM)


def unwritten(slug: str) -> ArchiveConfig:
    """An archive without files, whose rows are written as a build writes them."""
    return ArchiveConfig(
        Path("archive.toml"),
        name=slug,
        author="Person A",
        base_url="https://example.org",
        slug=slug,
        gate=GateChoice(enabled=False),
        allowances=ROOM,
    )


def _guide(made: Random, slug: str, number: int, themes: Sequence[str], sections: range) -> str:
    chosen = ", ".join(made.choice(themes) for _ in range(3))
    parts = [
        f"---\ntitle: {slug} {' '.join(drawn_words(made, 3))} {number}\n"
        f"date: {1980 + number % 40}\n"
        f"themes: [{chosen}]\n---\n"
    ]
    parts += [
        f"## {' '.join(drawn_words(made, 2))} {section}\n\n"
        f"{' '.join(drawn_words(made, WORDS_A_TEXT))} {section}\n"
        for section in sections
    ]
    return "\n".join(parts)


def _note(made: Random, slug: str, number: int) -> str:
    said = " ".join(drawn_words(made, WORDS_A_TEXT))
    return (
        f"---\ntitle: {' '.join(drawn_words(made, 3))}\nlabel: {slug} note {number}\n"
        f"about: https://example.org/notes/{number}/\nlocator: notebook, p. {number}\n---\n"
        f"{said} {number}\n"
    )


def drawn_words(made: Random, count: int) -> list[str]:
    """Made-up words, as often as those of a language are."""
    return made.choices(_WORDS, cum_weights=_OFTEN, k=count)
