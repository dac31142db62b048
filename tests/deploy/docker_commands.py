"""Commands that need Docker, held against what is there: services, files and our own commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import typer.main
import yaml

from fonds.cli.main import app
from tests.deploy.deploying_page import words_of
from tests.house.tree import ROOT

_SERVICES = cast(
    "Mapping[str, Any]", yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
)["services"]
_PLAIN = {"cp", "mkdir", "install", "export", "curl"}


def command_findings(command: str) -> list[str]:
    """One line a fault of a command; none for one whose parts are all there."""
    words = words_of(command)
    if words[0].startswith("deploy/"):
        return [] if (ROOT / words[0]).is_file() else [f"{words[0]} is not there"]
    if words[:2] == ["docker", "compose"]:
        return list(_compose(words[2:]))
    return [] if words[0] in _PLAIN else [f"{words[0]} is no command of this page"]


def _compose(words: list[str]) -> Iterator[str]:
    verb, rest = words[0], words[1:]
    if verb not in {"up", "build", "stop", "run", "exec", "down", "logs", "config"}:
        yield f"docker compose has no {verb}"
        return
    named = list(_without_options(rest))
    if verb in {"run", "exec"}:
        service, inner = named[0], named[1:]
        if service not in _SERVICES:
            yield f"compose.yaml has no {service}"
        if inner and inner[0] == "fonds":
            at = rest.index("fonds")
            yield from _of_ours(rest[at + 1 :])
        for word in inner:
            if word.startswith("/deploy/") and not (ROOT / word[1:]).is_file():
                yield f"{word} is not there"
    elif verb == "stop":
        for service in named:
            if service not in _SERVICES:
                yield f"compose.yaml has no {service}"


def _without_options(words: list[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "-e":
            skip = True
        elif not word.startswith("-"):
            yield word


def _of_ours(words: list[str]) -> Iterator[str]:
    # A command and a group of commands of typer's own making: a group has `commands`.
    command: Any = typer.main.get_command(app)
    rest = list(words)
    while hasattr(command, "commands") and rest:
        command = command.commands.get(rest.pop(0))
        if command is None:
            yield f"fonds has no command {' '.join(words)}"
            return
    known = {option for one in command.params for option in one.opts}
    for word in rest:
        if word.startswith("--") and word not in known:
            yield f"fonds {words[0]} has no {word}"
