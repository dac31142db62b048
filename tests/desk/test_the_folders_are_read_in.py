"""Overview and intake: how an archive stands, what was refused and why, what may be published
(R020, R042, R191).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from fonds.contract.failures import Busy
from fonds.desk.desk import Desk
from tests.archives import essay, house_of, note, written
from tests.desks import Sitting, desk_over, sitting_at
from tests.servers import Database

SECRET = "She owed the baker forty crowns."
MARKUP = "<img src=x onerror=alert(1)>"

Sat = Callable[..., tuple[Desk, Sitting, Path]]


@pytest.fixture
def sat(desk_database: Database, tmp_path: Path) -> Generator[Sat]:
    """A desk over files of a test, each archive under a slug of its own; signed in."""
    with ExitStack() as stack:

        def open_one(slug: str, files: Mapping[str, str]) -> tuple[Desk, Sitting, Path]:
            folder = written(tmp_path / slug, files, slug)
            desk = desk_over(stack.enter_context(house_of(folder, desk_database)))
            return desk, stack.enter_context(sitting_at(desk)), folder

        yield open_one


def read_in(desk: Desk, sitting: Sitting, **fields: str) -> str:
    """The page of intake once the run has ended."""
    assert sitting.post("/intake", fields) == "/intake"
    desk.runs.wait()
    return sitting.get("/intake")


def test_every_page_stands_before_anything_was_read_in(sat: Sat) -> None:
    _, sitting, _ = sat("empty", {})
    assert "Nothing is read in yet." in sitting.get("/")
    for path in ("/intake", "/travel", "/travel/next", "/travel/builds", "/travel/held"):
        sitting.get(path)


def test_an_empty_folder_is_a_line_and_no_defect(sat: Sat) -> None:
    desk, sitting, _ = sat("bare", {})
    assert "the folders hold no file to read: nothing was changed" in read_in(desk, sitting)
    assert "Nothing is read in yet." in sitting.get("/")


def test_a_refused_file_is_shown_with_its_line_and_what_mends_it(sat: Sat) -> None:
    """R020: the others are read in; file names are text, whatever stands in them."""
    desk, sitting, folder = sat(
        "refused",
        {
            "essays/kites.md": essay(MARKUP, "Kites over the dyke."),
            f"essays/{MARKUP}.md": essay("Bad", "A wrong day.", date="someday"),
            "notes/diary.md": note("Diary", SECRET),
        },
    )
    shown = read_in(desk, sitting)
    assert "2 done, 0 unchanged, 0 removed, 0 without text, 1 refused" in shown
    assert "essays/&lt;img src=x onerror=alert(1)&gt;.md</strong>, line 3" in shown
    assert "write YYYY, YYYY-MM or YYYY-MM-DD" in shown
    assert MARKUP not in shown + sitting.get("/") + sitting.get("/travel")
    assert SECRET not in shown
    overview = sitting.get("/")
    assert "The last intake refused files." in overview
    assert '<a href="/travel/next">Look at the next build</a>' in overview, "the rest can go out"
    (folder / f"essays/{MARKUP}.md").unlink()
    assert "2 unchanged" in read_in(desk, sitting)
    assert "Nothing is served yet." in sitting.get("/")


def test_a_desk_that_was_started_again_shows_the_run_that_is_on_record(sat: Sat) -> None:
    """The file that was put right by its removal is held against nobody."""
    desk, sitting, folder = sat(
        "again", {"essays/kites.md": essay("Kites", "x."), "essays/bad.md": "---\ntitle: [\n"}
    )
    read_in(desk, sitting)
    with sitting_at(desk_over(desk.house)) as restarted:
        assert "essays/bad.md" in restarted.get("/intake")
    (folder / "essays/bad.md").unlink()
    read_in(desk, sitting)
    with sitting_at(desk_over(desk.house)) as restarted:
        assert "essays/bad.md" not in restarted.get("/intake")
        assert "The last intake refused files." not in restarted.get("/")


def test_publishing_what_was_private_is_asked_twice(sat: Sat) -> None:
    """R191: a word of the page is not enough, and an id of nobody is not repeated in the line."""
    desk, sitting, folder = sat("publish", {"notes/kites.md": note("Kites", SECRET)})
    read_in(desk, sitting)
    (folder / "notes/kites.md").unlink()
    (folder / "essays/kites.md").write_text(essay("Kites", SECRET), encoding="utf-8")
    refused = read_in(desk, sitting)
    assert "was private before: fonds ingest --publish essay:kites" in refused
    asked = sitting.post("/intake/publish", {"ids": "essay:kites"}, status=200)
    assert 'name="publish" value="essay:kites"' in asked
    assert "1 refused" in sitting.get("/intake")
    assert "1 done" in read_in(desk, sitting, publish="essay:kites")
    sitting.post("/intake/publish", {"ids": " \n "}, status=422)
    assert "essay:nobody" not in read_in(desk, sitting, publish="essay:nobody")


def test_gists_are_taken_in_from_the_file_the_archive_names(sat: Sat) -> None:
    desk, sitting, folder = sat(
        "gists", {"notes/diary.md": note("Diary", SECRET, exposure="semantic")}
    )
    read_in(desk, sitting)
    assert "names no file under [gists]" in sitting.get("/intake")
    (folder / "gists.json").write_text(
        '{"version": 1, "gists": {"note:diary#p-4": {"gist": "A debt."}}}'
    )
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[gists]\nfile = "gists.json"\n')
    sitting.post("/reread", {})
    sitting.post("/intake/gists", {})
    desk.runs.wait()
    assert "1 written, 0 unchanged, 0 refused" in sitting.get("/intake")
    (folder / "gists.json").write_text("[")
    sitting.post("/intake/gists", {})
    desk.runs.wait()
    assert "gists.json: not JSON in UTF-8" in sitting.get("/intake")


def test_a_changed_archive_file_is_said_and_nothing_runs_by_the_old_one(sat: Sat) -> None:
    """What it means is compared: a comment is no change."""
    desk, sitting, folder = sat("changed", {"essays/kites.md": essay("Kites", "x.")})
    file = folder / "archive.toml"
    before = file.read_text(encoding="utf-8")
    file.write_text(before + "# a remark\n", encoding="utf-8")
    assert "says something else" not in sitting.get("/")
    file.write_text(before.replace("Archive changed", "Renamed"), encoding="utf-8")
    assert "says something else" in sitting.get("/")
    assert "has changed" in sitting.post("/intake", {}, status=503)
    file.write_text("name =", encoding="utf-8")
    assert "says something else" in sitting.post("/reread", {}, status=503)
    file.write_text(before.replace('slug = "changed"', 'slug = "other"'), encoding="utf-8")
    assert "start the desk again" in sitting.post("/reread", {}, status=503)
    file.write_text(before.replace("Archive changed", "Renamed"), encoding="utf-8")
    assert sitting.post("/reread", {}) == "/"
    page = sitting.get("/")
    assert "Renamed" in page
    assert "says something else" not in page
    assert "1 done" in read_in(desk, sitting)


def test_a_run_that_found_no_thread_was_not_begun(
    sat: Sat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is not told to wait for it."""
    desk, sitting, _ = sat("threads", {"essays/kites.md": essay("Kites", "x.")})

    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", none_left)
        with pytest.raises(Busy, match="no thread is free"):
            desk.begin("ingest", lambda house: lambda tell: house)
    assert desk.runs.current is None
    assert "1 done" in read_in(desk, sitting)


def test_a_run_at_work_refuses_a_second(sat: Sat) -> None:
    desk, sitting, _ = sat("busy", {"essays/kites.md": essay("Kites", "x.")})
    end = threading.Event()
    desk.begin("preview", lambda house: lambda tell: end.wait(60))
    try:
        for path in ("/intake", "/travel/next", "/travel/build", "/reread"):
            assert "a run is at work" in sitting.post(path, {}, status=503)
        assert "A run is at work." in sitting.get("/travel/next")
    finally:
        end.set()
        desk.runs.wait()
