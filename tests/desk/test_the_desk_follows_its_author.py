"""What an author meets on the way: a file that changed, a run that ended, nothing served yet."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from fonds.contract.failures import Misconfigured
from fonds.desk.desk import Desk
from fonds.desk.runs import Tell
from tests.archives import essay, house_of, ingested, note, written
from tests.desks import Sitting, desk_over, sitting_at
from tests.servers import Database

PRIVATE = "She owed the baker forty crowns and paid him in honey."
Sat = Callable[..., tuple[Desk, Sitting, Path]]
LINK = "See what came of it"


@pytest.fixture
def sat(desk_database: Database, tmp_path: Path) -> Generator[Sat]:
    """A desk over files of a test, read in already; signed in."""
    with ExitStack() as stack:

        def open_one(slug: str, files: Mapping[str, str]) -> tuple[Desk, Sitting, Path]:
            folder = written(tmp_path / slug, files, slug)
            house = stack.enter_context(house_of(folder, desk_database))
            ingested(house)
            desk = desk_over(house)
            return desk, stack.enter_context(sitting_at(desk)), folder

        yield open_one


@pytest.mark.parametrize(
    ("path", "fields"), [("/evaluation/run", {"run": "retrieval"}), ("/intake", {})]
)
def test_no_run_begins_by_a_file_that_says_something_else(
    sat: Sat, path: str, fields: dict[str, str]
) -> None:
    slug = "early" + path.count("/") * "y"
    _, sitting, folder = sat(slug, {"essays/kites.md": essay("Kites", "x.")})
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write("[lint]\nngram_words = 4\n")
    assert "archive.toml has changed" in sitting.post(path, fields, status=503)


def test_a_run_that_ended_is_told_until_its_page_was_opened(sat: Sat) -> None:
    desk, sitting, _ = sat("told", {"essays/kites.md": essay("Kites", "x.")})
    assert sitting.post("/intake", {}) == "/intake"
    desk.runs.wait()
    for path in ("/", "/travel", "/run", "/"):
        assert f'<a href="/intake">{LINK}</a>' in sitting.get(path)
    own = sitting.get("/intake")
    assert "<strong>ingest</strong>" in own
    assert LINK not in own
    for path in ("/", "/travel", "/intake"):
        assert "<strong>ingest</strong>" not in sitting.get(path)
    assert "<strong>ingest</strong>" in sitting.get("/run")


def test_a_run_that_failed_keeps_its_line_on_its_page(sat: Sat) -> None:
    desk, sitting, _ = sat("unlucky", {"essays/kites.md": essay("Kites", "x.")})

    def work(tell: Tell) -> object:
        raise Misconfigured("the reports folder cannot be written")

    desk.begin("evaluation", lambda _: work)
    desk.runs.wait()
    for _ in range(2):
        assert "the reports folder cannot be written" in sitting.get("/evaluation")
    assert "the reports folder" not in sitting.get("/")


def test_a_question_before_the_first_build_stays_and_leads_there(sat: Sat) -> None:
    _, sitting, _ = sat("unbuilt", {"essays/kites.md": essay("Kites", "x.")})
    page = sitting.post("/ask", {"q": "Who flew the kite?"}, status=503)
    assert "Who flew the kite?</textarea>" in page
    assert '<a href="/travel/next">' in page
    assert "fonds build" not in page + sitting.get("/evaluation")


def test_nothing_is_called_the_next_one_where_there_is_none(sat: Sat) -> None:
    _, sitting, _ = sat("alone", {"notes/diary.md": note("D", PRIVATE, exposure="semantic")})
    told = sitting.get("/gists?pile=missing&after=note%3Adiary%23p-4&did=approved")
    assert "Approved." in told
    assert "This is the next one" not in told
    assert "Nothing more in this pile" in told
    assert "Nothing is in this pile" in sitting.get("/gists?pile=stale")


def test_the_overview_counts_refused_files_in_place_of_calling_the_run_failed(sat: Sat) -> None:
    desk, sitting, folder = sat("mended", {"essays/kites.md": essay("Kites", "x.")})
    (folder / "essays/broken.md").write_text("---\ntitle: [\n---\nx", encoding="utf-8")
    sitting.post("/intake", {})
    desk.runs.wait()
    page = sitting.get("/")
    assert "1 refused" in page
    assert "<dd>failed" not in page


def test_the_overview_stands_over_runs_of_every_kind(sat: Sat) -> None:
    """A build's report names nothing refused; after one that a rollback left, none is told of."""
    desk, sitting, folder = sat("goingback", {"essays/kites.md": essay("Kites", "x.")})
    for body in ("One.", "Two."):
        (folder / "essays/more.md").write_text(essay("More", body), encoding="utf-8")
        sitting.post("/intake", {})
        desk.runs.wait()
        sitting.post("/travel/build", {})
        desk.runs.wait()
    assert "<dt>build</dt><dd>done" in sitting.get("/")
    assert "Build 2 is live" in sitting.get("/travel/builds")
    sitting.post("/travel/rollback", {"live": "2"})
    page = sitting.get("/travel/builds")
    assert "Build 2 is live" not in page
    assert "gone back from" in page
