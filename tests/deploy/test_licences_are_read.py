"""`.ci/licences.py` tells a licence a host may ship from one it may not, and from none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT

SAID = """\
#!{python}
print('[{rows}]')
"""


def listed(folder: Path, *rows: str) -> tuple[int, str]:
    """What the list says of an environment whose packages say this of themselves."""
    environment = folder / "python"
    environment.write_text(SAID.format(python=sys.executable, rows=", ".join(rows)))
    environment.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci/licences.py"), "--python", str(environment)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("row", "code", "shown"),
    [
        ('["One", "1", "MIT", [], []]', 0, "one 1: MIT"),
        ('["One", "1", "LGPL-3.0-only", [], []]', 0, "one 1: LGPL-3.0-only"),
        ('["One", "1", "GPL-2.0-only OR MIT", [], []]', 0, "one 1: GPL-2.0-only OR MIT"),
        ('["One", "1", "", ["License :: OSI Approved :: BSD License"], []]', 0, "BSD License"),
        ('["One", "1", "", [], ["Apache 2.0"]]', 0, "one 1: Apache 2.0"),
        ('["One", "1", "AGPL-3.0-only", [], []]', 1, "REFUSED one 1: AGPL-3.0-only"),
        ('["One", "1", "MIT AND GPL-3.0-only", [], []]', 1, "REFUSED one"),
        ('["One", "1", "", ["License :: OSI Approved"], []]', 1, "REFUSED one 1: says none"),
    ],
)
def test_a_licence_is_told(row: str, code: int, shown: str, tmp_path: Path) -> None:
    found, told = listed(tmp_path, row, '["Two", "2", "MIT", [], []]')
    assert found == code
    assert shown in told
    assert "two 2: MIT" in told


def test_what_this_environment_runs_on_may_be_shipped() -> None:
    """The premise: it reads a real environment, this one."""
    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci/licences.py")], capture_output=True, text=True, check=False
    )
    assert "psycopg 3" in done.stdout
    assert "REFUSED psycopg" not in done.stdout
