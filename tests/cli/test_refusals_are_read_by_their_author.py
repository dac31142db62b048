"""`fonds refusals`: reasons and figures, and a question only where it is to be kept (R164)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archives import essay, written
from tests.cli.conftest import Ran

Fonds = Callable[..., Ran]
ABSENT = "Which compiler flags does the telescope need?"
KEPT = "\n[refusals]\nkeep_questions = true\nkeep_days = 7\n"


@pytest.fixture
def served(tmp_path: Path, fonds: Fonds) -> Path:
    files = {
        "essays/on-kites.md": essay("On Kites", "My aunt taught me to fly kites at Norden."),
        "essays/tides.md": essay("Tides", "The harbour keeps a table of high water."),
    }
    folder = written(tmp_path / "archive", files)
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("build", "--archive", folder).code == 0
    return folder


def keeps(folder: Path, terms: str) -> None:
    file = folder / "archive.toml"
    file.write_text(file.read_text(encoding="utf-8").partition("\n[refusals]")[0] + terms)


def test_a_refusal_is_listed_with_its_figures_and_without_its_question(
    served: Path, fonds: Fonds
) -> None:
    assert fonds("refusals", "list", "--archive", served).out == "no refusal is recorded\n"
    assert fonds("ask", ABSENT, "--archive", served).code == 3
    ran = fonds("refusals", "list", "--archive", served)
    assert (ran.code, ran.err) == (0, "")
    (listed,) = json.loads(fonds("refusals", "list", "--json", "--archive", served).out)["refusals"]
    assert f"1 {listed['reason']}\n" in ran.out
    shown = fonds("refusals", "show", listed["id"], "--archive", served)
    assert shown.code == 0
    assert "  layer: " in shown.out
    for told in (ran, shown):
        assert "telescope" not in told.out
    assert "question" not in listed


def test_a_question_is_kept_where_the_archive_file_says_so_and_erased_when_it_no_longer_does(
    served: Path, fonds: Fonds
) -> None:
    """R164, R186: the archive's row learns of it at the next command that may write it."""
    keeps(served, KEPT)
    assert fonds("ask", ABSENT, "--archive", served).code == 3
    (first,) = json.loads(fonds("refusals", "list", "--json", "--archive", served).out)["refusals"]
    assert "question" not in first, "the database had not been told"
    assert fonds("ask", ABSENT, "--archive", served).code == 3
    second, _ = json.loads(fonds("refusals", "list", "--json", "--archive", served).out)["refusals"]
    assert second["question"] == ABSENT
    shown = fonds("refusals", "show", second["id"], "--archive", served).out
    assert f": {ABSENT}\n" in shown
    keeps(served, "")
    assert "telescope" not in fonds("refusals", "list", "--json", "--archive", served).out
    keeps(served, KEPT)
    assert "telescope" not in fonds("refusals", "list", "--json", "--archive", served).out


def test_a_page_says_how_to_go_on(served: Path, fonds: Fonds) -> None:
    for _ in range(3):
        fonds("ask", ABSENT, "--archive", served)
    page = json.loads(fonds("refusals", "list", "--limit", 2, "--json", "--archive", served).out)
    assert (len(page["refusals"]), sum(page["counts"].values())) == (2, 3)
    said = fonds("refusals", "list", "--limit", 2, "--archive", served).out
    assert said.endswith(f"older: --before {page['older']}\n")
    last = fonds("refusals", "list", "--before", page["older"], "--json", "--archive", served)
    assert (len(json.loads(last.out)["refusals"]), json.loads(last.out)["older"]) == (1, None)
    other = fonds("refusals", "list", "--reason", "missing_citation", "--archive", served)
    assert other.out == "no refusal is recorded\n"


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ("\n[refusals]\nkeep_questions = true\nkeep_days = 0\n", "refusals.keep_days"),
        ("\n[refusals]\nkeep_questions = 1\n", "refusals.keep_questions"),
        ("\n[refusals]\nkeep_question = true\n", "did you mean keep_questions?"),
    ],
)
def test_terms_are_read_strictly(served: Path, fonds: Fonds, terms: str, said: str) -> None:
    keeps(served, terms)
    ran = fonds("refusals", "list", "--archive", served)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_an_id_that_is_none_is_one_line(served: Path, fonds: Fonds) -> None:
    ran = fonds("refusals", "show", 404, "--archive", served)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "fonds: no refusal of this archive has that id\n"
