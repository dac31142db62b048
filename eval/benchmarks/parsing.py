"""What reading Markdown costs, from a file to its fragments, against the parser alone.

    python -m eval.benchmarks.parsing [--folder DIR] [--megabytes 4] [--rounds 5] [--pages 20]

Prints JSON. The texts are paragraphs of the example content, shuffled into files of some ten
kilobytes; `--folder` takes the `.md` files below a folder as they are. A round reads each text
three ways, one after the other: `bare` is markdown-it-py with its CommonMark rules and tables,
`words` our reading of the body alone, and `whole` what ingest does between the disk and the rows:
it lists and hashes the files, reads front matter twice, and cuts fragments. Speeds are megabytes a
second of this process's own time, medians of the rounds. `page` is what an HTML page costs in the
process of its own that reads it, in milliseconds of the machine's time, and `pageInside` the same
work without that process.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

from markdown_it import MarkdownIt

from fonds.archive_file import read_archive_file
from fonds.ingestion.corpus import found_corpus
from fonds.ingestion.formats.html_page import html_page
from fonds.ingestion.formats.reading_apart import read_apart
from fonds.ingestion.front_matter import read_text
from fonds.ingestion.inventory import taken_inventory
from fonds.ingestion.plain_text import plain_blocks
from fonds.ingestion.reading import read_file
from fonds.ingestion.roots import checked_roots

GOAL = 5.0  # megabytes a second, from file to fragments
FILE_CHARS = 10_000
EXAMPLE = Path(__file__).parents[2] / "example_content"
TOML = """
name = "Bench"
author = "Person A"
base_url = "https://example.org"
[[collections]]
dir = "texts"
url_prefix = "/texts/"
type = "text"
title_from = "heading"
"""
FRONT = "---\ntitle: Text {number}\ndate: 2019-03-14\nthemes: [wind, patience]\n---\n"


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts of Markdown with the archive that holds a file of each."""

    folder: Path
    bodies: Sequence[str]

    @property
    def megabytes(self) -> float:
        return sum(len(body.encode()) for body in self.bodies) / 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--megabytes", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=20)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        bodies = own_bodies(given.folder) if given.folder else shuffled(given.megabytes)
        texts = written(Path(folder), bodies)
        speeds = measured(texts, given.rounds)
        figures = {
            "files": len(texts.bodies),
            "megabytes": round(texts.megabytes, 2),
            "megabytesASecond": {name: round(speed, 2) for name, speed in speeds.items()},
            "wordsToBare": round(speeds["words"] / speeds["bare"], 2),
            "wholeToBare": round(speeds["whole"] / speeds["bare"], 2),
            "goal": GOAL,
            "reached": speeds["whole"] >= GOAL,
            "pageMilliseconds": pages(given.pages) if given.pages else None,
        }
    json.dump(figures, sys.stdout, indent=2)
    sys.stdout.write("\n")


def shuffled(megabytes: float) -> list[str]:
    """Texts of example paragraphs, the same in every run."""
    paragraphs = [
        block
        for body in own_bodies(EXAMPLE)
        for block in body.split("\n\n")
        if block and "```" not in block
    ]
    chance = random.Random(7)  # noqa: S311 - no secret
    bodies: list[str] = []
    written = 0
    while written < megabytes * 1e6:
        parts: list[str] = []
        while sum(map(len, parts)) < FILE_CHARS:
            parts.append(chance.choice(paragraphs))
        bodies.append("\n\n".join(parts))
        written += len(bodies[-1].encode())
    return bodies


def own_bodies(folder: Path) -> list[str]:
    """The bodies of the Markdown files below a folder."""
    files = sorted(folder.rglob("*.md"))
    return [read_text(file.read_bytes(), file.name).body for file in files]


def written(folder: Path, bodies: Sequence[str]) -> Texts:
    (folder / "archive.toml").write_text(TOML, encoding="utf-8")
    (folder / "texts").mkdir()
    for number, body in enumerate(bodies):
        file = folder / "texts" / f"text-{number}.md"
        file.write_text(FRONT.format(number=number) + body, encoding="utf-8")
    return Texts(folder, bodies)


def measured(texts: Texts, rounds: int) -> dict[str, float]:
    bare = MarkdownIt("commonmark").enable("table")
    ways: dict[str, Callable[[], object]] = {
        "bare": lambda: [bare.parse(body) for body in texts.bodies],
        "words": lambda: [plain_blocks(body) for body in texts.bodies],
        "whole": lambda: fragments_of(texts.folder),
    }
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            began = process_time()
            way()
            spent[name].append(process_time() - began)
    return {name: texts.megabytes / median(times) for name, times in spent.items()}


def fragments_of(folder: Path) -> int:
    """What ingest does before it writes; the number of fragments."""
    config = read_archive_file(folder)
    corpus = found_corpus(checked_roots(config))
    taken = taken_inventory(corpus, {}, frozenset(), lambda _stage, _done, _all: None)
    count = 0
    for candidate in taken.candidates:
        source = read_file(candidate, config).source
        count += sum(len(fragments) for _, fragments in source.pairs) if source else 0
    return count


def pages(count: int) -> dict[str, float]:
    body = "".join(f"<p>{part}</p>" for part in shuffled(0.01)[0].split("\n\n"))
    page = f"<title>T</title><main>{body}</main>"
    began = machine_time()
    for _ in range(count):
        read_apart(page.encode(), "html", "page.html")
    apart = machine_time() - began
    began = machine_time()
    for _ in range(count):
        html_page(page)
    inside = machine_time() - began
    return {"page": round(apart / count * 1e3, 1), "pageInside": round(inside / count * 1e3, 1)}


def machine_time() -> float:
    """Seconds that this process and those it waited for have computed."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
