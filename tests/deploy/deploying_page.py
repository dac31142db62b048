"""docs/deploying.md as it is read: its blocks of commands, those that need Docker apart."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from tests.house.tree import ROOT

PAGE = (ROOT / "docs/deploying.md").read_text(encoding="utf-8")
NEEDS_DOCKER = "# needs Docker"
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of commands: a command a line."""

    needs_docker: bool
    commands: tuple[str, ...]


def blocks_of(page: str) -> tuple[Block, ...]:
    """The blocks of commands in their order."""
    found: list[Block] = []
    for fence in _FENCE.finditer(page):
        if fence["info"] != "sh":
            continue
        lines = [line for line in fence["body"].splitlines() if line]
        needs = lines[0] == NEEDS_DOCKER
        found.append(Block(needs, tuple(lines[1:] if needs else lines)))
    return tuple(found)


def other_fences(page: str) -> list[str]:
    """What is fenced and is neither commands nor plain text: nothing would hold it true."""
    return [one["info"] for one in _FENCE.finditer(page) if one["info"] not in {"sh", "text"}]


def words_of(command: str) -> list[str]:
    """A command's words, without what is said after a hash."""
    return shlex.split(command, comments=True)
