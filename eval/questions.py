"""Questions of known answers from outside the repository, as a command is given them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]


def rows(path: Path) -> list[Row]:
    """One object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def spaced(found: Sequence[Row], most: int) -> list[Row]:
    """At most so many, from all over the file."""
    return list(found[:: max(1, len(found) // most)][:most])
