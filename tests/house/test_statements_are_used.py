"""Every named statement has one name, one use, and parameters that are bound (rule 5)."""

from __future__ import annotations

import re

from fonds.store.statements import statements
from tests.house.tree import ROOT, python_files

FOLDER = ROOT / "src/fonds/store/sql"
CONCEPTS = sorted(file.stem for file in FOLDER.glob("*.sql"))


def test_every_statement_is_named_once_and_used() -> None:
    code = "\n".join(file.read_text() for file in python_files("src/fonds/store"))
    unused: list[str] = []
    for concept in CONCEPTS:
        headings = re.findall(
            r"^-- name: (\w+)$", (FOLDER / f"{concept}.sql").read_text(), re.MULTILINE
        )
        assert len(headings) == len(set(headings)), concept
        assert set(headings) == set(statements(concept))
        unused += [f"{concept}.{name}" for name in headings if not _is_used(name, code)]
    assert unused == []


def test_a_literal_percent_is_doubled() -> None:
    """psycopg reads a single one as a parameter; two stand for one."""
    for concept in CONCEPTS:
        for name, text in statements(concept).items():
            assert re.sub(r"%%|%\(\w+\)s", "", text).count("%") == 0, f"{concept}.{name}"


def test_no_statement_is_made_of_strings() -> None:
    """No f-string, no concatenation: values are bound, names are written (C22)."""
    for file in python_files("src/fonds/store"):
        assert not re.search(r"execute\(\s*f[\"']", file.read_text()), file.name


def _is_used(name: str, code: str) -> bool:
    if re.search(rf"[\"']{name}[\"']", code):
        return True
    stem = re.match(r"(stage|copy)_(\w+)", name)
    return bool(stem) and f'f"{stem.group(1)}_{{what}}"' in code if stem else False
