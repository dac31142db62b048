"""What a key opens of its archive (R192)."""

from __future__ import annotations

from typing import Literal, TypeAlias

KeyScope: TypeAlias = Literal["search", "ask", "admin"]
"""`search` finds, `ask` asks, `admin` reads how the archive stands; none implies another."""
