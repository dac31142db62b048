"""Holds the coverage of the package against its floors (R199): lines and branches apart."""

from __future__ import annotations

import json
import sys
from pathlib import Path

LINES = 97.0
BRANCHES = 88.0


def main() -> int:
    """Exit code 1 when either floor is not met."""
    totals = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["totals"]
    lines = 100 * totals["covered_lines"] / totals["num_statements"]
    branches = 100 * totals["covered_branches"] / totals["num_branches"]
    found = f"lines {lines:.1f}% (floor {LINES}), branches {branches:.1f}% (floor {BRANCHES})"
    sys.stdout.write(found + "\n")
    return 0 if lines >= LINES and branches >= BRANCHES else 1


if __name__ == "__main__":
    sys.exit(main())
