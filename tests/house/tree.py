"""What the house tests look at: the tracked files of the checkout."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("src", "ingest_jobs", "eval", "tests", "migrations", ".ci")


def python_files(*folders: str) -> list[Path]:
    """Every Python file of these folders of the checkout, the whole code by default."""
    found = [path for folder in folders or CODE for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def functions(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, methods and nested ones included."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def relative(file: Path) -> str:
    """The path as a reader of the repository knows it."""
    return file.relative_to(ROOT).as_posix()
