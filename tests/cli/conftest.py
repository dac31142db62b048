"""The command line, run in this process against the database of a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from fonds.cli.main import run
from tests.servers import Database


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left: exit code and both streams."""

    code: int
    out: str
    err: str


@pytest.fixture
def in_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database: Database) -> None:
    """Each role's URL, and a home that no command may need."""
    monkeypatch.setenv("FONDS_HOME", str(tmp_path / "unused"))
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def fonds(in_environment: None, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs `fonds` with arguments and gives what it printed."""

    def command(*arguments: object) -> Ran:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return command
