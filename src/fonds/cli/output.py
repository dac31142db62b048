"""How results and failures are shown: one JSON object or lines a person reads; never private
words.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

ProgressCall = Callable[[str, int, int], None]

_CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if chr(code) not in "\n\t"
}


def show_json(result: Mapping[str, object]) -> None:
    """One JSON object, in the characters it is written in."""
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2, default=str))


def show_line(result: Mapping[str, object]) -> None:
    """One JSON object on one line, at once: another process waits for it."""
    sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def say(*lines: str) -> None:
    """Result lines on stdout."""
    for line in lines:
        typer.echo(_shown(line))


def note(*lines: str) -> None:
    """Progress and remarks on stderr."""
    for line in lines:
        typer.echo(_shown(line), err=True)


def one_line(words: str) -> str:
    """The words on one line, whatever a file's name or a library put between them."""
    return " ".join(words.split())


def _shown(line: str) -> str:
    """Control characters of a text or a file's name are not obeyed by the reader's terminal."""
    return line.translate(_CONTROLS)


@contextmanager
def progress_bar() -> Generator[ProgressCall]:
    """A bar on stderr that hides itself when nobody watches; called with (step, done, total)."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        tasks: dict[str, TaskID] = {}

        def advance(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=total)
            bar.update(tasks[step], completed=done, total=total)

        yield advance


def silence_broken_pipe() -> None:
    """A reader that closed the pipe wants no more lines, and no complaint at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
