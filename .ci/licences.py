"""Lists the licence of all that an environment has installed; fails for one a host may not ship.

Read from what each package says of itself: the expression, else its classifiers, else free text.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys

# What obliges a host to publish more than it changed, or is no licence at all.
REFUSED = re.compile(r"\b(?:AGPL|Affero|SSPL|BUSL|Commons Clause|GPL)", re.IGNORECASE)
ALLOWED_ALL_THE_SAME = re.compile(r"\bLGPL|Lesser General", re.IGNORECASE)

# Printed by the environment's own interpreter, which may have nothing else installed.
ASKED = """
import importlib.metadata as m, json
print(json.dumps([
    [d.metadata["Name"], d.version, d.metadata.get("License-Expression") or "",
     [c for c in d.metadata.get_all("Classifier") or [] if c.startswith("License ::")],
     (d.metadata.get("License") or "").strip().splitlines()[:1]]
    for d in m.distributions() if d.metadata["Name"]]))
"""


def licence_of(expression: str, classifiers: list[str], free: list[str]) -> str:
    """What a package says its licence is, in one line; empty when it says nothing."""
    if expression:
        return expression
    named = [one.rsplit("::", 1)[1].strip() for one in classifiers]
    named = [one for one in named if one != "OSI Approved"]
    return "; ".join(named) or (free[0][:80] if free else "")


def is_refused(licence: str) -> bool:
    """Whether a host may not ship it. A choice that has an allowed side is one."""
    sides = re.split(r"\bOR\b", licence)
    return all(REFUSED.search(ALLOWED_ALL_THE_SAME.sub("", side)) for side in sides)


def main() -> int:
    """Exit code 1 when a package's licence is refused, or it names none."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default=sys.executable)
    told = subprocess.run(  # noqa: S603 - the interpreter whoever runs this has named
        [parser.parse_args().python, "-c", ASKED], capture_output=True, text=True, check=True
    ).stdout
    found = {
        (name.lower(), version): licence_of(expression, classifiers, free)
        for name, version, expression, classifiers, free in json.loads(told)
    }
    wrong = 0
    for (name, version), licence in sorted(found.items()):
        fault = is_refused(licence) or not licence
        wrong += fault
        sys.stdout.write(
            f"{'REFUSED ' if fault else ''}{name} {version}: {licence or 'says none'}\n"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
