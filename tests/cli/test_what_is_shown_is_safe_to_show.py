"""What a terminal, a log and a script get: one object, one line, nothing that steers or repeats."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
import typer

from fonds.build.build_report import BuildReport
from fonds.build.checking import Downgrade
from fonds.cli.build import build_lines
from fonds.cli.main import main, prepare_process, run, run_guarded
from fonds.cli.output import one_line, say
from fonds.cli.search import hit_lines
from fonds.contract.failures import Failure, ProviderUnavailable
from fonds.contract.ports import Embedder
from fonds.providers.hashing_embedder import HashingEmbedder
from tests.archives import essay, note, written
from tests.cli.conftest import Ran
from tests.factories import GIST, a_locator_hit, a_semantic_hit, a_text_hit

Fonds = Callable[..., Ran]
KITES = "My aunt Ilse taught me to fly kites on the dyke at Norden in the spring of 1974."
QUESTION = "Who taught her to fly kites on the dyke?"
PRIVATE = "She owed the pawnbroker Tolliver forty crowns and paid him in honeycomb."


@pytest.fixture
def served(tmp_path: Path, fonds: Fonds) -> Path:
    files = {"essays/on-kites.md": essay("On Kites", KITES), "notes/ilse.md": note("Ilse", PRIVATE)}
    folder = written(tmp_path / "archive", files)
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("build", "--yes", "--archive", folder).code == 0
    return folder


def test_an_explained_answer_is_one_object_made_of_one_search(
    served: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R196: `--json` is one JSON object whatever else is asked for; the hits are the answer's."""
    searches: list[str] = []
    embed_query = HashingEmbedder.embed_query

    def counted(self: HashingEmbedder, query: str) -> object:
        searches.append(query)
        return embed_query(self, query)

    monkeypatch.setattr(HashingEmbedder, "embed_query", counted)
    ran = fonds("ask", QUESTION, "--explain", "--json", "--archive", served)
    given = json.loads(ran.out)
    assert (ran.code, given["mode"]) == (0, "partial")
    assert given["hits"][0]["fragmentId"] == "essay:on-kites#whole"
    explained = len(searches)
    assert "hits" not in json.loads(fonds("ask", QUESTION, "--json", "--archive", served).out)
    assert len(searches) == 2 * explained
    plain = fonds("ask", QUESTION, "--explain", "--archive", served).out
    assert "essay:on-kites#whole  On Kites" in plain


def test_an_embedder_that_is_not_there_is_a_refusal_of_exit_sixty_nine(
    served: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R165, R196: the refusal is shown; asking for an explanation does not lose it."""

    def gone(self: HashingEmbedder, query: str) -> None:
        raise ProviderUnavailable("the embedder is away")

    monkeypatch.setattr(HashingEmbedder, "embed_query", gone)
    ran = fonds("ask", QUESTION, "--explain", "--json", "--archive", served)
    given = json.loads(ran.out)
    assert (ran.code, given["reason"], given["hits"]) == (69, "embedder_unavailable", [])


def test_an_ingest_without_an_embedder_still_says_what_it_did(
    tmp_path: Path, fonds: Fonds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R191: rows are kept and named, vectors wait, and the exit code is the outage's."""

    def gone(self: Embedder, texts: object) -> None:
        raise ProviderUnavailable("the embedder is away")

    monkeypatch.setattr(HashingEmbedder, "embed_passages", gone)
    files = {
        "essays/on-kites.md": essay("On Kites", KITES),
        "notes/bad.md": note("L", PRIVATE, exposure="text", locator="p. 9"),
    }
    folder = written(tmp_path / "archive", files)
    ran = fonds("ingest", "--archive", folder)
    assert ran.code == 69
    assert ran.out.startswith("1 done")
    assert "refused, not stored: notes/bad.md" in ran.out
    assert ran.err.splitlines() == [
        "fonds: the embedder is away; 1 fragments wait for vectors: run fonds ingest again"
    ]
    again = fonds("ingest", "--archive", folder, "--json")
    assert (again.code, json.loads(again.out)["waiting"]) == (69, 1)


def test_a_text_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    """A hostile file, or a model, may hold escape sequences: they are shown and not obeyed."""
    say("a\x1b]0;owned\x07b\x9b2Jc\td\ne")
    out = capsys.readouterr().out
    assert out == "a\N{REPLACEMENT CHARACTER}]0;owned\N{REPLACEMENT CHARACTER}b" + (
        "\N{REPLACEMENT CHARACTER}2Jc\td\ne\n"
    )


def test_a_failure_is_one_line_whatever_a_file_is_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing() -> int:
        raise Failure("essays/a\nb\x1b[2J.md: cannot be read")

    assert run_guarded(failing) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert one_line(" a \n b ") == "a b"


@pytest.mark.parametrize("arguments", [("Did Tolliver pay?",), ("ask", "Did", "Tolliver", "pay?")])
def test_a_question_in_the_wrong_place_is_not_repeated(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A question may be as private as an answer, and stderr is what gets logged."""
    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "Tolliver" not in err


def test_an_interrupted_job_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    assert run_guarded(interrupted) == 130
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_hit_shows_what_its_exposure_carries() -> None:
    long = a_text_hit(text="a word " * 100)
    assert hit_lines(long)[1].endswith("…")
    assert hit_lines(a_semantic_hit())[1] == f"      described: {GIST}"
    assert hit_lines(a_locator_hit())[1].startswith("      located, not quotable: https://")


def test_a_build_says_what_was_withdrawn_beside_it() -> None:
    report = BuildReport(4, False, True, 2, 3, (Downgrade("note:a#p-1", "vetoed"),), 2)
    assert build_lines(report) == [
        "build 4 is live: 2 entities, 3 fragments",
        "no difference to the live build",
        "  note:a#p-1: located, not described (vetoed)",
        "  withdrawn while it was built: 2",
    ]


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    shown = capsys.readouterr()
    assert "Usage" in shown.out
    assert shown.err == ""


def test_a_bad_setting_is_one_line_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FONDS_HOME", "")
    assert run(["builds"]) == 2
    assert capsys.readouterr().err == "fonds: FONDS_HOME: empty: unset it, or name a path\n"


def test_leaving_early_keeps_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    def leaves() -> int:
        raise typer.Exit(7)

    assert run_guarded(leaves) == 7
    assert capsys.readouterr().err == ""


def test_a_reader_that_closes_the_pipe_hears_nothing_more() -> None:
    """As in `fonds search kites | head -1`."""
    code = (
        "import sys\n"
        "from fonds.cli.main import run_guarded\n"
        "def work():\n"
        "    while True: sys.stdout.write('line\\n')\n"
        "sys.exit(run_guarded(work))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == "line\n"
        child.stdout.close()
        assert child.stderr.read() == ""
        assert child.wait(30) == 1


def test_the_entry_point_ends_with_the_code_and_answers_to_signals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    taken = ExitStack()
    prepare = prepare_process
    monkeypatch.setattr("fonds.cli.main.prepare_process", lambda: taken.enter_context(prepare()))
    try:
        with pytest.raises(SystemExit) as left:
            main(["--help"])
        assert left.value.code == 0
        for number in kept:
            with pytest.raises(SystemExit) as told:
                signal.raise_signal(number)
            assert told.value.code == 128 + number
    finally:
        taken.close()  # else the logs of this process stay taken for the tests after it
        for number, handler in kept.items():
            signal.signal(number, handler)
