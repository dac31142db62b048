"""The import contracts hold (design section 4)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.house.tree import ROOT


def test_lint_imports_finds_nothing() -> None:
    command = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [str(command), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "9 kept, 0 broken" in done.stdout
