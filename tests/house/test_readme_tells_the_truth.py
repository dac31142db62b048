"""The README's map, commands and settings against the tree and the code."""

from __future__ import annotations

import re

from fonds.cli.main import app
from fonds.settings import Settings
from tests.house.tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_code_map_names_every_folder_and_no_other() -> None:
    mapped = set(re.findall(r"^\| `([a-z_/]+)` \|", README, re.MULTILINE))
    stages = {
        f"src/fonds/{p.name}"
        for p in (ROOT / "src/fonds").iterdir()
        if (p / "__init__.py").exists()
    }
    top = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith((".", "__"))}
    top -= {"src", "dist", "build", "secrets", "node_modules"}
    assert mapped == stages | top


def test_no_folder_command_setting_or_word_has_two_rows() -> None:
    """A merge that keeps both sides leaves two rows, and one of them old."""
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \|", README + contributing, re.MULTILINE)
    rows = [row for row in rows if not row.startswith("---")]
    heads = {"folder", "command", "variable", "say"}
    assert sorted({row for row in rows if rows.count(row) > 1} - heads) == []


def test_every_command_is_documented_and_has_help() -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        assert f"`fonds {command.name}" in README, command.name
        assert command.callback.__doc__, command.name
    for group in app.registered_groups:
        assert f"`fonds {group.name}" in README, group.name


def test_every_setting_is_in_the_table() -> None:
    for name, field in Settings.model_fields.items():
        variable = field.validation_alias or f"FONDS_{name.upper()}"
        assert f"`{variable}`" in README, name
        assert field.description, name


def test_the_version_is_one() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert f"version: {version.group(1)}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
