"""R080, R083, R191: `fonds ingest` with a drafter, without one, and with one that is not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fonds.contract.draft_reply import Drafted, DraftReply
from fonds.contract.failures import Misconfigured
from fonds.contract.ports import Drafter
from fonds.contract.writer_reply import NotWritten
from fonds.providers.scripted_drafter import ScriptedDrafter
from fonds.wiring.house import House
from ingest_jobs import ingest
from tests.archives import note, written
from tests.cli.conftest import Ran
from tests.database.ingesting import rows_of
from tests.providers.stub_model import response, text_part
from tests.providers.stub_provider import Answer, refused, stub_provider
from tests.servers import Database

Fonds = Callable[..., Ran]
SECRET = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."
OTHER = "The lantern on the quillwort pier was never lit in her lifetime."
GIST = "A debt, and an unusual way of settling it."
QUOTING = "How she owed the pawnbroker Tolliver forty crowns."
ID, SECOND = "note:ilse#p-4", "note:pier#p-4"
GISTS = "SELECT fragment_id, gist FROM private.projection ORDER BY 1"
AWAY = NotWritten("model_unavailable", "timeout")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "notes/ilse.md": note("A note about Ilse", SECRET, exposure="semantic"),
        "notes/pier.md": note("A note about a pier", OTHER, exposure="semantic"),
    }
    made = written(tmp_path / "archive", files)
    with (made / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[gist]\nmodel = "m"\n')
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedDrafter]:
    """A drafter of these replies stands behind the archive's model, and a key is there."""

    def script(*replies: DraftReply) -> ScriptedDrafter:
        scripted = ScriptedDrafter(replies, model="openai:m")

        def chosen(house: House) -> Drafter:
            return scripted

        monkeypatch.setattr("fonds.wiring.gists.chosen_drafter", chosen)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
        return scripted

    return script


@pytest.fixture
def ingested(folder: Path, fonds: Fonds) -> Fonds:
    """`fonds ingest` on the folder; never a private word on either stream."""

    def command(*arguments: object) -> Ran:
        ran = fonds("ingest", *arguments, "--archive", folder)
        assert not any(word in ran.out + ran.err for word in ("Tolliver", "lantern", "debt"))
        return ran

    return command


def test_what_asks_to_be_described_is_drafted_once(
    ingested: Fonds, asked: Callable[..., ScriptedDrafter], database: Database
) -> None:
    """R080, R082: a second run asks nobody and says one line."""
    scripted = asked(Drafted(GIST), Drafted("A light that was left out."))
    ran = ingested()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == (
        "gists: 2 drafted, 0 kept, 0 failed, 0 stale, 0 carried, 0 skipped"
    )
    assert rows_of(database, GISTS) == [(ID, GIST), (SECOND, "A light that was left out.")]
    assert len(scripted.tasks) == 2
    ran = ingested()
    assert ran.out == "0 done, 2 unchanged, 0 removed, 0 without text, 0 refused\n"
    assert len(scripted.tasks) == 2


def test_only_what_moved_is_asked_for_again(
    folder: Path, ingested: Fonds, asked: Callable[..., ScriptedDrafter]
) -> None:
    """R083: the counts say what was kept; an unreadable draft is named by its fragment."""
    asked(Drafted(GIST), Drafted("A light that was left out."))
    ingested()
    moved = note("A note about Ilse", SECRET + " Twice.", exposure="semantic")
    (folder / "notes/ilse.md").write_text(moved, encoding="utf-8")
    scripted = asked(Drafted(QUOTING), Drafted(QUOTING))
    report = json.loads(ingested("--json").out)
    assert len(scripted.tasks) == 2
    assert (report["gists"]["kept"], report["gists"]["failed"]) == (1, 1)
    assert report["gists"]["notServable"] == [
        {"fragment": ID, "reason": "lint failed: quotes private text at words 2-6"}
    ]
    assert report["gistsWaiting"] == 0


