"""Twin archives from files: the same public material, and in some of them more beside it.

`bare` holds public guides alone, `again` the same once more; `none` has as much again that is
exposed as none, public and private, and twice; `full` as many private notes that are served as
places. `loud` has that material public: what is told of it, and what a search of it costs, shows
that the comparison can tell two archives apart. Words are made up, as often as a language has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Timer

import psycopg

from eval.benchmarks.scale_corpus import GUIDES_TOML, drawn_words
from eval.benchmarks.served_bench import word
from fonds.settings import Settings
from fonds.store.embedded import EmbeddedServer
from fonds.wiring.opening import opened

TWINS = ("bare", "none", "full", "loud", "again")  # names of a length, for replies name them
SECTIONS = 20  # of a guide
HIDDEN_SHARE = 2  # of what is common
WORDS_A_SECTION = 60
ASKED_WORDS = 8
HUNG_SECONDS = 120  # ends a service that does not start
_NAMES = 30_000  # ranks of words that one section has alone; those of hidden ones come after
_NOWHERE = 80_000  # and of words that none has
_OPEN_TO_ALL = """
[access]
anonymous = true
[limits]
per_minute = 10_000
per_day = 1_000_000
archive_per_day = 100_000_000
private_per_day = 100_000
"""


def section(number: int, *, hidden: bool = False) -> list[str]:
    """The words of a section, two of them its own; the same every time."""
    made = Random(f"{number} {hidden}")  # noqa: S311 - made-up text
    words = drawn_words(made, WORDS_A_SECTION)
    own = _NAMES + 2 * number + (20_000 if hidden else 0)
    words[5:5] = [word(own), word(own + 1)]
    return words


def question_on(number: int, turn: int, *, hidden: bool = False) -> str:
    """A question that a section answers: a run of its words, and one more; another each `turn`."""
    words = section(number, hidden=hidden)
    made = Random(f"{number} {turn}")  # noqa: S311 - made-up text
    return " ".join([*words[:ASKED_WORDS], *made.sample(words[ASKED_WORDS:], 2)])


def question_on_nothing(turn: int) -> str:
    """A question of words that no text holds."""
    made = Random(turn)  # noqa: S311 - made-up text
    return " ".join(word(_NOWHERE + made.randrange(19_000)) for _ in range(ASKED_WORDS))


def published(server: EmbeddedServer, archives: Path, fragments: int) -> None:
    """Every twin written, ingested and built, as an author would; then the server is tidied."""
    for name in TWINS:
        folder = archives / name
        _write(folder, name, fragments)
        with opened(Settings(home=server.home), folder) as house:
            house.ingest(progress=lambda step, done, total: None)
            house.build(yes=True)
    with psycopg.connect(server.admin_url("fonds"), autocommit=True) as admin:
        admin.execute("VACUUM ANALYZE")


@contextmanager
def service(home: Path, archives: Path) -> Generator[int]:
    """The port of a `fonds serve` over these archives, with the keyless writer."""
    told = {name: text for name, text in os.environ.items() if not _is_ours(name)}
    told |= {"FONDS_HOME": str(home), "FONDS_ARCHIVES": str(archives)}
    words = [str(Path(sys.executable).with_name("fonds")), "serve", "--port", "0"]
    with (
        (archives.parent / "serve.log").open("wb") as log,
        subprocess.Popen(words, env=told, stdout=subprocess.PIPE, stderr=log, text=True) as process,  # noqa: S603
    ):
        watch = Timer(HUNG_SECONDS, process.kill)
        watch.start()
        try:
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            line = process.stdout.readline()
            watch.cancel()
            if not line:
                raise RuntimeError("the service did not start")
            yield int(json.loads(line)["listening"].rpartition(":")[2])
        finally:
            watch.cancel()
            process.terminate()


def _is_ours(name: str) -> bool:
    return name.startswith(("FONDS_", "OPENAI_"))


def _write(folder: Path, name: str, fragments: int) -> None:
    for root in ("guides", "notes"):
        (folder / root).mkdir(parents=True)
    toml = GUIDES_TOML.format(name="Twin", slug=name) + _OPEN_TO_ALL
    (folder / "archive.toml").write_text(toml, encoding="utf-8")
    _write_guides(folder, "common", range(fragments))
    more = range(HIDDEN_SHARE * fragments)
    half = range(fragments)
    match name:
        case "none":
            _write_guides(folder, "hidden", half, hidden=True, fields="exposure: none\n")
            _write_notes(folder, more[fragments:], "none")
        case "full":
            _write_notes(folder, more, "locator")
        case "loud":
            _write_guides(folder, "hidden", more, hidden=True)
        case _:
            pass


def _write_guides(
    folder: Path, name: str, numbers: range, *, hidden: bool = False, fields: str = ""
) -> None:
    for first in range(numbers.start, numbers.stop, SECTIONS):
        sections = numbers[first - numbers.start :][:SECTIONS]
        parts = [f"---\ntitle: Guide {word(first)} {name}\ndate: 2019\n{fields}---\n"]
        parts += [_section(number, hidden=hidden) for number in sections]
        (folder / "guides" / f"{name}-{first:06}.md").write_text("\n".join(parts), "utf-8")


def _section(number: int, *, hidden: bool) -> str:
    words = section(number, hidden=hidden)
    return f"## {word(number)}\n\n{_sentences(words)}\n"


def _write_notes(folder: Path, numbers: Sequence[int], exposure: str) -> None:
    for number in numbers:
        text = (
            f"---\ntitle: {word(number)}\nlabel: Note {number}\n"
            f"about: https://example.org/notes/{number}/\nlocator: notebook, p. {number}\n"
            f"exposure: {exposure}\n---\n{_sentences(section(number, hidden=True))}\n"
        )
        (folder / "notes" / f"{number:06}.md").write_text(text, encoding="utf-8")


def _sentences(words: Sequence[str]) -> str:
    runs = [words[at : at + 12] for at in range(0, len(words), 12)]
    return " ".join(f"{' '.join(run).capitalize()}." for run in runs)
