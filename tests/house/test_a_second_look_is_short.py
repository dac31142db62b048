"""What the check asks again, alone: a test that wavers, never a run that fails in many places."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT

LOOK = ROOT / ".ci" / "second_look.py"


@pytest.mark.parametrize(("failed", "code"), [(0, 1), (1, 0), (3, 0), (4, 1)])
def test_three_tests_at_most_are_asked_again(tmp_path: Path, failed: int, code: int) -> None:
    kept = tmp_path / "v" / "cache"
    kept.mkdir(parents=True)
    (kept / "lastfailed").write_text(
        json.dumps({f"tests/a.py::test_{n}": True for n in range(failed)})
    )
    done = subprocess.run(
        [sys.executable, LOOK, tmp_path], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.count("WAVERS OR FAILS")) == (code, failed)


def test_a_run_that_broke_before_it_kept_anything_is_not_asked_again(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, LOOK, tmp_path], check=False, capture_output=True)
    assert done.returncode == 1
