"""Every key an `archive.toml` may hold stands in one table of the pages with its default (R195)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from pydantic.fields import FieldInfo

from fonds.archive_toml import TABLES, ArchiveToml
from tests.house.tree import ROOT

HEADING = "## Every key of `archive.toml`"
LISTS = ("collections",)
NEEDED = "needed"


def known_keys() -> Iterator[tuple[str, FieldInfo]]:
    """As a file spells them: a key, or the table it stands in and the key."""
    for name, field in ArchiveToml.model_fields.items():
        table = TABLES.get(name)
        if table is None:
            yield name, field
            continue
        brackets = f"[[{name}]]" if name in LISTS else f"[{name}]"
        for key, inner in table.model_fields.items():
            yield f"{brackets} {key}", inner


def documented() -> dict[str, tuple[str, str]]:
    """Key -> what the table says of it and of its default."""
    page = (ROOT / "docs/authoring.md").read_text("utf-8")
    section = page.partition(f"{HEADING}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    assert all(len(row) == 3 for row in rows)
    keys = [row[0].strip().strip("`") for row in rows]
    assert len(set(keys)) == len(keys)
    return {key: (row[1], row[2].strip()) for key, row in zip(keys, rows, strict=True)}


def test_the_table_holds_every_key_and_no_other() -> None:
    """A key that nobody can read of is a key nobody uses; one that is gone refuses a file."""
    keys = [key for key, _ in known_keys()]
    assert len(keys) > 60
    assert sorted(documented()) == sorted(keys)


@pytest.mark.parametrize(("key", "field"), list(known_keys()), ids=[key for key, _ in known_keys()])
def test_a_default_is_the_one_that_holds(key: str, field: FieldInfo) -> None:
    """Needed keys are called so; what has a plain default shows it, however the table words it."""
    told = documented()[key][1]
    assert (told == NEEDED) == field.is_required()
    if field.is_required():
        return
    default = field.get_default(call_default_factory=True)
    if isinstance(default, str):
        assert told == f"`{default}`"
    elif isinstance(default, bool | int | float):
        assert told == json.dumps(default)
    elif default:
        assert told == ", ".join(f"`{one}`" for one in default)


def test_a_table_that_lacks_a_key_is_seen() -> None:
    """The check can fail."""
    rows = documented()
    rows.pop("[gate] alpha")
    assert sorted(rows) != sorted(key for key, _ in known_keys())
