"""Whether what failed in company may be asked again alone: a few tests at most, named for mending.

Usage: second_look.py CACHE_FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

MOST = 3


def main() -> int:
    """0 when at most three tests failed, with a line each; 1 for more, or for a run that broke."""
    kept = Path(sys.argv[1]) / "v" / "cache" / "lastfailed"
    failed = list(json.loads(kept.read_text())) if kept.exists() else []
    for test in failed:
        sys.stdout.write(f"WAVERS OR FAILS: {test}\n")
    return 0 if 0 < len(failed) <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
