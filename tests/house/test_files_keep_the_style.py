"""The limits of CONTRIBUTING that a machine can hold."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house.tree import ROOT, functions, python_files, relative

LONGEST_FILE = 300
LONGEST_FUNCTION = 40
# Files that gather a kind instead of one concept.
GATHERING = {"failures", "ports", "near_query", "build_store", "service_ports", "outcomes"}


def test_no_file_is_longer_than_three_hundred_lines() -> None:
    long = {
        relative(f): n
        for f in python_files()
        if (n := len(f.read_text().splitlines())) > LONGEST_FILE
    }
    assert long == {}


def test_no_function_is_longer_than_forty_lines() -> None:
    long = [
        f"{relative(file)}:{node.name}"
        for file in python_files()
        for node in functions(file)
        if node.end_lineno is not None and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert long == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        relative(file)
        for file in python_files()
        if ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) is None
    ]
    assert silent == []


def test_each_contract_file_defines_what_it_is_named_after() -> None:
    for file in python_files("src/fonds/contract"):
        if file.stem in GATHERING | {"__init__"}:
            continue
        names = {
            n.name
            for n in ast.parse(file.read_text()).body
            if isinstance(n, ast.ClassDef | ast.FunctionDef)
        }
        camel = "".join(part.capitalize() for part in file.stem.split("_"))
        written = file.read_text()
        assert names & {camel, file.stem} or f"{camel}: TypeAlias" in written, file.stem


# What is raised there is of files that come with a wheel.
WITH_CAUSE = {"src/fonds/providers/centring.py", "src/fonds/providers/local_model.py"}


def test_no_failure_carries_what_was_raised_before_it() -> None:
    """A cause stands in every traceback, and a driver's or a library's may quote a row."""
    carried = [
        f"{relative(file)}:{node.lineno}"
        for file in python_files("src")
        if relative(file) not in WITH_CAUSE
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and node.cause is not None
        if not (isinstance(node.cause, ast.Constant) and node.cause.value is None)
    ]
    assert carried == []


def test_only_the_gist_lint_builds_a_linted_gist() -> None:
    """R009: the proof has one maker."""
    makers = [
        relative(f) for f in python_files("src") if re.search(r"\bLINT_TOKEN\b", f.read_text())
    ]
    assert makers == ["src/fonds/boundary/lint.py", "src/fonds/contract/linted_gist.py"]
    lint = (ROOT / "src/fonds/boundary/lint.py").read_text()
    assert len(re.findall(r"\bLintedGist\(", lint)) == 1


def test_only_the_crossing_constructs_a_hit() -> None:
    """R120: nothing but project's module makes what leaves."""
    makers = {
        relative(file)
        for file in python_files("src")
        if re.search(r"\b(TextHit|SemanticHit|LocatorHit)\((?!\))[^)]", _code(file.read_text()))
    }
    assert makers == {"src/fonds/boundary/crossing.py"}


def test_only_settings_reads_the_environment() -> None:
    readers = [
        relative(f)
        for f in python_files("src")
        if re.search(r"os\.(environ|getenv)", f.read_text())
    ]
    assert [r for r in readers if "embedded" not in r] == []


@pytest.mark.parametrize("word", ["TODO", "FIXME", "XXX"])
def test_nothing_is_left_for_later_in_code(word: str) -> None:
    assert [
        relative(f)
        for f in python_files("src", "ingest_jobs")
        if re.search(rf"\b{word}\b", f.read_text())
    ] == []


def _code(text: str) -> str:
    """The text without match patterns, which look like calls."""
    return re.sub(r"^\s*case .*$", "", text, flags=re.MULTILINE)
