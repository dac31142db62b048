"""Named statements out of `sql/*.sql`: the one door through which SQL enters Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, LiteralString, TypeAlias, cast

from psycopg import Connection
from psycopg.rows import dict_row

Row: TypeAlias = Mapping[str, Any]

_HEADING = re.compile(r"^-- name: ([a-z_]+)$", re.MULTILINE)


@cache
def statements(concept: str) -> Mapping[str, LiteralString]:
    """Name -> text of the statements in `sql/<concept>.sql`; raises KeyError for a name it
    lacks.
    """
    text = (files("fonds.store") / "sql" / f"{concept}.sql").read_text(encoding="utf-8")
    parts = _HEADING.split(text)[1:]
    # The files ship with the package and take no input: they are as literal as code.
    return {
        name: cast("LiteralString", body.strip())
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


def dict_rows(connection: Connection[Any], concept: str, name: str, **values: object) -> list[Row]:
    """The rows of a named statement by column name."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cast("list[Row]", cursor.execute(statements(concept)[name], values).fetchall())
