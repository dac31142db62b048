"""R080, R082, R083, R196: `fonds gist draft`, as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fonds.contract.draft_reply import Drafted, DraftReply
from fonds.contract.ports import Drafter
from fonds.contract.writer_reply import NotWritten
from fonds.providers.scripted_drafter import ScriptedDrafter
from fonds.wiring.house import House
from tests.archives import note, written
from tests.cli.conftest import Ran
from tests.database.ingesting import rows_of
from tests.servers import Database

Fonds = Callable[..., Ran]
SECRET = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."
OTHER = "The lantern on the quillwort pier was never lit in her lifetime."
GIST = "A debt, and an unusual way of settling it."
QUOTING = "How she owed the pawnbroker Tolliver forty crowns."
ID = "note:ilse#p-4"
SERVED = "SELECT fragment_id, gist, gist_source FROM served.fragment WHERE gist IS NOT NULL"


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    files = {
        "notes/ilse.md": note("A note about Ilse", SECRET, exposure="semantic"),
        "notes/pier.md": note("A note about a pier", OTHER),
    }
    made = written(tmp_path / "archive", files)
    with (made / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[gist]\nmodel = "m"\n[gist.allowed_names]\n"note:ilse" = ["Ilse"]\n')
    assert fonds("ingest", "--archive", made).code == 0
    return made


@pytest.fixture
def draft(folder: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """`fonds gist draft` with a drafter of these replies; the words stay off both streams."""

    def command(*arguments: str, replies: tuple[DraftReply, ...] = ()) -> Ran:
        scripted = ScriptedDrafter(replies, model="m")

        def chosen(house: House) -> Drafter:
            assert house.config.gist.model == "m"
            return scripted

        monkeypatch.setattr("fonds.wiring.gists.chosen_drafter", chosen)
        ran = fonds("gist", "draft", *arguments, "--archive", folder)
        assert len(scripted.tasks) == len(replies)
        assert "lantern" not in "".join(task.prompt for task in scripted.tasks)
        assert all('"Ilse"' in task.instructions for task in scripted.tasks)
        assert not any(word in ran.out + ran.err for word in ("Tolliver", "debt", "honeycomb"))
        return ran

    return command


def test_a_draft_is_made_once_and_served(
    folder: Path, draft: Fonds, fonds: Fonds, database: Database
) -> None:
    """R082: a second run costs no call; the next build serves it, as generated."""
    ran = draft(replies=(Drafted(QUOTING), Drafted(GIST)))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "1 drafted, 0 kept, 0 failed, 0 stale, 0 carried, 0 skipped\n"
    assert draft().out.startswith("0 drafted, 1 kept")
    assert fonds("build", "--yes", "--archive", folder).code == 0
    assert rows_of(database, SERVED) == [(ID, GIST, "generated")]


def test_drafting_anew_withdraws_what_was_served(
    folder: Path, draft: Fonds, fonds: Fonds, database: Database
) -> None:
    """R082, R191: named or --all; the review is reset and the veto stays."""
    draft(replies=(Drafted(GIST),))
    fonds("gist", "review", ID, "--archive", folder)
    fonds("build", "--yes", "--archive", folder)
    assert json.loads(draft("--all", "--json", replies=(Drafted("Sums."),)).out)["drafted"] == 1
    assert rows_of(database, SERVED) == []
    fonds("gist", "veto", ID, "--archive", folder)
    ran = draft(ID, replies=(Drafted("Sums owed."),))
    assert ran.out.endswith(f"not servable:\n  {ID}: vetoed\n")
    state = rows_of(database, "SELECT gist, review, vetoed FROM private.projection")
    assert state == [("Sums owed.", "unreviewed", True)]


def test_an_edit_is_never_drafted_over_and_exits_four_when_it_fails(
    folder: Path, draft: Fonds, fonds: Fonds
) -> None:
    fonds("gist", "edit", ID, "--text", GIST, "--archive", folder)
    assert draft("--all").out.startswith("0 drafted, 1 kept")
    fonds("gist", "edit", ID, "--text", QUOTING, "--archive", folder)
    ran = draft()
    assert ran.code == 4
    assert f"  {ID}: lint failed: quotes private text at words 2-6\n" in ran.out


def test_a_text_that_moved_is_drafted_again_and_an_edit_waits(
    folder: Path, draft: Fonds, fonds: Fonds
) -> None:
    """R082: a generated gist follows its text, an edit waits for its author."""
    draft(replies=(Drafted(GIST),))
    moved = note("A note about Ilse", SECRET + " Twice.", exposure="semantic")
    (folder / "notes/ilse.md").write_text(moved, encoding="utf-8")
    fonds("ingest", "--archive", folder)
    assert draft(replies=(Drafted(GIST),)).out.startswith("1 drafted")
    fonds("gist", "edit", ID, "--text", GIST, "--archive", folder)
    (folder / "notes/ilse.md").write_text(moved.replace("Twice", "Thrice"), encoding="utf-8")
    fonds("ingest", "--archive", folder)
    ran = draft()
    assert ran.out.startswith("0 drafted, 0 kept, 0 failed, 1 stale")
    assert ran.code == 0
    fonds("gist", "review", ID, "--archive", folder)
    assert draft().out.startswith("0 drafted, 1 kept, 0 failed, 0 stale")


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (NotWritten("model_declined", "refusal"), 1, f"  {ID}: model_declined (refusal)"),
        (
            NotWritten("model_unavailable", "timeout"),
            69,
            "fonds: the drafter is not there: model_unavailable (timeout); run it again to go on",
        ),
    ],
)
def test_a_drafter_without_a_draft_leaves_what_was_there(
    draft: Fonds, database: Database, reply: DraftReply, code: int, said: str
) -> None:
    ran = draft(replies=(reply,))
    assert ran.code == code
    assert said in ran.out + ran.err
    assert rows_of(database, "SELECT 1 FROM private.projection") == []


def test_an_id_that_is_not_held_is_named_by_its_place(draft: Fonds) -> None:
    ran = draft("Tolliver")
    assert ran.code == 1
    assert "id 1: the archive holds no such fragment, or it asks for no gist\n" in ran.out


def test_without_a_key_one_line_names_the_remedy(
    folder: Path, fonds: Fonds, database: Database
) -> None:
    """R045: and where nothing is to be drafted none is needed."""
    ran = fonds("gist", "draft", "--archive", folder)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "fonds: the drafter needs an API key: set OPENAI_API_KEY\n"
    fonds("gist", "edit", ID, "--text", GIST, "--archive", folder)
    assert fonds("gist", "draft", "--archive", folder).code == 0
