"""A worker may stand in the folder of a host, whose folders other people keep and name (R192)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fonds.jobs.child import start_child
from tests.jobs.queue_bed import CEILING

USAGE = 2


@pytest.mark.parametrize(
    "laid",
    [
        "json/__init__.py",
        "psycopg/__init__.py",
        "pydantic.py",
        "ingest_jobs/__init__.py",
        "fonds.py",
    ],
)
def test_no_module_of_the_folder_it_stands_in_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, laid: str
) -> None:
    """An archive may be called `json`: its folder is no package."""
    taken = tmp_path / "taken"
    module = tmp_path / "archives" / laid
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(f"open({str(taken)!r}, 'w').close()", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "archives")

    child = start_child("ingest_jobs.ingest", [str(tmp_path / "nowhere")])

    assert child.wait(CEILING) == USAGE
    assert not taken.exists()


def test_it_runs_with_the_python_of_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found without the folder: the installed packages, and those of PYTHONPATH."""
    said = tmp_path / "said"
    (tmp_path / "told.py").write_text(
        f"import sys\nwith open({str(said)!r}, 'w') as file:\n    file.write(sys.executable)",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    assert start_child("told", []).wait(CEILING) == 0
    assert said.read_text(encoding="utf-8") == sys.executable
