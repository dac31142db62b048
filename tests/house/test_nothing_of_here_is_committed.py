"""The repository holds no path of a machine, no registry's address and no secret."""

from __future__ import annotations

import re
import subprocess

from tests.house.tree import ROOT, python_files, relative

FORBIDDEN = {
    "a path of a machine": re.compile(r"(?<![\w.])/(?:work|home|root|Users)/[\w.-]+"),
    "a registry's address": re.compile(
        r"https?://[\w.-]*(?:pypi|pythonhosted|npmjs|debian)\.[\w.]+"
    ),
    "a key": re.compile(r"\bsk-[A-Za-z0-9]{20,}"),
}


def test_no_tracked_file_names_a_machine_a_registry_or_a_secret() -> None:
    listed = subprocess.run(
        ["git", "ls-files"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    found = [
        f"{name}: {kind}"
        for name in listed
        if (ROOT / name).is_file()
        and (ROOT / name).suffix not in {".npy", ".png"}
        and "tests/house/" not in name
        for kind, pattern in FORBIDDEN.items()
        if pattern.search((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert found == []


def test_constraints_hold_no_address() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert pins
    assert [pin for pin in pins if "://" in pin or "@" in pin] == []


def test_no_source_file_is_ignored() -> None:
    """A pattern of .gitignore that fits a folder of ours leaves a clone without it."""
    files = [relative(file) for file in python_files()]
    done = subprocess.run(
        ["git", "check-ignore", "--stdin"],
        cwd=ROOT,
        input="\n".join(files),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
