"""Whether the suite notices when a promise is broken: faults made by hand, one at a time.

    python -m eval.trials.mutations [--only NAME]... [--list]

Each fault of `mutations.toml` replaces one piece of text in a copy of the checkout (what stands in
`db/` also in the foundation that migrates), and the tests that keep that promise run there with -x.
Killed: a test failed. Survived: none did, so the promise is not kept by a test. Not applied: the
text is not there once. Broken: pytest could not run. Exit code 1 unless every fault was killed.
The checkout itself is never touched.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

Outcome: TypeAlias = Literal["killed", "survived", "not applied", "broken"]

ROOT: Final = Path(__file__).resolve().parents[2]
LIST: Final = Path(__file__).with_name("mutations.toml")
FOUNDATION: Final = "migrations/versions/0001_foundation.sql"
# What the tests read; the rest of a checkout (its history, an environment) stays behind.
_LEFT_BEHIND: Final = (".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache", "*.pyc")
_OUTCOMES: Final[dict[int, Outcome]] = {0: "survived", 1: "killed"}  # pytest's own exit codes


@dataclass(frozen=True, slots=True)
class CodeFault:
    """One fault: `find` stands once in `file`, and `tests` fail when it is `replace` instead."""

    name: str
    file: str
    find: str
    replace: str
    tests: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """Where it is made: a statement of the schema stands in the foundation as well."""
        return (self.file, FOUNDATION) if self.file.startswith("db/") else (self.file,)


def listed_faults() -> tuple[CodeFault, ...]:
    """The faults in the order of the list; ValueError where a name is there twice."""
    read = tomllib.loads(LIST.read_text(encoding="utf-8"))["fault"]
    found = tuple(
        CodeFault(one["name"], one["file"], one["find"], one["replace"], tuple(one["tests"]))
        for one in read
    )
    if len({one.name for one in found}) != len(found):
        raise ValueError("mutations.toml: a name is there twice")
    return found


def lost_places(fault: CodeFault, root: Path = ROOT) -> tuple[str, ...]:
    """The files in which its text does not stand exactly once."""
    return tuple(
        name
        for name in fault.files
        if (root / name).read_text(encoding="utf-8").count(fault.find) != 1
    )


def tried(fault: CodeFault, copy: Path) -> Outcome:
    """What its tests say of the fault, made in this copy and taken back."""
    if lost_places(fault, copy):
        return "not applied"
    before = {name: (copy / name).read_text(encoding="utf-8") for name in fault.files}
    try:
        for name, text in before.items():
            (copy / name).write_text(text.replace(fault.find, fault.replace), encoding="utf-8")
        return _tested(fault.tests, copy)
    finally:
        for name, text in before.items():
            (copy / name).write_text(text, encoding="utf-8")


def _tested(tests: tuple[str, ...], copy: Path) -> Outcome:
    paths = os.pathsep.join((str(copy / "src"), str(copy)))
    done = subprocess.run(  # noqa: S603 - our own interpreter, and names of our own list
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests],
        cwd=copy,
        # No compiled file is kept: one of a fault that was the same size would outlive it.
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return _OUTCOMES.get(done.returncode, "broken")


def _copied(folder: Path) -> Path:
    copy = folder / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_BEHIND))
    return copy


def main() -> int:
    """Tries the faults that are asked for and prints what became of each."""
    parser = argparse.ArgumentParser(description="Breaks promises and runs the tests of each.")
    parser.add_argument("--only", action="append", metavar="NAME", help="this fault alone")
    parser.add_argument("--list", action="store_true", help="name the faults and run nothing")
    asked = parser.parse_args()
    faults = [one for one in listed_faults() if asked.only is None or one.name in asked.only]
    if not faults:
        parser.error("there is no such fault: see --list")
    if asked.list:
        print("\n".join(f"{one.name}  {one.file}" for one in faults))  # noqa: T201
        return 0
    counts: dict[Outcome, int] = {"killed": 0, "survived": 0, "not applied": 0, "broken": 0}
    with tempfile.TemporaryDirectory(prefix="fonds-mutations-") as folder:
        copy = _copied(Path(folder))
        for fault in faults:
            outcome = tried(fault, copy)
            counts[outcome] += 1
            print(f"{outcome:<12} {fault.name}  {fault.file}", flush=True)  # noqa: T201
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))  # noqa: T201
    return 0 if counts["killed"] == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
