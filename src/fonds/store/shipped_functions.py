"""The bodies of the house's own functions, as its migrations make them (R090, R094)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from fonds.store.share import share_path

_FUNCTION: Final = re.compile(
    r"CREATE (?:OR REPLACE )?FUNCTION ([a-z_]+\.[a-z_]+)\s*\("
    r"(?:(?!CREATE ).)*?\bAS \$(\w*)\$(.*?)\$\2\$",
    re.DOTALL,
)


@cache
def shipped_functions() -> Mapping[str, frozenset[str]]:
    """Qualified name -> every body that a migration of this installation gives it."""
    found: dict[str, set[str]] = {}
    for file in sorted(share_path("migrations/versions").glob("*.sql")):
        for name, _, body in _FUNCTION.findall(file.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(body)
    return {name: frozenset(bodies) for name, bodies in found.items()}
