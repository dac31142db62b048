"""The pages for authors, of commands and for a host, done as they say: files written, commands
typed, and the output held against what is printed (R196, R197, R020-R033, R080-R085).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from fonds.cli.main import app, run
from fonds.store.embedded import running
from tests.house.pages import (
    PageCommand,
    PageFile,
    PageSection,
    says_the_same,
    sections_of,
    unread_blocks,
)
from tests.house.tree import ROOT

PAGES = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("authoring.md", "commands.md", "hosting.md")
}
SECTIONS = tuple(section for page in PAGES.values() for section in sections_of(page))
Typed = Callable[[str], tuple[int, tuple[str, ...]]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """The home of an embedded server that stays up between the commands of the page."""
    folder = tmp_path_factory.mktemp("home")
    with running(folder):
        yield folder


@pytest.fixture
def typed(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Typed:
    """Does a command in an empty folder: its exit code and the lines a reader sees, which are the
    results, and why it failed. The entry point itself is run by the README's test.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FONDS_HOME", str(home))

    def done(line: str) -> tuple[int, tuple[str, ...]]:
        program, *arguments = shlex.split(line)
        if program == "rm":
            for name in arguments:
                (tmp_path / name).unlink()
            return 0, ()
        if program == "export":
            name, _, value = arguments[0].partition("=")
            monkeypatch.setenv(name, value)
            return 0, ()
        assert program == "fonds", line
        code = run(arguments)
        out, err = capsys.readouterr()
        failed = [said for said in err.splitlines() if said.startswith("fonds: ")]
        shown = out.splitlines() + (failed if code else [])
        return code, tuple(said.rstrip() for said in shown)

    return done


@pytest.mark.parametrize("section", SECTIONS, ids=lambda one: one.title)
def test_a_section_of_the_page_runs_as_it_says(
    section: PageSection, typed: Typed, tmp_path: Path
) -> None:
    """From an empty folder, in the order of the page: a reader who does the same sees the same."""
    for step in section.steps:
        match step:
            case PageFile():
                step.write_below(tmp_path)
            case PageCommand():
                code, printed = typed(step.typed)
                assert says_the_same(step.printed, printed), told(step, printed)
                assert code == step.code, told(step, printed)


def told(step: PageCommand, printed: tuple[str, ...]) -> str:
    said = "\n".join(("the page:", *step.printed, "the command:", *printed))
    return f"$ {step.typed}\n{said}"


def test_every_block_of_the_pages_is_run() -> None:
    """An example that nothing holds true is a promise of another kind."""
    assert [info for page in PAGES.values() for info in unread_blocks(page)] == []
    assert len(SECTIONS) > 10


def test_every_command_has_its_line_and_no_other_has() -> None:
    """R196: every command and its exit codes in one place."""
    commands = {f"fonds {command.name}" for command in app.registered_commands}
    for group in app.registered_groups:
        assert group.typer_instance is not None
        if group.typer_instance.info.invoke_without_command is True:
            commands.add(f"fonds {group.name}")
        commands |= {
            f"fonds {group.name} {command.name}"
            for command in group.typer_instance.registered_commands
        }
    rows = re.findall(r"^\| (`fonds [^|]+`) \|", PAGES["commands.md"], re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert sorted(listed) == sorted(commands)


def test_the_page_walks_a_gist_in_five_commands() -> None:
    """R084: from a note that asks for it to a served, reviewed gist, and back to nothing."""
    (walk,) = (one for one in SECTIONS if one.title == "A gist in five commands")
    commands = [step for step in walk.steps if isinstance(step, PageCommand)]
    typed = [" ".join(step.typed.split()[1:3]) for step in commands]
    assert [one.partition(" --")[0] for one in typed if not one.startswith("search")] == [
        "ingest",
        "gist edit",
        "build",
        "gist review",
        "gist veto",
        "gist list",
    ]
    served, withdrawn = (one.printed for one in commands if one.typed.startswith("fonds search"))
    assert any("described:" in line for line in served)
    assert any("located, not quotable" in line for line in withdrawn)


def test_a_page_that_says_another_thing_is_found_out() -> None:
    """The comparison can fail: a line too many, one too few, another word, another order."""
    printed = ("build 7 is live: 2 entities", "  note:a#p-4: located")
    assert says_the_same(("build ... is live: 2 entities", "  note:a#p-4: located"), printed)
    assert says_the_same(("...",), printed)
    assert says_the_same(("build ...", "..."), printed)
    assert not says_the_same((), printed)
    assert not says_the_same(printed[:1], printed)
    assert not says_the_same((*printed, "more"), printed)
    assert not says_the_same(printed[::-1], printed)
    assert not says_the_same(("build ... is live: 3 entities", "..."), printed)
    assert not says_the_same(("build . is live: 2 entities", "..."), printed)


def test_a_block_without_a_name_is_found_out() -> None:
    page = "## A\n\n```toml\nx = 1\n```\n\n```toml file=a.toml\nx = 1\n```\n\n```\n$ fonds\n```\n"
    assert unread_blocks(page) == ["toml", ""]
    (section,) = sections_of(page)
    assert section.steps == (PageFile("a.toml", b"x = 1\n"),)


def test_a_command_is_read_with_its_lines_and_its_exit() -> None:
    page = "## A\n\n```console\n$ fonds a\none\n\ntwo\n(exits 4)\n$ fonds b\n```\n"
    (section,) = sections_of(page)
    assert section.steps == (
        PageCommand("fonds a", ("one", "", "two"), 4),
        PageCommand("fonds b", (), 0),
    )
