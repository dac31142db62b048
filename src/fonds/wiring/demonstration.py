"""The demonstration: the bundled archive on the embedded server, from files to answers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fonds.answering.refusal import Answered, Refused
from fonds.build.build_report import BuildReport
from fonds.contract.search_request import SearchRequest
from fonds.ingestion.report import IngestReport
from fonds.settings import Settings
from fonds.store.servers import remove_embedded_server
from fonds.store.share import share_path
from fonds.wiring.opening import opened

DEMO_FOLDER = "demo"


@dataclass(frozen=True, slots=True)
class Demonstrated:
    """One question of the demonstration, what it shows, and what came of it."""

    question: str = field(repr=False)
    shows: str
    given: Answered | Refused


@dataclass(frozen=True, slots=True)
class Demonstration:
    """All of it, with the folder its data are in."""

    home: Path
    ingest: IngestReport
    build: BuildReport
    answers: tuple[Demonstrated, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "ingest": self.ingest.as_json(),
            "build": self.build.as_json(),
            "answers": [{"question": one.question, **one.given.as_json()} for one in self.answers],
        }


def demonstrate(
    settings: Settings,
    *,
    fresh: bool,
    progress: Callable[[str, int, int], None],
) -> Demonstration:
    """Uses a home of its own below FONDS_HOME, and neither a named server nor a key.

    `fresh` begins with no data; raises Busy while another demonstration runs.
    """
    home = settings.home / DEMO_FOLDER
    if fresh:
        remove_embedded_server(home)
    alone = settings.model_copy(
        update={
            "home": home,
            "database_url": None,
            "migrator_url": None,
            "ingest_url": None,
            "build_url": None,
            "curator_url": None,
            "reader_url": None,
            "host_url": None,
            "queue_url": None,
            "openai_api_key": None,
        }
    )
    with opened(alone, share_path("example_content/archive.toml")) as house:
        ingest = house.ingest(progress=progress)
        house.import_gists()
        build = house.build(yes=True)
        answers = tuple(
            Demonstrated(q["question"], q["shows"], house.ask(SearchRequest(q["question"])))
            for q in _questions()
        )
    return Demonstration(home, ingest, build, answers)


def _questions() -> list[dict[str, str]]:
    written = share_path("example_content/demo.toml").read_text(encoding="utf-8")
    return tomllib.loads(written)["questions"]
