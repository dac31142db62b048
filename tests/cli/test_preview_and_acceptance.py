"""What an author sees before and after a build, and how they let more out (R191, R196)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest_jobs import build as build_job
from tests.archives import essay, note, written
from tests.cli.conftest import Ran

Fonds = Callable[..., Ran]
SECRET = "Zephyrine quillwort ledger"


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    made = written(
        tmp_path / "archive",
        {
            "essays/kites.md": essay("Kites", "Kites over the dyke."),
            "notes/diary.md": note("Diary", "She sold the boat.", exposure="semantic"),
            "notes/ledger.md": note("Ledger", "He owed forty crowns.", exposure="none"),
        },
    )
    assert fonds("ingest", "--archive", made).code == 0
    return made


def test_a_preview_shows_each_fragment_as_a_caller_would_get_it(folder: Path, fonds: Fonds) -> None:
    """The private title and the texts stay where they are."""
    shown = fonds("preview", "--archive", folder)
    assert shown.code == 0
    assert shown.out.splitlines() == [
        "essay:kites (public): Kites <https://example.org/essays/kites/>",
        "  essay:kites#whole: text: whole record",
        "note:diary (private): Diary <https://example.org/essays/on-kites/>",
        "  note:diary#p-4: locator (no gist): p. 4",
        "note:ledger (private): Ledger <https://example.org/essays/on-kites/>",
        "  note:ledger#p-4: nothing (withheld by its exposure): p. 4",
    ]
    fonds("gist", "edit", "note:diary#p-4", "--text", "An old quarrel.", "--archive", folder)
    one = fonds("preview", "note:diary", "--archive", folder)
    assert one.out.splitlines()[1:] == ["  note:diary#p-4: semantic: p. 4", "    An old quarrel."]
    assert "no such entity" in fonds("preview", "note:nowhere", "--archive", folder).err
    document = json.loads(fonds("preview", "--json", "--archive", folder).out)
    assert [one["shows"] for one in document["fragments"]] == ["text", "semantic", None]
    assert SECRET not in json.dumps(document) + shown.out + one.out


def test_what_widens_the_private_layer_waits_for_the_owner(folder: Path, fonds: Fonds) -> None:
    """R191: the rest is published, the exit code is 4, and the line names the command."""
    built = fonds("build", "--archive", folder)
    assert built.code == 4
    lines = built.out.splitlines()
    assert lines[:3] == [
        "build 1 is live: 1 entities, 1 fragments",
        "1 disclosed, 0 withdrawn, 0 changed",
        "  + essay:kites#whole: public text",
    ]
    digest = json.loads(fonds("preview", "--diff", "--json", "--archive", folder).out)["accept"]
    assert lines[-1] == (
        f"fonds preview --diff shows them, fonds build --accept {digest} serves them"
    )
    difference = fonds("preview", "--diff", "--archive", folder)
    assert difference.out.splitlines()[:2] == [
        "1 disclosed, 0 withdrawn, 0 changed",
        "  + note:diary#p-4: private locator",
    ]
    only = fonds("preview", "--diff", "essay:kites", "--archive", folder)
    assert only.out.startswith("no difference to the live build\n")
    wrong = fonds("build", "--accept", "0123456789abcdef", "--archive", folder)
    assert (wrong.code, "not the difference that was accepted" in wrong.err) == (4, True)
    both = fonds("build", "--yes", "--accept", digest, "--archive", folder)
    assert both.code == 2
    assert fonds("build", "--dry-run", "--archive", folder).code == 0
    assert fonds("build", "--accept", digest, "--archive", folder).code == 0
    assert "nothing changed" in fonds("build", "--archive", folder).out


def test_a_job_publishes_the_rest_and_says_which_command_is_asked_for(
    folder: Path, fonds: Fonds, in_environment: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """R191: exit 4 every night until the owner looks."""
    for _ in range(2):
        assert build_job.run(folder) == 4
        assert "fonds build --accept" in capsys.readouterr().err
    (folder / "archive.toml").write_text(
        (folder / "archive.toml").read_text(encoding="utf-8") + '[schedule]\nwiden = "all"\n',
        encoding="utf-8",
    )
    assert build_job.run(folder) == 0
    assert "2 fragments" in fonds("builds", "--archive", folder).out


def test_an_archive_that_is_all_private_says_that_all_of_it_waits(
    tmp_path: Path, fonds: Fonds
) -> None:
    alone = written(tmp_path / "alone", {"notes/diary.md": note("Diary", "She sold the boat.")})
    assert fonds("ingest", "--archive", alone).code == 0
    built = fonds("build", "--archive", alone)
    assert (built.code, built.out.splitlines()[0]) == (
        4,
        "nothing is published: all of it waits",
    )
