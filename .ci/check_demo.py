"""Holds what `fonds demo --json` printed against what it promises: one answer of each kind."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> int:
    """Exit code 1 unless an answered, a routed and a refused question are among the answers."""
    shown = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    modes = {answer["mode"] for answer in shown["answers"]}
    kept = (
        set(shown) == {"ingest", "build", "answers"}
        and bool(modes & {"partial", "supported"})
        and {"related-material", "not-found"} <= modes
    )
    sys.stdout.write(f"demo modes: {', '.join(sorted(modes))}\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
