"""deploy/secrets.sh: what is there stays, what is named is made anew, a name that is none is said
(R197).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.house.tree import ROOT


def made(folder: Path, *names: str) -> int:
    """The exit code."""
    program = ROOT / "deploy/secrets.sh"
    return subprocess.run([program, folder, *names], capture_output=True, check=False).returncode


def held(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_a_password_is_made_anew_for_whom_it_is_asked_and_for_nobody_else(tmp_path: Path) -> None:
    """A rotation that changes nothing says so: whoever has the old password would keep it."""
    folder = tmp_path / "secrets"
    assert made(folder) == 0
    first = held(folder)
    assert made(folder) == 0
    for wrong in ("reader", "fonds_nobody", "fonds_reader host", "fonds_*", ""):
        assert made(folder, wrong) == 2, wrong
    assert held(folder) == first
    assert made(folder, "fonds_reader", "fonds_host") == 0
    changed = {name for name, word in held(folder).items() if word != first[name]}
    assert changed == {
        "fonds_reader_url",
        "fonds_reader_scope_key",
        "fonds_host_url",
        "fonds_host_scope_key",
    }