@pytest.mark.parametrize("reason", ["no key", "no model", "told not to"])
def test_without_a_drafter_the_report_counts_what_waits(
    folder: Path,
    ingested: Fonds,
    asked: Callable[..., ScriptedDrafter],
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
) -> None:
    """R080: nothing is asked, nothing fails."""
    scripted = asked()
    if reason == "no key":
        monkeypatch.delenv("OPENAI_API_KEY")
    if reason == "no model":
        toml = (folder / "archive.toml").read_text(encoding="utf-8")
        (folder / "archive.toml").write_text(toml.partition("[gist]")[0], encoding="utf-8")
    ran = ingested(*(["--no-draft"] if reason == "told not to" else []))
    assert ran.code == 0
    assert ran.out.splitlines()[0].endswith("; 2 wait for fonds gist draft")
    assert scripted.tasks == []


def test_an_outage_leaves_the_ingest_done(
    folder: Path, ingested: Fonds, asked: Callable[..., ScriptedDrafter], database: Database
) -> None:
    """R191: files, vectors and the first draft stay; 69; the next run goes on from there."""
    for number in range(4):
        text = note("More", f"A passage of its own, number {number}.", exposure="semantic")
        (folder / f"notes/z{number}.md").write_text(text, encoding="utf-8")
    asked(Drafted(GIST), AWAY, AWAY, AWAY)
    ran = ingested()
    assert ran.code == 69
    assert ran.out.startswith("6 done, ")
    assert ran.err == (
        "fonds: the drafter is not there: model_unavailable (timeout);"
        " 5 fragments wait for gists: run fonds ingest again\n"
    )
    assert rows_of(database, GISTS) == [(ID, GIST)]
    assert rows_of(database, "SELECT count(*) FROM private.embedding") == [(6,)]
    scripted = asked(*(Drafted(f"Gist {number}.") for number in range(5)))
    assert ingested().code == 0
    assert len(scripted.tasks) == 5


def test_a_key_that_is_refused_leaves_the_ingest_done(
    ingested: Fonds,
    asked: Callable[..., ScriptedDrafter],
    monkeypatch: pytest.MonkeyPatch,
    database: Database,
) -> None:
    """R196: one line with the remedy, after the report."""
    scripted = asked()

    def refused(task: object) -> DraftReply:
        raise Misconfigured("the drafter's key is refused: set OPENAI_API_KEY")

    monkeypatch.setattr(scripted, "draft", refused)
    ran = ingested()
    assert (ran.code, ran.out.partition(",")[0]) == (2, "2 done")
    assert ran.err == (
        "fonds: the drafter's key is refused: set OPENAI_API_KEY;"
        " 2 fragments wait for gists: run fonds ingest again\n"
    )


def test_an_edit_that_fails_by_now_exits_four(
    folder: Path, ingested: Fonds, fonds: Fonds, asked: Callable[..., ScriptedDrafter]
) -> None:
    """R082: it is the author's word, and no draft replaces it."""
    ingested("--no-draft")
    fonds("gist", "edit", ID, "--text", QUOTING, "--archive", folder)
    asked(Drafted("A light that was left out."))
    assert ingested().code == 4


def test_the_job_drafts_as_the_command_does(
    folder: Path, fonds: Fonds, asked: Callable[..., ScriptedDrafter], database: Database
) -> None:
    """R191: and is safe to run twice."""
    scripted = asked(Drafted(GIST), Drafted("A light that was left out."))
    assert [ingest.run(folder), ingest.run(folder)] == [0, 0]
    assert len(scripted.tasks) == 2
    assert len(rows_of(database, GISTS)) == 2


def test_a_real_client_drafts_from_a_server_and_meets_its_outage(
    ingested: Fonds, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R081, R194: over loopback; only what asks to be described leaves, and nothing is stored."""

    def away(number: int, inputs: object) -> Answer:
        return refused(500)

    def describing(number: int, inputs: object) -> Answer:
        said = json.dumps({"gist": f"A description, the one numbered {number}."})
        return Answer(200, response([text_part(said)]))

    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    for behaviour, code, drafts in ((away, 69, 0), (describing, 0, 2)):
        with stub_provider(behaviour) as stub:
            monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url)
            ran = ingested("--json")
        assert ran.code == code
        assert json.loads(ran.out)["gistsWaiting"] == 2 - drafts
        assert len(rows_of(database, GISTS)) == drafts
        assert stub.requests
        assert all(one["store"] is False and one["model"] == "m" for one in stub.requests)
    assert json.loads(ran.out)["gists"]["drafted"] == 2
