"""What two pages say of every command holds of each, and of no other where they make exceptions."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

import pytest
import typer.main

from fonds.cli.main import app
from tests.house.tree import ROOT

NAMED = re.compile(r"`(?:fonds )?([a-z]+(?: [a-z]+)?)`")


def commands(group: Any, name: str = "") -> Generator[tuple[str, set[str]]]:  # noqa: ANN401
    """Each command by its words, with its options."""
    below: dict[str, Any] = getattr(group, "commands", {})
    for word, command in below.items():
        yield from commands(command, f"{name} {word}".strip())
    if not below or group.invoke_without_command:
        yield name, {option for one in group.params for option in one.opts}


EVERY = [one for one in commands(typer.main.get_command(app)) if one[0]]


@pytest.mark.parametrize("page", ["README.md", "docs/commands.md"])
def test_the_exceptions_are_those_that_are_named(page: str) -> None:
    """A group that is named stands for all of its commands."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (said,) = re.findall(r"^Every command takes (.+?)\n\n", text, re.MULTILINE | re.DOTALL)
    for option, part in zip(
        ("--archive", "--json"), " ".join(said.split()).split("`--json`"), strict=True
    ):
        named = set(NAMED.findall(part.partition("but for")[2]))
        without = {name for name, options in EVERY if option not in options}
        assert without == {
            name for name, _ in EVERY if name in named or name.partition(" ")[0] in named
        }, option
