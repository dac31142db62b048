"""Data of another major version of PostgreSQL are told, with the remedy, before a server starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fonds.cli.main import run
from fonds.contract.failures import Misconfigured
from fonds.store.embedded import removed, running
from fonds.store.embedded_places import data_folder, log_file


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped server's home, to be copied."""
    home = tmp_path_factory.mktemp("made") / "home"
    with running(home):
        pass
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "home")


@pytest.mark.parametrize("away", [-9, -1, 1])
def test_data_of_another_major_version_are_refused_in_one_line(home: Path, away: int) -> None:
    """Nothing is started, so nothing is written: the data are what they were."""
    version = data_folder(home) / "PG_VERSION"
    runs = int(version.read_text())
    major = runs + away
    version.write_text(f"{major}\n")
    logged = log_file(home).read_bytes()
    with pytest.raises(Misconfigured) as refused, running(home):
        pass
    said = str(refused.value)
    assert f"was made by PostgreSQL {major} and the installed server is {runs}" in said
    assert "docs/deploying.md" in said
    assert "\n" not in said
    assert version.read_text() == f"{major}\n"
    assert log_file(home).read_bytes() == logged
    assert not (data_folder(home) / "postmaster.pid").exists()


def test_a_command_says_so_and_exits_two(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (data_folder(home) / "PG_VERSION").write_text("17\n")
    monkeypatch.setenv("FONDS_HOME", str(home))
    assert run(["migrate"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "PostgreSQL 17" in said


@pytest.mark.parametrize("told", ["", "eighteen", "18.6\nand more", "9" * 400])
def test_what_names_no_version_is_no_database(home: Path, told: str) -> None:
    (data_folder(home) / "PG_VERSION").write_text(told)
    with pytest.raises(Misconfigured, match="is not a database"), running(home):
        pass


def test_data_of_another_version_can_be_taken_away(home: Path) -> None:
    """`--fresh` of the demonstration is a remedy too."""
    (data_folder(home) / "PG_VERSION").write_text("17\n")
    removed(home)
    assert not data_folder(home).exists()
