"""The version stands in pyproject.toml; what repeats it says the same, and code asks for it."""

from __future__ import annotations

import re
import tomllib

from tests.house.tree import ROOT, python_files

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def test_what_is_cited_is_what_is_built() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", cited, re.MULTILINE) == [VERSION]


def test_no_code_holds_a_version_of_its_own() -> None:
    held = [
        file.name
        for file in python_files("src")
        if re.search(r"^__version__\s*=\s*[\"']", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert held == []


def test_a_release_is_built_of_the_version_its_tag_names() -> None:
    workflow = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert 'tomllib.load(open("pyproject.toml", "rb"))["project"]["version"]' in workflow
    assert 'test "v$version" = "$GITHUB_REF_NAME"' in workflow
