"""Where the files that travel with the package are: beside the wheel's code, or in the checkout."""

from __future__ import annotations

from pathlib import Path

from fonds.contract.failures import Misconfigured

_PACKAGE = Path(__file__).resolve().parent.parent


def share_path(relative: str) -> Path:
    """A file or folder of `db/`, `migrations/`, `example_content/` or `eval/`; raises
    Misconfigured.
    """
    for root in (_PACKAGE / "_share", _PACKAGE.parent.parent):
        found = root / relative
        if found.exists():
            return found
    raise Misconfigured(f"the installation lacks {relative}: install fonds again")
