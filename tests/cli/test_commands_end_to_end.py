"""Every command on a folder outside the repository, through the entry point a user runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archives import essay, note, written
from tests.cli.conftest import Ran

Fonds = Callable[..., Ran]
KITES = "My aunt Ilse taught me to fly kites on the dyke at Norden in the spring of 1974."
SECRET = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."
DEBT = "Who was owed crowns and paid in honeycomb?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "essays/on-kites.md": essay("On Kites", KITES),
        "notes/ilse.md": note("A note about Ilse", SECRET, locator="green notebook, p. 2"),
    }
    return written(tmp_path / "archive", files)


@pytest.fixture
def served(folder: Path, fonds: Fonds) -> Path:
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("build", "--yes", "--archive", folder).code == 0
    return folder


def test_ingest_reports_and_a_second_run_writes_nothing(folder: Path, fonds: Fonds) -> None:
    first = fonds("ingest", "--archive", folder, "--json")
    second = fonds("ingest", "--archive", folder, "--json")
    assert (first.code, second.code) == (0, 0)
    assert json.loads(first.out)["done"] == 2
    again = json.loads(second.out)
    assert (again["unchanged"], again["embedded"], set(again["rowsWritten"].values())) == (
        2,
        0,
        {0},
    )


def test_ingest_names_a_bad_file_does_the_rest_and_exits_one(folder: Path, fonds: Fonds) -> None:
    """R020: file, field and reason; the value stays unsaid."""
    (folder / "notes/bad.md").write_text(
        note("L", SECRET, exposure="text", locator="p. 9"), encoding="utf-8"
    )
    ran = fonds("ingest", "--archive", folder)
    assert ran.code == 1
    assert "2 done" in ran.out
    assert "refused, not stored: notes/bad.md" in ran.out
    assert "exposure" in ran.out
    assert "Tolliver" not in ran.out + ran.err


def test_ask_answers_with_its_citation(served: Path, fonds: Fonds) -> None:
    ran = fonds("ask", "Who taught her to fly kites on the dyke?", "--archive", served, "--json")
    given = json.loads(ran.out)
    assert ran.code == 0
    assert given["mode"] == "partial"
    assert given["answer"] == KITES
    assert given["citations"] == [
        {
            "kind": "record",
            "id": "essay:on-kites#whole",
            "url": "https://example.org/essays/on-kites/",
            "title": "On Kites",
            "locatorLabel": "whole record",
        }
    ]
    assert given["writer"] == "extractive"


def test_ask_routes_to_private_material_without_a_word_of_it(served: Path, fonds: Fonds) -> None:
    for more in ((), ("--json",), ("--explain",)):
        ran = fonds("ask", DEBT, "--archive", served, *more)
        assert ran.code == 0
        assert "related-material" in ran.out
        assert "green notebook, p. 2" in ran.out
        for word in ("Tolliver", "quillwort", "pawnbroker"):
            assert word not in ran.out + ran.err


def test_ask_declines_with_exit_three_and_its_figures(served: Path, fonds: Fonds) -> None:
    ran = fonds("ask", "Which compiler flags does the telescope need?", "--archive", served)
    assert ran.code == 3
    assert "I don't know" in ran.out
    assert "reason: " in ran.out


def test_search_prints_the_wire_response(served: Path, fonds: Fonds) -> None:
    ran = fonds("search", "kites", "--archive", served, "--json")
    response = json.loads(ran.out)
    assert ran.code == 0
    assert response["contract"] == "archive-search/1"
    assert response["hits"][0]["text"] == KITES
    assert response["index"]["fragmentCount"] == 2


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--raw", "private"), "note:ilse#green-notebook-p-2"),
        (("--type", "essay"), "essay:on-kites#whole"),
        (("--date-from", "2019", "--date-to", "2019"), "essay:on-kites#whole"),
        (("--exposure", "locator"), "note:ilse#green-notebook-p-2"),
        (("--creator", "person"), "essay:on-kites#whole"),
    ],
)
def test_search_filters(served: Path, fonds: Fonds, arguments: tuple[str, ...], found: str) -> None:
    question = "kites dyke owed crowns honeycomb pawnbroker"
    ran = fonds("search", question, "--archive", served, "--limit", "2", *arguments)
    assert ran.code == 0
    assert found in ran.out
    assert "Tolliver" not in ran.out


def test_a_malformed_filter_names_the_field_and_not_the_value(served: Path, fonds: Fonds) -> None:
    ran = fonds("search", "kites", "--archive", served, "--date-from", "Juvember")
    assert (ran.code, ran.out) == (2, "")
    assert "filters.dateFrom" in ran.err
    assert "Juvember" not in ran.err


def test_builds_rollback_and_validate(served: Path, fonds: Fonds) -> None:
    (served / "essays/more.md").write_text(essay("More", "Another page."), encoding="utf-8")
    fonds("ingest", "--archive", served)
    fonds("build", "--yes", "--archive", served)
    assert fonds("builds", "--archive", served).out.splitlines()[0].startswith("2  live")
    assert fonds("rollback", "--archive", served).out == "build 1 is live again: 2 fragments\n"
    builds = json.loads(fonds("builds", "--archive", served, "--json").out)["builds"]
    assert [(b["build"], b["live"]) for b in builds] == [(2, False), (1, True)]
    assert [b["state"] for b in builds] == ["abandoned", "checked"]
    assert fonds("builds", "--archive", served).out.startswith("2  gone back from  ")
    validated = fonds("validate", "--archive", served)
    assert validated.code == 0
    assert "holds" in validated.out
    assert "sound" in validated.out
    assert fonds("validate", "--role", "reader", "--archive", served, "--json").code == 0
    assert fonds("rollback", "--archive", served, "--json").code == 1


def test_gist_import_names_what_it_refuses_and_exits_four(served: Path, fonds: Fonds) -> None:
    quoting = {"gist": "She owed the pawnbroker Tolliver forty crowns."}
    file = served / "gists.json"
    file.write_text(
        json.dumps(
            {
                "version": 1,
                "gists": {"note:ilse#green-notebook-p-2": quoting, "note:no#p-1": {"gist": "A."}},
            }
        )
    )
    ran = fonds("gist", "import", file, "--archive", served)
    assert ran.code == 4
    assert "note:ilse#green-notebook-p-2: quotes private text at words 1-5" in ran.out
    assert "note:no#p-1: the archive holds no such fragment" in ran.out
    assert "Tolliver" not in ran.out + ran.err
    assert fonds("gist", "import", file, "--archive", served, "--json").code == 4


def test_migrate_is_at_head_and_says_so(fonds: Fonds) -> None:
    assert fonds("migrate").out == "server by URL: at revision 0001\n"
    assert json.loads(fonds("migrate", "--json").out)["revision"] == "0001"
    assert fonds("migrate", "--roles").code == 2


def test_init_writes_an_archive_that_ingests(tmp_path: Path, fonds: Fonds) -> None:
    folder = tmp_path / "mine"
    assert fonds("init", folder, "--name", "Mine", "--author", "Ann O'Neil").code == 0
    assert "nothing was changed" in fonds("init", folder).err
    (folder / "archive.toml").write_text(
        (folder / "archive.toml").read_text().replace('provider = "local"', 'provider = "hashing"')
    )
    (folder / "essays/a.md").write_text(essay("A", KITES), encoding="utf-8")
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("build", "--yes", "--archive", folder).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ask", "kites?", "--archive", "nowhere"), 2, "cannot read nowhere"),
        (("search",), 2, "Missing argument"),
        (("frobnicate",), 2, "No such command"),
        (("ask", "a\x00b"), 2, "q: no NUL"),
        (("ask", "a\ud800b"), 2, "q: no NUL and no lone surrogate"),
        (("ask", "   "), 2, "q: not blank"),
        (("search", "x" * 513), 2, "q: at most 512 characters"),
    ],
)
def test_misuse_is_one_line_and_exit_two(
    fonds: Fonds, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = fonds(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_an_archive_that_was_never_built_says_what_to_run(folder: Path, fonds: Fonds) -> None:
    assert "run fonds ingest" in fonds("ask", "kites?", "--archive", folder).err
    fonds("ingest", "--archive", folder)
    assert "run fonds build" in fonds("ask", "kites?", "--archive", folder).err


def test_no_server_is_exit_sixty_nine(
    folder: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FONDS_READER_URL", "postgresql://127.0.0.1:1/none")
    ran = fonds("ask", "kites?", "--archive", folder)
    assert ran.code == 69
    assert len(ran.err.splitlines()) == 1


def test_an_unreadable_url_is_not_echoed(
    folder: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FONDS_READER_URL", "sesame=open")
    ran = fonds("ask", "kites?", "--archive", folder)
    assert ran.code == 2
    assert "sesame" not in ran.err


def test_a_defect_shows_its_place_and_not_its_message(
    folder: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise TypeError(SECRET)

    monkeypatch.setattr("fonds.wiring.opening.config_of", broken)
    ran = fonds("builds", "--archive", folder)
    assert ran.code == 1
    assert ran.err.startswith("fonds: a defect, please report it: TypeError at test_commands")
    assert "Tolliver" not in ran.err


def test_an_interruption_is_one_line(
    folder: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fonds.wiring.opening.config_of", interrupted)
    ran = fonds("builds", "--archive", folder)
    assert ran.code == 130
    assert len(ran.err.splitlines()) == 1
