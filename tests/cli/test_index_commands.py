"""`fonds index create|check|drop`: what is said, and how it ends (R114, R196)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archives import UNGATED, essay, written
from tests.cli.conftest import Ran

Fonds = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    """One essay, served."""
    made = written(
        tmp_path / "archive", {"essays/on-kites.md": essay("On Kites", "Kites.")}, gate=UNGATED
    )
    assert fonds("ingest", "--archive", made).code == 0
    assert fonds("build", "--archive", made).code == 0
    return made


def test_a_small_archive_gets_none_and_says_why(folder: Path, fonds: Fonds) -> None:
    """R114: one line with both sizes; nothing is made."""
    ran = fonds("index", "create", "--archive", folder)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "fonds: 1 public vectors: below 20000 an exact search takes milliseconds and misses"
        " nothing; no index was made\n"
    )
    ran = fonds("index", "check", "--archive", folder)
    assert (ran.code, ran.err) == (
        2,
        "fonds: build 1 has no index: fonds index create makes one\n",
    )
    ran = fonds("index", "drop", "--archive", folder)
    assert (ran.code, ran.out) == (0, "0 dropped, searches are exact\n")
    assert json.loads(fonds("index", "drop", "--json", "--archive", folder).out) == {"dropped": 0}


def test_a_number_out_of_bounds_is_named(folder: Path, fonds: Fonds) -> None:
    ran = fonds("index", "create", "--breadth", "1001", "--archive", folder)
    assert (ran.code, ran.err) == (2, "fonds: breadth: takes a number from 1 to 1000\n")
